import type { TopicId } from '../../core/index.ts';
import type { PortalContents, PortalPage, PortalTopic } from './contents.ts';
import type { PortalSource } from './ports.ts';

/** A listed page, with the number of listed pages that link to it and to which it links. */
export interface LinkedPage {
  readonly page: PortalPage;
  readonly linkedBy: number;
  readonly linksTo: number;
}

/** How the pages that a topic lists link to one another. */
export interface TopicLinks {
  /** Widely cited pages first, link collections last. */
  readonly pages: readonly LinkedPage[];
  /** Without repeated links, by index in `pages`. */
  readonly links: readonly (readonly [from: number, to: number])[];
}

/** Pages in the picture; those with most links are kept. */
const MOST_PAGES = 16;
/** With fewer links, there is nothing to see. */
const LEAST_LINKS = 3;

/** Returns the links between the pages that each topic lists; topics with few are missing. */
export async function topicLinks(
  source: Pick<PortalSource, 'pageLinks'>,
  { topics }: PortalContents,
): Promise<ReadonlyMap<TopicId, TopicLinks>> {
  const listed = new Map([...topics.values()].map((topic) => [topic.id, listedIn(topic)]));
  const placesOf = new Map<number, TopicId[]>();
  for (const [id, pages] of listed)
    for (const { sequence } of pages) placesOf.set(sequence, [...(placesOf.get(sequence) ?? []), id]);
  const links = new Map<TopicId, Map<string, readonly [from: number, to: number]>>();
  for await (const part of source.pageLinks([...placesOf.keys()].sort((a, b) => a - b)))
    for (const { from, to } of part) {
      if (from === to || !placesOf.has(to)) continue;
      for (const id of placesOf.get(from) ?? [])
        if (placesOf.get(to)!.includes(id))
          links.set(id, (links.get(id) ?? new Map()).set(`${from} ${to}`, [from, to] as const));
    }
  return new Map(
    [...links].flatMap(([id, own]) => {
      const found = arranged(listed.get(id)!, [...own.values()]);
      return found.links.length < LEAST_LINKS ? [] : [[id, found] as const];
    }),
  );
}

function listedIn({ lists }: PortalTopic): readonly PortalPage[] {
  return [...lists.start, ...lists.cited, ...lists.collections].map(({ page }) => page);
}

/** Orders pages by how much more they are cited than they cite: most lines lead upwards then. */
function arranged(pages: readonly PortalPage[], links: readonly (readonly [number, number])[]): TopicLinks {
  const count = (end: 0 | 1): ReadonlyMap<number, number> =>
    links.reduce((sums, link) => sums.set(link[end], (sums.get(link[end]) ?? 0) + 1), new Map<number, number>());
  const [from, to] = [count(0), count(1)];
  const degree = ({ sequence }: PortalPage): number => (from.get(sequence) ?? 0) + (to.get(sequence) ?? 0);
  const lead = ({ sequence }: PortalPage): number => (to.get(sequence) ?? 0) - (from.get(sequence) ?? 0);
  const kept = pages
    .filter((page) => degree(page) > 0)
    .toSorted((a, b) => degree(b) - degree(a) || a.sequence - b.sequence)
    .slice(0, MOST_PAGES)
    .sort((a, b) => lead(b) - lead(a) || a.sequence - b.sequence);
  const places = new Map(kept.map(({ sequence }, i) => [sequence, i]));
  const between = links.flatMap(([a, b]) => {
    const [start, end] = [places.get(a), places.get(b)];
    return start === undefined || end === undefined ? [] : [[start, end] as const];
  });
  const sum = (place: number, end: 0 | 1): number => between.filter((link) => link[end] === place).length;
  return {
    links: between,
    pages: kept.map((page, i) => ({ page, linkedBy: sum(i, 1), linksTo: sum(i, 0) })),
  };
}
