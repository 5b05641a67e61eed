import { type AlarmData, type AlarmPlace, ROOT, type TopicId } from '../../core/index.ts';
import type { SectionChange } from '../../crawl/index.ts';
import { count, type Fields, percent } from '../../kit/index.ts';
import { BarrenRow, type BarrenStanding } from './stagnation.ts';

/** Number of pages in a moving figure. All figures here are our choice; the paper names the idea, not the numbers. */
const WINDOW = 100;
/**
 * A topic's harvest rate collapses if it falls below this share of its earlier rate, and that was not below the
 * floor.
 */
const COLLAPSE_SHARE = 0.25;
const COLLAPSE_FLOOR = 0.1;
/** Share of a topic's last pages in one place that counts as drift. */
const DRIFT_SHARE = 0.5;
/**
 * A host with this share of the last pages is a trap if few of them are relevant, and few of the relevant pages are
 * its own.
 */
const TRAP_SHARE = 0.6;
const TRAP_RATE = 0.1;
/** The reachable neighbourhood is exhausted if this share of the links leads to known pages. */
const SATURATED = 0.9;
/** A part of a site is reported if its links have at most this weight. */
const ENDLESS_WEIGHT = 1 / 8;
/** Number of pages, per topic or in all, between two examinations of the last pages. */
const CENSUS_EVERY = 10;
/** Number of pages before the same code is reported again. */
const QUIET_PAGES = 500;
const PLACES_NAMED = 5;

/** What the watch needs of a page. */
export interface WatchedPage {
  /** The topic whose queue it waited in. */
  readonly topic: TopicId;
  readonly host: string;
  readonly isRelevant: boolean;
  /** The node it was put into, which may be its OTHERS; `undefined` for a duplicate. */
  readonly place: TopicId | undefined;
  readonly isPlaceGood: boolean;
  /** Number of its links, and below, of links to pages fetched or waiting. */
  readonly links: number;
  readonly known: number;
}

/** The problem, what to do about it, and the figures. */
export interface Alarm {
  readonly code: AlarmCode;
  readonly message: string;
  readonly remedy: string;
  readonly data: AlarmData;
}

export type AlarmCode = 'harvest-collapse' | 'stagnation' | 'drift' | 'trap' | 'endless';

interface TopicWatch {
  readonly last: WatchedPage[];
  pages: number;
  relevant: number;
  /** Pages since the last relevant one; below, the value when it was last reported. */
  barren: number;
  toldBarren: number;
}

/**
 * Detects stagnation and drift (Focused crawling §2.1, §4.1; Focus §3.7): the moving harvest rate of each topic, the
 * number of pages since the last relevant one, and the kinds of the irrelevant pages. A fold over the pages: the same
 * pages raise the same alarms. Each code is reported at most once in 500 pages; stagnation again when the barren
 * streak has doubled.
 */
export class Watch {
  readonly #stagnationPages: number;
  readonly #barren: BarrenRow;
  readonly #topics = new Map<TopicId, TopicWatch>();
  readonly #last: WatchedPage[] = [];
  /** Hosts of the last relevant pages. */
  readonly #relevantHosts: string[] = [];
  readonly #toldAt = new Map<AlarmCode, number>();
  #pages = 0;
  #alarms: Alarm[] = [];

  /** @param stagnationPages - number of irrelevant pages of a topic in a row that is reported; 0 = never */
  constructor(stagnationPages: number) {
    this.#stagnationPages = stagnationPages;
    this.#barren = new BarrenRow(stagnationPages);
  }

  /** Starts a new run: another process continues the crawl, or the user wants a barren crawl to continue. */
  beginRun(): void {
    this.#barren.beginRun();
  }

  /** Present if the run finds nothing any more. */
  get barren(): BarrenStanding | undefined {
    return this.#barren.standing;
  }

