import { canonicalize } from '../../core/index.ts';
import type { ParkVisit } from './park-server.ts';
import type { TrapKind } from './park-site.ts';
import type { TrapPark } from './trap-park.ts';

/** How a crawler came through the park. */
export interface ParkScore {
  /** Requests that it may make. */
  readonly budget: number;
  /** Requests that it made, robots.txt and training pages left out; those beyond the budget do not count. */
  readonly requests: number;
  readonly relevant: number;
  readonly found: number;
  /** `found / relevant`. */
  readonly foundShare: number;
  /** Requests spent in each kind of trap; `repeats` are pages fetched again that no trap had disguised. */
  readonly traps: Readonly<Partial<Record<TrapKind, number>> & { readonly repeats: number }>;
  readonly trapped: number;
  /** `trapped / budget`, in [0,1]. */
  readonly trappedShare: number;
  /** `trapped / requests`: the same for a crawl that ended early. */
  readonly trappedShareOfRequests: number;
  /** Relevant pages that were not found, by the kind of trap that their site bears. */
  readonly missed: readonly { readonly id: string; readonly trap: string }[];
  /** Requests for honest pages, for passages, and for what does not exist. */
  readonly honest: number;
  readonly passages: number;
  readonly nothing: number;
}

/**
 * Scores a list of requests, in their order. Every request counts, whatever came of it: a page fetched a second time, also
 * under another address, is spent in the trap that gave it that address.
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
      // A page that did not arrive may be asked for again.
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

/** Reads a list of addresses, one a line; what stands behind white space, and lines that begin with `#`, is left out. */
export function readVisits(text: string): ParkVisit[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const word = line.trim().split(/\s+/)[0] ?? '';
    const url = word === '' || word.startsWith('#') ? null : URL.parse(word);
    if (url === null || url.pathname === '/robots.txt') return [];
    url.port = '';
    return [{ url: canonicalize(url.href) === undefined ? url.href : url.href.replace(/#.*$/, ''), served: true }];
  });
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The score as lines of text. */
export function renderScore(score: ParkScore): string {
  const rows = Object.entries(score.traps).map(([kind, n]) => {
    return `  ${kind.padEnd(18)}${String(n).padStart(7)}${percent(n / score.budget).padStart(9)}`;
  });
  const missedBy = new Map<string, number>();
  for (const { trap } of score.missed) missedBy.set(trap, (missedBy.get(trap) ?? 0) + 1);
  const missed = [...missedBy].map(([trap, n]) => `${n} beside ${trap}`).join(', ');
  return [
    `found     ${score.found} of ${score.relevant} relevant pages (${percent(score.foundShare)})`,
    `trapped   ${score.trapped} of a budget of ${score.budget} requests (${percent(score.trappedShare)}; ${percent(score.trappedShareOfRequests)} of the ${score.requests} made)`,
    `honest    ${score.honest} pages, ${score.passages} passages; ${score.nothing} requests for what is not there`,
    '',
    `  ${'trap'.padEnd(18)}requests   of budget`,
    ...rows,
    ...(missed === '' ? [] : ['', `missed    ${missed}`]),
    '',
  ].join('\n');
}
