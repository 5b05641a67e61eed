import { hash53 } from '../../kit/index.ts';
import { nameOf, partsOf, type UrlParts } from './url-parts.ts';

/** Hashes of the patterns that a URL matches, the narrowest first. */
export interface UrlPatterns {
  /** Same path except for numbers and ids, and same parameter names. */
  readonly template: number;
  /** Same path, with any parameters; equals the template if there are no parameters. */
  readonly path: number;
  /** Same folder. */
  readonly folder: number;
  /** Same first folder. */
  readonly top: number;
}

/** Kinds of patterns, narrowest first. */
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

/** Returns the shape of a path, see {@link shapeOf}. */
export function shapeOfPath(path: string): string {
  return path.split('/').map(shapeOf).join('/');
}

/**
 * Returns a segment with numbers and ids replaced by placeholders: `2026` equals `2027`, `d41d8cd9…` equals
 * `0cc175b9…`.
 */
function shapeOf(segment: string): string {
  if (!/\d/.test(segment)) return segment;
  return ID.test(segment) ? '*' : segment.replace(/\d+/g, '#');
}

/** Long, with digits and without word separators, so not a readable page name. */
const ID = /^(?=.*\d)[A-Za-z0-9]{12,}$/;

/** How links are treated: `doubtful` ones wait below all others, `barred` ones are not followed. */
export type TrapStanding = 'free' | 'doubtful' | 'barred';

/** Limits that make a path look endless. */
export interface ShapeLimits {
  /** Maximum number of path segments. */
  readonly maxPathDepth: number;
  /** Maximum number of equal segments in a path. Numbers are not counted. */
  readonly maxSegmentRepeats: number;
}

/** Number of slashes in `http://`. Every other slash begins a segment, ends the path, or is in the query. */
const SCHEME_SLASHES = 2;
/**
 * Paths with fewer segments are never doubtful: most are that short, and some repeat a name. A final slash counts
 * here.
 */
const FEW_SEGMENTS = 4;

/**
 * Returns `barred` for a path that is too deep or repeats a segment too often. Returns `doubtful` for a path that
 * repeats a segment as often as allowed, at least twice, unless it is short.
 */
export function shapeStanding(url: string, limits: ShapeLimits): TrapStanding {
  // Upper bound of the number of segments. Nearly all URLs end here, without being parsed.
  const most = slashes(url) - SCHEME_SLASHES;
  if (most < FEW_SEGMENTS && most <= limits.maxPathDepth && most <= limits.maxSegmentRepeats) return 'free';
  return segmentsStanding(partsOf(url), limits);
}

/** Returns the limit that bars a path; `undefined` if none does. */
export function barredShape(url: string, limits: ShapeLimits): keyof ShapeLimits | undefined {
  if (shapeStanding(url, limits) !== 'barred') return undefined;
  return depthOf(partsOf(url)) > limits.maxPathDepth ? 'maxPathDepth' : 'maxSegmentRepeats';
}

function segmentsStanding(parts: UrlParts, { maxPathDepth, maxSegmentRepeats }: ShapeLimits): TrapStanding {
  if (depthOf(parts) > maxPathDepth) return 'barred';
  // Most remaining URLs end here.
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

/** Returns the number of segments. A final slash does not begin one. */
function depthOf({ segments }: UrlParts): number {
  return segments.at(-1) === '' ? segments.length - 1 : segments.length;
}

/** Counts slashes, including those of the scheme. */
function slashes(url: string): number {
  let n = 0;
  for (let at = url.indexOf('/'); at >= 0; at = url.indexOf('/', at + 1)) n++;
  return n;
}