  note(page: WatchedPage): void {
    this.#barren.note(page.topic, page.isRelevant);
    this.#pages++;
    keep(this.#last, page);
    if (page.isRelevant) keep(this.#relevantHosts, page.host);
    const topic = this.#topic(page.topic);
    keep(topic.last, page);
    topic.pages++;
    topic.relevant += page.isRelevant ? 1 : 0;
    topic.barren = page.isRelevant ? 0 : topic.barren + 1;
    if (page.isRelevant) topic.toldBarren = 0;
    this.#look(page.topic, topic);
  }

  /** Notes that a part of a site has reached its limit, or that the limit was raised. */
  noteShare(change: SectionChange): void {
    if (change.factor < 1 && change.weight <= ENDLESS_WEIGHT && this.#isQuiet('endless'))
      this.#tell(endless(change, this.#last));
  }

  /** Returns the alarms since the last call. */
  takeAlarms(): readonly Alarm[] {
    const alarms = this.#alarms;
    this.#alarms = [];
    return alarms;
  }

  #topic(id: TopicId): TopicWatch {
    let topic = this.#topics.get(id);
    if (topic === undefined) {
      topic = { last: [], pages: 0, relevant: 0, barren: 0, toldBarren: 0 };
      this.#topics.set(id, topic);
    }
    return topic;
  }

  #look(id: TopicId, topic: TopicWatch): void {
    if (this.#isQuiet('stagnation') && isStagnant(topic, this.#stagnationPages)) {
      topic.toldBarren = topic.barren;
      this.#tell(stagnation(id, topic));
    }
    // A census reads the whole window, and what it detects takes many pages. Counted per topic: if two topics
    // alternate, every tenth page overall always belongs to the same one.
    if (topic.pages % CENSUS_EVERY === 0 && topic.last.length === WINDOW) {
      if (this.#isQuiet('harvest-collapse') && hasCollapsed(topic)) this.#tell(collapse(id, topic));
      const place = this.#isQuiet('drift') ? driftPlace(topic.last) : undefined;
      if (place !== undefined) this.#tell(drift(id, topic, place));
    }
    const isHostDue = this.#pages % CENSUS_EVERY === 0 && this.#isQuiet('trap');
    const host = isHostDue ? this.#trap() : undefined;
    if (host !== undefined) this.#tell(trap(host, this.#last));
  }

  #isQuiet(code: AlarmCode): boolean {
    const toldAt = this.#toldAt.get(code);
    return toldAt === undefined || this.#pages - toldAt >= QUIET_PAGES;
  }

  #tell(alarm: Omit<Alarm, 'data'> & { readonly data: Omit<AlarmData, 'fetched'> }): void {
    this.#toldAt.set(alarm.code, this.#pages);
    this.#alarms.push({ ...alarm, data: { ...alarm.data, fetched: this.#pages } });
  }

