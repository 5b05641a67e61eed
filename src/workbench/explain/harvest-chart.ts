import { chartFile } from '../../postprocess/index.ts';
import type { Store } from '../../store/index.ts';

/** Pages over which the recent harvest rate is taken, as in the dashboard. */
const RECENT = 100;
const POINTS = 400;
const NAMES = ['recent', 'all'] as const;

/**
 * Draws the harvest rate of a crawl over its pages as one SVG file: over the last hundred pages, and over all so far.
 * Vertical lines are phases and training rounds. Training pages do not count.
 */
export async function harvestChart(store: Pick<Store, 'exportPages' | 'milestones'>): Promise<string> {
  const sequences: number[] = [];
  const relevant: number[] = [0];
  for await (const { sequence, role, others } of store.exportPages()) {
    if (role !== 'crawled') continue;
    sequences.push(sequence);
    relevant.push(relevant.at(-1)! + (others ? 0 : 1));
  }
  const pages = sequences.length;
  const step = Math.max(1, Math.ceil(pages / POINTS));
  const shown = Array.from({ length: pages }, (_, i) => i + 1).filter((k) => k % step === 0 || k === pages);
  const rate = (from: number, to: number): number => (relevant[to]! - relevant[from]!) / (to - from);
  const marks = (await store.milestones()).map(({ sequence, kind, name }) => {
    const before = sequences.findIndex((page) => page > sequence);
    return { x: before < 0 ? pages : before, name: `${kind} ${name}` };
  });
  const series = [
    { name: NAMES[0], points: shown.map((k) => [k, rate(Math.max(0, k - RECENT), k)] as const) },
    { name: NAMES[1], points: shown.map((k) => [k, rate(0, k)] as const) },
  ];
  const axes = { xLabel: 'pages fetched', yLabel: 'harvest rate', xMax: Math.max(1, pages), yMax: 1 };
  return chartFile([{ title: 'Harvest rate, phases and rounds', ...axes, series, marks }], NAMES);
}
