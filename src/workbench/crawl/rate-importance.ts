import { type Importance, locationImportance } from '../../core/index.ts';
import { backlinks, type LinkGraph, pageRank } from '../../graph/index.ts';
import type { Store } from '../../store/index.ts';

/**
 * Computes the importance of all stored pages by backlinks, PageRank and location (Cho 1998 §2), and stores it. Links
 * to pages that are not stored do not count.
 */
export async function rateImportance(
  store: Pick<Store, 'flush' | 'exportPages' | 'pageLinks' | 'saveImportance'>,
): Promise<void> {
  await store.flush();
  const numbers = new Map<number, number>();
  const locations: number[] = [];
  for await (const { sequence, finalUrl } of store.exportPages()) {
    numbers.set(sequence, numbers.size);
    locations.push(locationImportance(finalUrl));
  }
  const graph = await storedGraph(store, numbers);
  const [ib, ir] = [backlinks(graph), pageRank(graph)];
  const rated = new Map<number, Importance>();
  for (const [page, i] of numbers) rated.set(page, { ib: ib[i]!, ir: ir[i]!, il: locations[i]! });
  await store.saveImportance(rated);
}

async function storedGraph(store: Pick<Store, 'pageLinks'>, numbers: ReadonlyMap<number, number>): Promise<LinkGraph> {
  const sources: number[] = [];
  const targets: number[] = [];
  for await (const links of store.pageLinks())
    for (const link of links) {
      const [from, to] = [numbers.get(link.from), numbers.get(link.to)];
      if (from === undefined || to === undefined) continue;
      sources.push(from);
      targets.push(to);
    }
  return { size: numbers.size, sources: Int32Array.from(sources), targets: Int32Array.from(targets) };
}
