import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTinyWeb, type TinyWeb } from '../../support/tiny-web.ts';

export const BIKE: readonly string[] =
  'bicycle cycling wheel saddle pedal chain gear frame rider touring derailleur spoke handlebar brake tyre'.split(' ');
export const FOOD: readonly string[] =
  'recipe oven flour butter sugar bread soup cook kitchen pepper onion sauce boil bake salad'.split(' ');
const STARS =
  'planet star orbit telescope galaxy moon comet gravity rocket astronomer nebula lunar solar probe crater'.split(' ');

/** Returns the text of a page: words of its subject in an order that depends on `n`. */
export function prose(words: readonly string[], n: number): string {
  return Array.from({ length: 60 }, (_, i) => words[(i * 7 + n * 3 + (i % 5) * n) % words.length]).join(' ');
}

/** Returns the HTML of a page. */
export function page(title: string, text: string, links: readonly string[]): string {
  const anchors = links.map((href) => `<li><a href="${href}">${title} leads on</a></li>`).join('');
  return `<!doctype html><html lang="en"><title>${title}</title><p>${text}</p><ul>${anchors}</ul></html>`;
}

export interface BikeWeb extends TinyWeb {
  /**
   * Answers this number of further page requests and holds the others, so that no crawl ends early. The returned
   * function releases them.
   */
  hold(pages: number): () => void;
}

/** The number of pages of a subject: enough to give a crawl a choice. */
const PAGES = 12;

/**
 * Starts a web of three hosts. Each is one subject with a dozen pages that link to the next two. Every third page
 * links to the other hosts. One title attacks terminals and spreadsheets.
 */
export async function startBikeWeb(): Promise<BikeWeb> {
  const web = await startTinyWeb();
  let left = Number.POSITIVE_INFINITY;
  const held: (() => void)[] = [];
  const subjects: Readonly<Record<string, readonly string[]>> = {
    'bikes.test': BIKE,
    'food.test': FOOD,
    'stars.test': STARS,
  };
  for (const [host, words] of Object.entries(subjects)) {
    web.handle(host, (request, response) => {
      const n = Number(/^\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
      const found = n >= 0 && n < PAGES;
      response.writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
      if (!found) {
        response.end();
        return;
      }
      const near = [(n + 1) % PAGES, (n + 2) % PAGES].map((next) => `/${next}`);
      const far = Object.keys(subjects).flatMap((other) =>
        other === host || n % 3 > 0 ? [] : [`${web.origin(other)}/${n}`],
      );
      const title = n === 4 ? `=HYPERLINK("${host}")\u001b[2J\u202e 4` : `${words[0]} page ${n}`;
      const send = (): unknown => response.end(page(title, prose(words, n), [...near, ...far, '/missing']));
      if (left-- > 0) send();
      else held.push(send);
    });
  }
  const hold = (pages: number): (() => void) => {
    left = pages;
    return () => {
      left = Number.POSITIVE_INFINITY;
      for (const send of held.splice(0)) send();
    };
  };
  return { ...web, hold };
}

/** Returns a workspace file for that web: two bicycle pages, and pages of the other hosts as OTHERS. */
export function bikeWorkspace(web: TinyWeb, more = ''): string {
  const urls = (host: string, ...pages: number[]): string => pages.map((n) => `${web.origin(host)}/${n}`).join(', ');
  return `topics:
  - name: cycling
    examples: [${urls('bikes.test', 0, 5)}]
others: [${urls('food.test', 1, 2, 5, 7)}, ${urls('stars.test', 1, 2, 5, 7)}]
network:
  allowPrivate: true
  dnsServers: ["${web.dnsServer}"]
  delayMs: 0
  concurrency: 1
analyze: {threads: 1}
${more}`;
}

/** Makes a folder with that workspace file. @param name of the folder in `root` @returns its path */
export function bikeFolder(root: string, name: string, web: TinyWeb, more = ''): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'bingo.yaml'), bikeWorkspace(web, more));
  return folder;
}