  /** Returns the host of most of the last pages, unless the relevant pages are from there too. */
  #trap(): AlarmPlace | undefined {
    if (this.#last.length < WINDOW) return undefined;
    const [host] = censusOf(this.#last, (page) => page.host);
    if (host === undefined || host.pages < TRAP_SHARE * WINDOW) return undefined;
    const share = this.#relevantHosts.filter((name) => name === host.place).length / this.#relevantHosts.length;
    return host.relevant <= TRAP_RATE * host.pages && !(share > TRAP_SHARE / 2) ? host : undefined;
  }

  exchange(fields: Fields): void {
    fields.map(this.#topics);
    fields.list(this.#last);
    fields.list(this.#relevantHosts);
    fields.map(this.#toldAt);
    this.#barren.exchange(fields);
    this.#pages = fields.value(this.#pages);
  }
}

/** Repeats the stagnation alarm only when the barren streak has doubled. */
function isStagnant({ barren, toldBarren }: TopicWatch, limit: number): boolean {
  return limit > 0 && barren >= Math.max(limit, 2 * toldBarren);
}

function hasCollapsed(topic: TopicWatch): boolean {
  const before = earlierRate(topic);
  return before >= COLLAPSE_FLOOR && rateOf(topic.last) < COLLAPSE_SHARE * before;
}

/** Returns the topic's harvest rate before its last pages; NaN if it has too few pages. */
function earlierRate({ last, pages, relevant }: TopicWatch): number {
  const before = pages - last.length;
  return before < WINDOW ? Number.NaN : (relevant - relevantIn(last)) / before;
}

/** Returns the unwanted topic that most of the pages belong to. ROOT is excluded: its OTHERS can be anything. */
function driftPlace(last: readonly WatchedPage[]): AlarmPlace | undefined {
  const strange = last.filter(({ place, isPlaceGood }) => place !== undefined && place !== ROOT && !isPlaceGood);
  const [first] = censusOf(strange, (page) => page.place ?? ROOT);
  return first !== undefined && first.pages >= DRIFT_SHARE * last.length ? first : undefined;
}

type Told = Omit<Alarm, 'data'> & { readonly data: Omit<AlarmData, 'fetched'> };

function collapse(id: TopicId, topic: TopicWatch): Told {
  const { last } = topic;
  const now = percent(rateOf(last));
  const before = percent(earlierRate(topic));
  return {
    code: 'harvest-collapse',
    message: `The harvest rate of "${id}" fell from ${before} to ${now}. ${instead(last)}`,
    remedy:
      'Look at the pages fetched instead. Mark wanted ones good; lock the hosts of the others, or name them as counter-examples.',
    data: figures(id, topic),
  };
}

function stagnation(id: TopicId, topic: TopicWatch): Told {
  const saturation = saturationOf(topic.last);
  const isSaturated = saturation >= SATURATED;
  const why = isSaturated
    ? `${percent(saturation)} of the links lead to known pages: few new pages can be reached.`
    : `${percent(saturation)} of the links lead to known pages: the new ones are off the topic.  ${instead(topic.last)}`;
  return {
    code: 'stagnation',
    message: `Nothing relevant for "${id}" among its last ${count(topic.barren)} pages. ${why}`,
    remedy: isSaturated
      ? 'Add seeds on other sites, or end the crawl.'
      : 'Add examples of what is missing, try another ordering, or end the crawl.',
    data: figures(id, topic),
  };
}

function drift(id: TopicId, topic: TopicWatch, { place, pages }: AlarmPlace): Told {
  return {
    code: 'drift',
    message: `${pages} of the last ${topic.last.length} pages fetched for "${id}" are on "${place}", which is not marked good.`,
    remedy: `If you want them, mark "${place}" good; if not, give "${id}" clearer examples.`,
    data: { ...figures(id, topic), place },
  };
}

function trap({ place, pages, relevant }: AlarmPlace, last: readonly WatchedPage[]): Told {
  return {
    code: 'trap',
    message: `${pages} of the last ${last.length} pages are from ${place}, ${relevant} of them relevant.`,
    remedy: `If its pages are useless, lock the host, or limit all sites with crawl.maxPagesPerSite.`,
    data: { place, rate: rateOf(last), saturation: saturationOf(last), ...census(last) },
  };
}

function endless({ name, pages, weight, sites }: SectionChange, last: readonly WatchedPage[]): Told {
  const others =
    ['no other site links to it', 'one other site links to it'][sites] ?? `${sites} other sites link to it`;
  return {
    code: 'endless',
    message: `${count(pages)} pages fetched from ${name}; ${others}. While better links wait, its other links have 1/${1 / weight} of their priority.`,
    remedy:
      'Look at some of its pages. If they are useless, lock the host, or limit all sites with crawl.maxPagesPerSite.',
    data: { place: name, rate: rateOf(last), saturation: saturationOf(last), ...census(last) },
  };
}

function figures(id: TopicId, topic: TopicWatch): Omit<AlarmData, 'fetched'> {
  const { last, barren } = topic;
  const before = earlierRate(topic);
  return {
    topic: id,
    rate: rateOf(last),
    ...(Number.isNaN(before) ? {} : { before }),
    barren,
    saturation: saturationOf(last),
    ...census(last),
  };
}

function census(pages: readonly WatchedPage[]): Pick<AlarmData, 'topics' | 'hosts'> {
  const placed = pages.filter(({ place }) => place !== undefined);
  return {
    topics: censusOf(placed, ({ place }) => nameOf(place ?? ROOT)).slice(0, PLACES_NAMED),
    hosts: censusOf(pages, ({ host }) => host).slice(0, PLACES_NAMED),
  };
}

/** Counts pages by place, most first; among equal counts the place met first. */
function censusOf(pages: readonly WatchedPage[], placeOf: (page: WatchedPage) => string): AlarmPlace[] {
  const places = new Map<string, { readonly place: string; pages: number; relevant: number }>();
  for (const page of pages) {
    const place = placeOf(page);
    const counted = places.get(place) ?? { place, pages: 0, relevant: 0 };
    counted.pages++;
    if (page.isRelevant) counted.relevant++;
    places.set(place, counted);
  }
  return [...places.values()].sort((a, b) => b.pages - a.pages);
}

/** Describes the irrelevant pages of the window in a sentence. */
function instead(pages: readonly WatchedPage[]): string {
  const strange = pages.filter(({ isRelevant, place }) => !isRelevant && place !== undefined);
  const [topic] = censusOf(strange, ({ place }) => nameOf(place ?? ROOT));
  const [host, next] = censusOf(strange, (page) => page.host);
  if (topic === undefined || host === undefined) return 'They are duplicates.';
  const most =
    host.pages > (next?.pages ?? 0) ? `; ${host.pages} from ${host.place}, more than from any other host` : '';
  return `Of the last ${pages.length} pages ${strange.length} belong elsewhere: ${topic.pages} on ${topic.place}${most}.`;
}

function nameOf(place: TopicId): string {
  return place === ROOT ? 'OTHERS' : place;
}

/** Returns the share of links to pages fetched or waiting already; 1 if there are no links. */
function saturationOf(pages: readonly WatchedPage[]): number {
  const links = pages.reduce((sum, page) => sum + page.links, 0);
  return links === 0 ? 1 : pages.reduce((sum, page) => sum + page.known, 0) / links;
}

function relevantIn(pages: readonly WatchedPage[]): number {
  return pages.filter(({ isRelevant }) => isRelevant).length;
}

function rateOf(pages: readonly WatchedPage[]): number {
  return relevantIn(pages) / pages.length;
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > WINDOW) list.shift();
}
