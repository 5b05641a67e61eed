import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Asks the search page of a portal and waits for its results; runs in the page. */
export const PORTAL_ASK = `async (query) => {
  const [status, results] = ['status', 'results'].map((id) => document.getElementById(id));
  const begin = performance.now();
  document.getElementById('q').value = query;
  document.getElementById('search').requestSubmit();
  const isDone = () => results.childElementCount > 0 || status.textContent.startsWith('No page');
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now() - begin;
}`;

const SEARCHES = 15;

/** Returns queries of a frequent and a rarer word each. */
export function portalQueries(stems: readonly string[]): readonly string[] {
  return Array.from({ length: SEARCHES }, (_, i) => `${stems[i * 3]} ${stems[500 + i * 20]}`);
}

/** Returns the bytes of each file in a folder and its subfolders. */
export function fileSizes(folder: string): readonly number[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .flatMap((stat) => (stat.isFile() ? [stat.size] : []));
}
