import { escapeMarkup } from '../markup.ts';
import type { Placement } from './cluster.ts';

/** Characters for the clusters, in order; further clusters share the last one. */
const SIGNS = '123456789abcdefghijklmnopqrstuvwxyz';

/** Returns the character of a cluster in pictures and tables. */
export function clusterSign(cluster: number): string {
  return SIGNS[Math.min(cluster, SIGNS.length - 1)]!;
}

/**
 * Draws clusters with characters: each cell shows the cluster of most of its pages. Both axes cover the middle 98 %
 * of the pages; outliers are drawn at the edge.
 * @returns `height` lines of at most `width` characters
 */
export function textPicture(
  places: readonly Placement[],
  { width, height }: { readonly width: number; readonly height: number },
): readonly string[] {
  const cells = Array.from({ length: width * height }, () => new Map<number, number>());
  const [column, row] = [
    scale(
      places.map(({ x }) => x),
      width,
    ),
    scale(
      places.map(({ y }) => y),
      height,
    ),
  ];
  for (const { cluster, x, y } of places) {
    const cell = cells[(height - 1 - row(y)) * width + column(x)]!;
    cell.set(cluster, (cell.get(cluster) ?? 0) + 1);
  }
  const signs = cells.map((cell) => {
    const most = [...cell].sort(([a, x], [b, y]) => y - x || a - b)[0];
    return most === undefined ? ' ' : clusterSign(most[0]);
  });
  return Array.from({ length: height }, (_, y) =>
    signs
      .slice(y * width, (y + 1) * width)
      .join('')
      .trimEnd(),
  );
}

/** Distinct in light and dark mode and for most colour-blind readers (Okabe and Ito); repeated for more clusters. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#b8a900', '#888888'];
const SIZE = 640;
const MARGIN = 24;
const LINE = 22;

/** Draws clusters as a self-contained SVG picture: one dot per page, with its title, and a legend below. */
export function svgPicture(
  pages: readonly (Placement & { readonly title: string })[],
  labels: readonly string[],
): string {
  const x = scale(
    pages.map((page) => page.x),
    SIZE,
  );
  const y = scale(
    pages.map((page) => page.y),
    SIZE,
  );
  const height = SIZE + 2 * MARGIN + LINE * labels.length + MARGIN;
  const colour = (cluster: number): string => COLOURS[cluster % COLOURS.length]!;
  const dots = pages.map(
    (page) =>
      `<circle cx="${MARGIN + x(page.x)}" cy="${MARGIN + SIZE - y(page.y)}" r="4" fill="${colour(page.cluster)}">` +
      `<title>${escapeMarkup(page.title)}</title></circle>`,
  );
  const legend = labels.map((label, i) => {
    const line = SIZE + 2 * MARGIN + LINE * i + LINE / 2;
    return (
      `<circle cx="${MARGIN}" cy="${line}" r="6" fill="${colour(i)}"/>` +
      `<text x="${MARGIN + 16}" y="${line + 5}">${escapeMarkup(`${clusterSign(i)}  ${label}`)}</text>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE + 2 * MARGIN} ${height}" role="img">`,
    '<title>Clusters along their two main directions</title>',
    '<style>svg{background:#fff;font:14px sans-serif}text{fill:#111}circle{fill-opacity:.7}',
    '@media(prefers-color-scheme:dark){svg{background:#16181d}text{fill:#eee}}</style>',
    ...dots,
    ...legend,
    '</svg>',
    '',
  ].join('\n');
}

/** Maps the middle 98 % of some values to 0 … steps − 1. */
export function scale(values: readonly number[], steps: number): (value: number) => number {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor(sorted.length * 0.01)] ?? 0;
  const high = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  const range = high > low ? high - low : 1;
  return (value) => Math.round(Math.min(1, Math.max(0, (value - low) / range)) * (steps - 1));
}
