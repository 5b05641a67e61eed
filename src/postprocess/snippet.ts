import { stem } from '../analyze/index.ts';

/** A passage of a text, with the words that were looked for. */
export interface Snippet {
  /** The passage; `…` stands where the text goes on. */
  readonly text: string;
  /** Start and end of each word that matches, within `text`, in order. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

interface Hit {
  readonly stem: string;
  readonly start: number;
  readonly end: number;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}']*/gu;

/**
 * The passage of at most about `maxChars` characters that holds the most different words looked for, the first such
 * passage; the beginning of the text when none occurs.
 * @param stems of the words looked for
 */
export function snippet(text: string, stems: ReadonlySet<string>, maxChars: number): Snippet {
  const hits = findHits(text, stems);
  const [start, end] = frame(text, bestWindow(hits, maxChars), maxChars);
  const before = start > 0 ? '… ' : '';
  const shift = before.length - start;
  const marks = hits
    .filter((hit) => hit.start >= start && hit.end <= end)
    .map((hit) => [hit.start + shift, hit.end + shift] as const);
  return { text: `${before}${text.slice(start, end)}${end < text.length ? ' …' : ''}`, marks };
}

function findHits(text: string, stems: ReadonlySet<string>): readonly Hit[] {
  const hits: Hit[] = [];
  // A stem begins as its word does: of most words the first letter tells that they are none of those looked for.
  const initials = new Set([...stems].map((stem) => stem[0]));
  for (const match of text.matchAll(WORD)) {
    if (!initials.has(match[0][0]!.toLowerCase())) continue;
    const found = stem(match[0].toLowerCase());
    if (stems.has(found)) hits.push({ stem: found, start: match.index, end: match.index + match[0].length });
  }
  return hits;
}

/** The run of hits within `maxChars` with the most different stems, then the most hits; the first of equals. */
function bestWindow(hits: readonly Hit[], maxChars: number): readonly Hit[] {
  let best: readonly Hit[] = [];
  let bestScore = 0;
  let first = 0;
  const inWindow = new Map<string, number>();
  for (const [last, hit] of hits.entries()) {
    inWindow.set(hit.stem, (inWindow.get(hit.stem) ?? 0) + 1);
    while (hit.end - hits[first]!.start > maxChars && first < last) {
      const { stem } = hits[first++]!;
      const left = inWindow.get(stem)! - 1;
      if (left === 0) inWindow.delete(stem);
      else inWindow.set(stem, left);
    }
    const score = inWindow.size + (last - first) / 1000;
    if (score > bestScore) [best, bestScore] = [hits.slice(first, last + 1), score];
  }
  return best;
}

/** Start and end of the passage around the hits, moved to word boundaries. */
function frame(text: string, window: readonly Hit[], maxChars: number): readonly [number, number] {
  if (text.length <= maxChars) return [0, text.length];
  const from = window[0]?.start ?? 0;
  const to = window.at(-1)?.end ?? 0;
  const room = Math.max(0, maxChars - (to - from));
  const start = Math.max(0, Math.min(from - Math.floor(room / 3), text.length - maxChars));
  const end = Math.min(text.length, Math.max(to, start + maxChars));
  return [wordStart(text, start, from), wordEnd(text, end, to)];
}

function wordStart(text: string, at: number, limit: number): number {
  if (at === 0) return 0;
  const space = text.indexOf(' ', at - 1);
  return space < 0 || space >= limit ? Math.min(at, limit) : space + 1;
}

function wordEnd(text: string, at: number, least: number): number {
  if (at >= text.length) return text.length;
  const space = text.lastIndexOf(' ', at);
  return space <= least ? Math.max(at, least) : space;
}
