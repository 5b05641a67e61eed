import { hash53 } from '../../kit/index.ts';
import { nameOf, partsOf, type UrlParts } from './url-parts.ts';

/** Patterns that a URL is an instance of, as hashes, the narrowest first. */
export interface UrlPatterns {
  /** Same path but for numbers and ids, same names of parameters. */
  readonly template: number;
  /** Same path, whatever the parameters; the template where there are none. */
  readonly path: number;
  /** Same folder. */
  readonly folder: number;
  /** Same first folder. */
  readonly top: number;
}

/** Number of a registered pattern kind, narrowest first. */
export const PATTERN_KINDS = ['template', 'path', 'folder', 'top'] as const;
export type PatternKind = (typeof PATTERN_KINDS)[number];

export function patternsOf(url: string): UrlPatterns {
  const parts = partsOf(url);
  const segments = parts.segments.map(shapeOf);
  const names = [...new Set(parts.params.map(nameOf))].sort();
  const path = `${parts.host}/${segments.join('/')}`;
  const template = hash53(`${path}?${names.join('&')}`);
  return {
    template,
    path: names.length === 0 ? template : hash53(`${path}?*`),
    folder: hash53(`${parts.host}/${segments.slice(0, -1).join('/')}/*`),
    top: hash53(segments.length < 2 ? `${parts.host}/*` : `${parts.host}/${segments[0]}/**`),
  };
}

/** Of a path, see {@link shapeOf}. */
export function shapeOfPath(path: string): string {
  return path.split('/').map(shapeOf).join('/');
}

/** Numbers and ids stand for each other: `2026` and `2027`, `d41d8cd9…` and `0cc175b9…`. */
function shapeOf(segment: string): string {
  if (!/\d/.test(segment)) return segment;
  return ID.test(segment) ? '*' : segment.replace(/\d+/g, '#');
}

/** Long, with digits, without what parts words: nobody's name for a page. */
const ID = /^(?=.*\d)[A-Za-z0-9]{12,}$/;

/** How links are treated: `doubtful` ones wait below all others, `barred` ones are not followed. */
export type TrapStanding = 'free' | 'doubtful' | 'barred';

/** What makes a path look like one without end. */
export interface ShapeLimits {
  /** Segments of a path at the most. */
  readonly maxPathDepth: number;
  /** How often a path may have the same segment. Numbers do not count. */
  readonly maxSegmentRepeats: number;
}

/** Of the scheme. Each other one begins a segment, ends the path, or stands in the query. */
const SCHEME_SLASHES = 2;
/** Paths of fewer segments are not doubtful: most are that short, and some name a thing twice. A slash at the end counts here. */
const FEW_SEGMENTS = 4;

/**
 * `barred`: a path that is too deep or has a segment too often; `doubtful`: one that has a segment as often as it may, and
 * more than once, unless it is short.
 */
export function shapeStanding(url: string, limits: ShapeLimits): TrapStanding {
  // So many segments or fewer: nearly all URLs end here, and are not taken apart.
  const most = slashes(url) - SCHEME_SLASHES;
  if (most < FEW_SEGMENTS && most <= limits.maxPathDepth && most <= limits.maxSegmentRepeats) return 'free';
  return segmentsStanding(partsOf(url), limits);
}

/** The limit that bars a path; `undefined` when none does. */
export function barredShape(url: string, limits: ShapeLimits): keyof ShapeLimits | undefined {
  if (shapeStanding(url, limits) !== 'barred') return undefined;
  return depthOf(partsOf(url)) > limits.maxPathDepth ? 'maxPathDepth' : 'maxSegmentRepeats';
}

function segmentsStanding(parts: UrlParts, { maxPathDepth, maxSegmentRepeats }: ShapeLimits): TrapStanding {
  if (depthOf(parts) > maxPathDepth) return 'barred';
  // Most of the others end here.
  if (parts.segments.every((segment, i, all) => all.indexOf(segment, i + 1) < 0)) return 'free';
  const counts = new Map<string, number>();
  let most = 0;
  for (const segment of parts.segments) {
    if (segment === '' || /^\d+$/.test(segment)) continue;
    const count = (counts.get(segment) ?? 0) + 1;
    counts.set(segment, count);
    most = Math.max(most, count);
  }
  if (most > maxSegmentRepeats) return 'barred';
  return parts.segments.length >= FEW_SEGMENTS && most > 1 && most === maxSegmentRepeats ? 'doubtful' : 'free';
}

/** A slash at the end begins no segment. */
function depthOf({ segments }: UrlParts): number {
  return segments.at(-1) === '' ? segments.length - 1 : segments.length;
}

/** Those of the scheme among them. */
function slashes(url: string): number {
  let n = 0;
  for (let at = url.indexOf('/'); at >= 0; at = url.indexOf('/', at + 1)) n++;
  return n;
}
