import { type Importance, locationImportance } from '../../core/index.ts';
import { backlinks, type LinkGraph, pageRank } from '../../graph/index.ts';
import { GROWTH, grown } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';

const FIRST_CAPACITY = 1024;

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
  // Lists of numbers would take several times as much memory, which millions of links feel.
  let [sources, targets] = [new Int32Array(FIRST_CAPACITY), new Int32Array(FIRST_CAPACITY)];
  let used = 0;
  for await (const links of store.pageLinks()) {
    if (used + links.length > sources.length) {
      const capacity = Math.ceil((used + links.length) * GROWTH);
      [sources, targets] = [grown(sources, new Int32Array(capacity)), grown(targets, new Int32Array(capacity))];
    }
    for (const link of links) {
      const [from, to] = [numbers.get(link.from), numbers.get(link.to)];
      if (from === undefined || to === undefined) continue;
      sources[used] = from;
      targets[used++] = to;
    }
  }
  return { size: numbers.size, sources: sources.subarray(0, used), targets: targets.subarray(0, used) };
}
