import { canonicalize } from '../../core/index.ts';
import { percent } from '../../kit/index.ts';
import type { ParkVisit } from './park-server.ts';
import type { TrapKind } from './park-site.ts';
import type { TrapPark } from './trap-park.ts';

/** Score of a crawler in the park. */
export interface ParkScore {
  /** Requests allowed. */
  readonly budget: number;
  /** Requests made, without robots.txt and training pages; requests beyond the budget do not count. */
  readonly requests: number;
  readonly relevant: number;
  readonly found: number;
  /** `found / relevant`. */
  readonly foundShare: number;
  /** Requests spent in each kind of trap; `repeats` are pages fetched again without a trap's disguise. */
  readonly traps: Readonly<Partial<Record<TrapKind, number>> & { readonly repeats: number }>;
  readonly trapped: number;
  /** `trapped / budget`, in [0,1]. */
  readonly trappedShare: number;
  /** `trapped / requests`: the same for a crawl that ended early. */
  readonly trappedShareOfRequests: number;
  /** Relevant pages not found, by the kind of trap on their site. */
  readonly missed: readonly { readonly id: string; readonly trap: string }[];
  /** Requests for honest pages, for passages, and for missing pages. */
  readonly honest: number;
  readonly passages: number;
  readonly nothing: number;
}

/**
 * Scores requests in their order. Every request counts, whatever its result. A page fetched again under another
 * address counts for the trap that produced that address.
 */
export function scorePark(park: TrapPark, visits: readonly ParkVisit[], budget: number): ParkScore {
  const training = new Set([...park.examples, ...park.others]);
  const counted = visits.filter(({ url }) => !training.has(url)).slice(0, budget);
  const traps = Object.fromEntries([...park.kinds, 'repeats'].map((kind) => [kind, 0])) as Record<
    TrapKind | 'repeats',
    number
  >;
  const seen = new Set<string>();
  const found = new Set<string>();
  const counts = { honest: 0, passages: 0, nothing: 0 };
  for (const { url, served } of counted) {
    const place = park.placeOf(url);
    if (place.kind === 'trap') traps[place.trap]++;
    else if (place.kind === 'passage') {
      if (seen.has(url)) traps.repeats++;
      else counts.passages++;
      seen.add(url);
    } else if (place.kind !== 'page') counts.nothing++;
    else if (seen.has(place.id)) traps[place.trap ?? 'repeats']++;
    else {
      counts.honest++;
      // A page that was not received may be requested again.
      if (served) seen.add(place.id);
      if (served && place.relevant) found.add(place.id);
    }
  }
  const ids = park.relevantIds();
  const trapped = Object.values(traps).reduce((sum, n) => sum + n, 0);
  return {
    budget,
    requests: counted.length,
    relevant: ids.length,
    found: found.size,
    foundShare: found.size / ids.length,
    traps,
    trapped,
    trappedShare: trapped / budget,
    trappedShareOfRequests: counted.length === 0 ? 0 : trapped / counted.length,
    missed: ids.filter((id) => !found.has(id)).map((id) => ({ id, trap: park.trapOf(id) ?? 'none' })),
    ...counts,
  };
}

/** Reads a list of addresses, one per line; ignores text after white space, and lines that start with `#`. */
export function readVisits(text: string): ParkVisit[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const word = line.trim().split(/\s+/)[0] ?? '';
    const url = word === '' || word.startsWith('#') ? null : URL.parse(word);
    if (url === null || url.pathname === '/robots.txt') return [];
    url.port = '';
    return [{ url: canonicalize(url.href) === undefined ? url.href : url.href.replace(/#.*$/, ''), served: true }];
  });
}

/** Formats the score as lines of text. */
export function renderScore(score: ParkScore): string {
  const rows = Object.entries(score.traps).map(([kind, n]) => {
    return `  ${kind.padEnd(18)}${String(n).padStart(7)}${percent(n / score.budget, 1).padStart(9)}`;
  });
  const missedBy = new Map<string, number>();
  for (const { trap } of score.missed) missedBy.set(trap, (missedBy.get(trap) ?? 0) + 1);
  const missed = [...missedBy].map(([trap, n]) => `${n} beside ${trap}`).join(', ');
  return [
    `found     ${score.found} of ${score.relevant} relevant pages (${percent(score.foundShare, 1)})`,
    `trapped   ${score.trapped} of a budget of ${score.budget} requests (${percent(score.trappedShare, 1)}; ${percent(score.trappedShareOfRequests, 1)} of the ${score.requests} made)`,
    `honest    ${score.honest} pages, ${score.passages} passages; ${score.nothing} requests for what is not there`,
    '',
    `  ${'trap'.padEnd(18)}requests   of budget`,
    ...rows,
    ...(missed === '' ? [] : ['', `missed    ${missed}`]),
    '',
  ].join('\n');
}
