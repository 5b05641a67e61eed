import type { TermCounts, TopicId } from '../../core/index.ts';
import { hash53 } from '../../kit/index.ts';
import { type Clustering, clusterPages } from '../clusters/cluster.ts';
import { scale } from '../clusters/picture.ts';
import { commonForms } from '../clusters/words.ts';
import type { PortalContents, PortalPage, PortalTopic } from './contents.ts';
import type { PageText, PortalSource } from './ports.ts';

/** A page on the map of its topic. */
export interface MapPlace {
  readonly sequence: number;
  /** Number of its group, from 0. */
  readonly group: number;
  /** Coordinates in [0, {@link MAP_SIZE}). */
  readonly x: number;
  readonly y: number;
}

/** Groups of a topic's pages by their words. */
export interface TopicMap {
  /** Sequences of the pages that were compared. */
  readonly sampled: readonly number[];
  readonly places: readonly MapPlace[];
  /** Largest first; none if the pages have no words in common, so that there is nothing to draw. */
  readonly groups: readonly {
    /** Words that tell it from the others. */
    readonly words: readonly string[];
    /** Sequences, most typical first. */
    readonly typical: readonly number[];
  }[];
}

/** Maps by topic. */
export type TopicMaps = Readonly<Record<TopicId, TopicMap>>;

export const MAP_SIZE = 100;
/** Colours of `style.css`. */
const MOST_GROUPS = 8;
/** Pages of a topic that are compared. */
const SAMPLE = 250;
/** Pages compared in all topics together: their features are in memory at once, some 10 KB each. */
const MOST_SAMPLED = 4_000;
/** A topic with fewer pages has no map. */
const LEAST_PAGES = 24;
/** A map holds until fewer than this share of its pages would be chosen again. */
const KEPT = 0.9;
/** Groups of pages that are much alike. */
const PARTS = 4;
const WORDS = 5;
const TYPICAL = 3;
const READ_AT_ONCE = 20;

type Features = Pick<PageText, 'text' | 'terms'> & Pick<PortalPage, 'language'>;

/**
 * Makes the maps of topics. A map of the portal before is kept while most of its pages are the same. Words that are
 * read anyway are taken from {@link add}.
 */
export class MapMaker {
  readonly #contents: PortalContents;
  readonly #known: TopicMaps;
  /** Sampled pages of topics that need a new map. */
  readonly #samples = new Map<TopicId, readonly PortalPage[]>();
  readonly #kept: Record<TopicId, TopicMap> = {};
  readonly #wanted: ReadonlyMap<number, PortalPage>;
  readonly #features = new Map<number, Features>();

  /** @param known maps of the portal before */
  constructor(contents: PortalContents, known: TopicMaps = {}) {
    this.#contents = contents;
    this.#known = known;
    let left = MOST_SAMPLED;
    const bySize = [...contents.topics.values()].sort((a, b) => b.end - b.first - (a.end - a.first));
    for (const topic of bySize) {
      const pages = sampleOf(topic, contents.pages);
      if (pages.length < LEAST_PAGES || pages.length > left) continue;
      left -= pages.length;
      const map = this.#stillGood(topic.id, pages);
      if (map === undefined) this.#samples.set(topic.id, pages);
      else this.#kept[topic.id] = map;
    }
    this.#wanted = new Map([...this.#samples.values()].flat().map((page) => [page.sequence, page]));
  }

  #stillGood(id: TopicId, pages: readonly PortalPage[]): TopicMap | undefined {
    const map = this.#known[id];
    if (map === undefined) return undefined;
    const chosen = new Set(pages.map(({ sequence }) => sequence));
    const same = map.sampled.filter((sequence) => chosen.has(sequence)).length;
    if (same < KEPT * Math.max(pages.length, map.sampled.length)) return undefined;
    return { ...map, places: map.places.filter(({ sequence }) => chosen.has(sequence)) };
  }

  /** Takes the words of a page if a map needs them. */
  add({ sequence, language }: PortalPage, words: PageText | undefined): void {
    if (!this.#wanted.has(sequence) || words === undefined) return;
    // Words for the names of groups are in the beginning of a text as well.
    this.#features.set(sequence, { ...words, language, text: words.text.slice(0, 2_000) });
  }

  /** Returns all maps. Reads the words of pages that were not added. */
  async maps(source: Pick<PortalSource, 'words'>): Promise<TopicMaps> {
    const missing = [...this.#wanted.values()].filter(({ sequence }) => !this.#features.has(sequence));
    for (let at = 0; at < missing.length; at += READ_AT_ONCE) {
      const part = missing.slice(at, at + READ_AT_ONCE);
      const words = await source.words(part.map(({ sequence }) => sequence));
      for (const page of part) this.add(page, words.get(page.sequence));
    }
    const made: Record<TopicId, TopicMap> = {};
    for (const id of this.#contents.topics.keys()) {
      const pages = this.#samples.get(id);
      const map = pages === undefined ? this.#kept[id] : await this.#mapOf(pages);
      if (map !== undefined) made[id] = map;
    }
    return made;
  }

  async #mapOf(pages: readonly PortalPage[]): Promise<TopicMap> {
    const sampled = pages.map(({ sequence }) => sequence);
    const features = pages.map(({ sequence }) => this.#features.get(sequence));
    const { clusters, placements } = await groupsOf(features.map((one) => one?.terms));
    const placed = pages.flatMap(({ sequence }, i) => {
      const place = placements[i];
      return place === undefined ? [] : [{ ...place, sequence, features: features[i]! }];
    });
    if (clusters.length < 2 || placed.length < LEAST_PAGES) return { sampled, places: [], groups: [] };
    const [x, y] = (['x', 'y'] as const).map((axis) =>
      scale(
        placed.map((place) => place[axis]),
        MAP_SIZE,
      ),
    );
    const groups = clusters.map(({ terms }, group) => {
      const own = placed.filter(({ cluster }) => cluster === group).sort((a, b) => b.closeness - a.closeness);
      const languages = [...new Set(own.map((one) => one.features.language))];
      const forms = commonForms(
        terms,
        own.map((one) => one.features.text),
        languages,
      );
      const words = [...new Set(terms.map((term) => forms.get(term) ?? ''))].filter((word) => word !== '');
      return { words: words.slice(0, WORDS), typical: own.slice(0, TYPICAL).map(({ sequence }) => sequence) };
    });
    const places = placed.map((one) => ({
      sequence: one.sequence,
      group: one.cluster,
      x: x!(one.x),
      y: MAP_SIZE - 1 - y!(one.y),
    }));
    return { sampled, places, groups };
  }
}

/** Groups pages. If they are too much alike for groups of their own, a few parts are still easier to look through. */
async function groupsOf(bags: readonly (TermCounts | undefined)[]): Promise<Clustering> {
  const found = await clusterPages(bags, { maxClusters: MOST_GROUPS, starts: 2 });
  return found.clusters.length === 1 ? await clusterPages(bags, { clusters: PARTS, starts: 2 }) : found;
}

/** Returns the pages of a topic with the lowest hashes: a uniform sample that changes little while pages join. */
function sampleOf({ first, end }: PortalTopic, pages: readonly PortalPage[]): readonly PortalPage[] {
  const within = pages.slice(first, end);
  if (within.length <= SAMPLE) return within;
  const hashes = new Map(within.map((page) => [page, hash53(page.url)]));
  return within.sort((a, b) => hashes.get(a)! - hashes.get(b)! || a.sequence - b.sequence).slice(0, SAMPLE);
}
