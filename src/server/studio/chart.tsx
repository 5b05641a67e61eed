import type { ReactNode } from 'react';

/** A point of the harvest: pages fetched so far, and how many of them are relevant. */
export interface HarvestPoint {
  readonly pages: number;
  readonly relevant: number;
}

/** A training round or a change of phase, after a number of pages. */
export interface Moment {
  readonly pages: number;
  readonly label: string;
}

const WIDTH = 600;
const HEIGHT = 200;
const PAD = 34;

/** Draws relevant pages against fetched ones; the dashed line is a crawl in which every page is relevant. */
export function HarvestChart(props: {
  readonly points: readonly HarvestPoint[];
  readonly moments: readonly Moment[];
}): ReactNode {
  const { points, moments } = props;
  const last = points.at(-1);
  if (last === undefined || last.pages === 0) return <p className="soft">No page has been fetched yet.</p>;
  const x = (pages: number): number => PAD + ((WIDTH - PAD - 8) * pages) / last.pages;
  const y = (relevant: number): number =>
    HEIGHT - PAD + 8 - ((HEIGHT - PAD - 4) * relevant) / Math.max(1, last.relevant);
  const line = points.map(({ pages, relevant }) => `${x(pages).toFixed(1)},${y(relevant).toFixed(1)}`).join(' ');
  const text = `${last.relevant} of ${last.pages} pages are relevant.`;
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 8}`} role="img" aria-label={`Harvest: ${text}`} className="chart">
        <line x1={PAD} y1={y(0)} x2={WIDTH - 8} y2={y(0)} className="axis" />
        <line x1={PAD} y1={y(0)} x2={PAD} y2={4} className="axis" />
        <line x1={x(0)} y1={y(0)} x2={x(last.relevant)} y2={y(last.relevant)} className="ideal" />
        {moments.map(({ pages, label }) => (
          <line key={`${pages} ${label}`} x1={x(pages)} y1={4} x2={x(pages)} y2={y(0)} className="moment">
            <title>{`${label}, after ${pages} pages`}</title>
          </line>
        ))}
        <polyline points={line} className="harvest" />
        <text x={PAD - 4} y={14} textAnchor="end">
          {last.relevant}
        </text>
        <text x={WIDTH - 8} y={HEIGHT + 2} textAnchor="end">
          {last.pages} pages
        </text>
      </svg>
      <figcaption className="soft">
        {text} Dashed: if every page were relevant. Vertical lines: training rounds and phases.
      </figcaption>
    </figure>
  );
}

const BARS = 20;

/** Draws how relevant the last pages are, from 0 to 1. */
export function RelevanceBars({ relevances }: { readonly relevances: readonly number[] }): ReactNode {
  const bars = Array.from(
    { length: BARS },
    (_, i) => relevances.filter((relevance) => Math.min(BARS - 1, Math.floor(BARS * relevance)) === i).length,
  );
  const most = Math.max(1, ...bars);
  const label = `Relevance of the last ${relevances.length} pages: ${bars.slice(BARS / 2).reduce((a, b) => a + b, 0)} at .5 or more.`;
  return (
    <figure>
      <svg viewBox="0 0 200 60" role="img" aria-label={label} className="chart small">
        {bars.map((n, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
          <rect key={i} x={i * 10 + 1} width={8} y={50 - (46 * n) / most} height={(46 * n) / most} className="bar" />
        ))}
        <text x={0} y={59}>
          0
        </text>
        <text x={200} y={59} textAnchor="end">
          1
        </text>
      </svg>
      <figcaption className="soft">{label}</figcaption>
    </figure>
  );
}
