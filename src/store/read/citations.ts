import { type Kysely, sql } from 'kysely';
import type { Row, Tables } from '../schema.ts';
import type { TemporaryTable } from '../temporary-table.ts';
import { readEndings } from './endings.ts';
import { linkLists, newestPage, pageByUrl } from './links.ts';
import { readPageTopics } from './listings.ts';
import { among } from './page-filter.ts';
import type { Ask } from './reading.ts';

type Db = Kysely<Tables>;

/** Pages per query. */
const PAGES = 20_000;
const ROWS = 1_000;

/** Links from accepted pages of a topic to an accepted page of another topic. */
interface Citations {
  readonly from: string;
  readonly cited: number;
  links: number;
  /** The pages with these links, each once, in order. */
  readonly citing: number[];
}

const ONE_LINK_AWAY = {
  columns: {
    ...({ topic: 'name', near_topic: 'name', direction: 'word', links: 'int' } as const),
    ...({ citing_pages: 'int', cited_pages: 'int' } as const),
  },
  key: [],
} as const;
const CITED_ACROSS_TOPICS = {
  columns: {
    ...({ topic: 'name', citing_topic: 'name', url: 'text', title: 'text' } as const),
    ...({ citations: 'int', citing_sites: 'int' } as const),
  },
  key: [],
} as const;

/**
 * Returns the contents of the views over links between topics that a query names. In SQL these views look up each link
 * of each accepted page; here the packed links are read in order.
 */
export async function citationTables(ask: Ask, query: string): Promise<readonly TemporaryTable[]> {
  const asks = (view: string): boolean => new RegExp(String.raw`\b${view}\b`, 'i').test(query);
  const [near, cited] = [asks('one_link_away'), asks('cited_across_topics')];
  if (!near && !cited) return [];
  const topicOf = await acceptedTopics(ask);
  const found = await readCitations(ask, topicOf);
  const tables: TemporaryTable[] = [];
  if (near)
    tables.push({ name: 'one_link_away', table: ONE_LINK_AWAY, rows: nearTopics(found, topicOf), isView: true });
  if (cited) {
    const rows = await citedPages(ask, found, topicOf);
    tables.push({ name: 'cited_across_topics', table: CITED_ACROSS_TOPICS, rows, isView: true });
  }
  return tables;
}

/** Topics of accepted pages by sequence. */
class AcceptedTopics {
  readonly #names: string[] = [];
  readonly #places: Uint16Array;

  constructor(newest: number) {
    this.#places = new Uint16Array(newest + 1);
  }

  set(page: number, topic: string): void {
    if (this.#names.at(-1) !== topic) this.#names.push(topic);
    this.#places[page] = this.#names.length;
  }

  delete(page: number): void {
    this.#places[page] = 0;
  }

  /** Returns a number for the topic of a page; 0 if the page is not accepted. */
  placeOf(page: number): number {
    return this.#places[page] ?? 0;
  }

  nameOf(page: number): string {
    return this.#names[this.placeOf(page) - 1] ?? '';
  }
}

async function acceptedTopics(ask: Ask): Promise<AcceptedTopics> {
  const topics = new AcceptedTopics(await ask(newestPage));
  for (const topic of await ask(readPageTopics))
    for (let last = 0; ; ) {
      const pages = await ask((db) => acceptedAfter(db, topic, last));
      for (const { sequence } of pages) topics.set(sequence, topic);
      if (pages.length < PAGES) break;
      last = pages.at(-1)!.sequence;
    }
  for (const page of (await ask(readEndings)).keys()) topics.delete(page);
  return topics;
}

/** The index on these columns alone answers. */
async function acceptedAfter(db: Db, topic: string, after: number) {
  return await db
    .selectFrom('page')
    .select('sequence')
    .where('topic', '=', topic)
    .where('others', '=', 0)
    .where('replaced_by', 'is', null)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(PAGES)
    .execute();
}

async function readCitations(ask: Ask, topics: AcceptedTopics): Promise<readonly Citations[]> {
  const pageOf = await pageByUrl(ask);
  const found = new Map<number, Citations>();
  for await (const { pages, targets } of linkLists(ask, (page) => topics.placeOf(page) > 0))
    for (let i = 0; i < pages.length; i++) {
      const citing = pages[i]!;
      const from = topics.placeOf(citing);
      const cited = pageOf[targets[i]!] ?? 0;
      const to = topics.placeOf(cited);
      if (to === 0 || to === from) continue;
      const key = cited * 0x10000 + from;
      const known = found.get(key);
      if (known === undefined) found.set(key, { from: topics.nameOf(citing), cited, links: 1, citing: [citing] });
      else {
        known.links++;
        if (known.citing.at(-1) !== citing) known.citing.push(citing);
      }
    }
  return [...found.values()];
}

function nearTopics(found: readonly Citations[], topics: AcceptedTopics): readonly Row[] {
  const pairs = Map.groupBy(found, ({ from, cited }) => `${from}\n${topics.nameOf(cited)}`);
  const rows = [...pairs].flatMap(([pair, list]): Row[] => {
    const [citing, cited] = pair.split('\n') as [string, string];
    const links = list.reduce((sum, one) => sum + one.links, 0);
    const pages = [new Set(list.flatMap((one) => one.citing)).size, list.length];
    return [
      [citing, cited, 'cites', links, ...pages],
      [cited, citing, 'is cited by', links, ...pages],
    ];
  });
  return rows.sort((a, b) => compare(a[0], b[0]) || Number(b[3]) - Number(a[3]));
}

async function citedPages(ask: Ask, found: readonly Citations[], topics: AcceptedTopics): Promise<readonly Row[]> {
  const sites = new Map<number, string>();
  for (const row of await columnsOf(ask, ['site'], new Set(found.flatMap(({ citing }) => citing))))
    sites.set(row.sequence, row.site);
  const pages = await columnsOf(ask, ['url', 'title'], new Set(found.map(({ cited }) => cited)));
  const pageOf = new Map(pages.map((page) => [page.sequence, page]));
  return found
    .flatMap(({ from, cited, links, citing }): Row[] => {
      const page = pageOf.get(cited);
      const citingSites = new Set(citing.map((each) => sites.get(each))).size;
      return page === undefined ? [] : [[topics.nameOf(cited), from, page.url, page.title, links, citingSites]];
    })
    .sort((a, b) => Number(b[5]) - Number(a[5]) || Number(b[4]) - Number(a[4]));
}

async function columnsOf<C extends 'site' | 'url' | 'title'>(ask: Ask, columns: readonly C[], pages: Iterable<number>) {
  const sequences = Float64Array.from(pages).sort();
  const rows: Pick<Tables['page'], C | 'sequence'>[] = [];
  for (let at = 0; at < sequences.length; at += ROWS) {
    const part = among([...sequences.subarray(at, at + ROWS)]);
    const names = sql.join(columns.map((name) => sql.ref(name)));
    const query = sql<Pick<Tables['page'], C | 'sequence'>>`select sequence, ${names} from page where ${part}`;
    rows.push(...(await ask((db) => query.execute(db))).rows);
  }
  return rows;
}

function compare(a: unknown, b: unknown): number {
  return String(a) < String(b) ? -1 : a === b ? 0 : 1;
}
