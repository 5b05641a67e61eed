import {
  type DocumentFeatures,
  EMPTY_COUNTS,
  type FeatureSpace,
  type TermCounts,
  type TopicId,
  unpackFeatures,
} from '../../core/index.ts';
import { isThere } from '../read/endings.ts';
import { topicCondition } from '../read/topic-condition.ts';
import { clean } from '../rows/record-rows.ts';
import { MAX_CHARS, type Row } from '../schema.ts';
import { numberOf, type Scratch, type ScratchTable } from './scratch.ts';
import { FixedTerms, KeptTerms, type TermNumbers } from './term-numbers.ts';

/** Naive Bayes at one inner node, as stored in the tables (Focus §2.1.3). */
export interface BayesNode {
  readonly node: TopicId;
  readonly space: FeatureSpace;
  /** F(c₀): the features used at this node. */
  readonly features: readonly string[];
  readonly classes: readonly BayesClass[];
}

/** One child of the node. */
export interface BayesClass {
  /** `undefined` for OTHERS of the node. */
  readonly topic: TopicId | undefined;
  /** log Pr[c|c₀] */
  readonly logPrior: number;
  /** log θ(c,t) of a feature that does not occur in the class. */
  readonly logDefault: number;
  /** log θ(c,t) of each feature. Has the length of `features`. */
  readonly logLikelihoods: Float64Array;
}

export interface BulkOptions {
  /** Classifies only pages stored under these topics and their subtopics. Absent, empty or with the root: all pages. */
  readonly topics?: readonly TopicId[];
  /** If true, the tables stay in the store, and the next classification reads only new pages. */
  readonly keep?: boolean;
  /** If there are more pages, only an even sample of about this many is classified. Default: all. */
  readonly sample?: number;
}

/** Class probabilities of one page at every node. */
export interface PagePosteriors {
  readonly page: number;
  readonly url: string;
  readonly title: string;
  /** Topic under which the page is stored. */
  readonly topic: TopicId;
  readonly others: boolean;
  /** Pr[c|c₀,d] of each class (Focus eq. 2), one array per node; each sums to 1. */
  readonly posteriors: readonly Float64Array[];
}

/** Number of pages whose documents or results are in memory at a time. */
const CHUNK = 250;
/** Children scored per statement. Each is a column, and databases allow about a thousand. */
const CHILDREN_AT_ONCE = 500;

const CHOSEN: ScratchTable = { columns: { page: 'id' }, key: ['page'] };
const TABLES = {
  term: { columns: { id: 'id', space: 'word', term: 'name' }, key: ['id'], indexes: [['space', 'term']] },
  document_term: { columns: { page: 'id', term: 'id', count: 'int' }, key: ['page', 'term'] },
  document_space: { columns: { page: 'id', space: 'word' }, key: ['page', 'space'] },
  bayes_prior: {
    columns: {
      ...({ node: 'int', child: 'int', parent: 'name', topic: 'name', others: 'int' } as const),
      ...({ log_prior: 'real', log_default: 'real' } as const),
    },
    key: ['node', 'child'],
  },
  bayes_term: {
    columns: { node: 'int', term: 'id', child: 'int', log_likelihood: 'real' },
    key: ['node', 'term', 'child'],
  },
  bayes_score: {
    columns: { node: 'int', page: 'id', child: 'int', probability: 'real' },
    key: ['node', 'page', 'child'],
  },
} as const satisfies Readonly<Record<string, ScratchTable>>;

/** Tables that bulk classification can leave in the store, with their columns. */
export const KEPT_TABLES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(TABLES).map(([name, { columns }]) => [name, Object.keys(columns)]),
);

/** Drops the tables that an earlier classification left in the store. */
export async function dropKept(scratch: Scratch): Promise<void> {
  for (const name of Object.keys(TABLES)) await scratch.drop(name);
}

/**
 * Naive Bayes over all stored pages at once (Focus Fig. 3). Call in this order: {@link choose}, {@link fill}, {@link
 * saveModel}, then {@link probe} for each node; {@link answers} reads the result. Training pages, replaced pages and
 * pages that no longer exist are left out.
 */
export class BulkBayes {
  readonly #scratch: Scratch;
  readonly #nodes: readonly BayesNode[];
  readonly #topics: readonly TopicId[] | undefined;
  readonly #keep: boolean;
  readonly #sample: number;
  #terms: TermNumbers | undefined;

  constructor(
    scratch: Scratch,
    nodes: readonly BayesNode[],
    { topics, keep = false, sample = Number.POSITIVE_INFINITY }: BulkOptions = {},
  ) {
    this.#scratch = scratch;
    this.#nodes = nodes;
    this.#topics = topics;
    this.#keep = keep;
    this.#sample = sample;
  }

  /** Fixes the set of pages to classify; pages stored later are ignored. @returns their number, and that of all pages */
  async choose(): Promise<{ readonly pages: number; readonly of: number }> {
    const among = topicCondition(this.#topics);
    const there = await isThere(this.#scratch.db, 'page');
    const parameters = among?.parameters ?? [];
    const wanted = `from page where ${CRAWLED} and ${there} ${among === undefined ? '' : `and (${among.sql})`}`;
    await this.#scratch.make('chosen', CHOSEN);
    const of = await numberOf(this.#scratch, `select count(*) ${wanted}`, parameters);
    const isAll = of <= this.#sample;
    const share = isAll ? [] : [Math.ceil((SHARES * this.#sample) / of)];
    await this.#scratch.run(`insert into chosen select sequence ${wanted} ${isAll ? '' : `and ${SHARE} < ?`}`, [
      ...parameters,
      ...share,
    ]);
    return { pages: isAll ? of : await numberOf(this.#scratch, 'select count(*) from chosen'), of };
  }

  /**
   * Adds a row to `document_term` for each term of the chosen pages. A temporary table holds only the terms of the
   * model; a kept table holds all terms, for later models.
   * @param onRead receives the number of pages read and the total
   * @returns pages that were read
   */
  async fill(onRead: (pages: number, of: number) => void = () => {}): Promise<number> {
    for (const name of ['document_term', 'document_space'] as const) await this.#make(name);
    if (this.#keep) await this.#openKept();
    const terms = this.#termNumbers();
    let read = 0;
    for (const space of new Set(this.#nodes.map((node) => node.space))) {
      const pages = await this.#unfilled(space);
      for (let at = 0; at < pages.length; at += CHUNK) {
        await this.#fillPages(pages.slice(at, at + CHUNK), space, terms);
        onRead(Math.min(at + CHUNK, pages.length), pages.length);
      }
      read += pages.length;
    }
    return read;
  }

  /** Writes the model into `bayes_prior` and `bayes_term`, replacing the previous one. */
  async saveModel(): Promise<void> {
    for (const name of ['bayes_prior', 'bayes_term', 'bayes_score'] as const) await this.#make(name);
    await this.#scratch.transaction(async () => {
      if (this.#keep)
        for (const name of ['bayes_prior', 'bayes_term', 'bayes_score']) await this.#scratch.run(`delete from ${name}`);
      for (const [n, node] of this.#nodes.entries()) {
        await this.#scratch.insert('bayes_prior', priorRows(node, n));
        const numbers = await this.#termNumbers().of(node.space, node.features);
        await this.#scratch.insert('bayes_term', termRows(node, n, numbers));
      }
    });
  }

  /** Scores every chosen page at one node, in one statement. @param n index of the node */
  async probe(n: number): Promise<void> {
    const { classes } = this.#nodes[n]!;
    const parameters = [...classes.map((c) => c.logDefault), n, n];
    await this.#scratch.run(probeStatement(n, classes.length), parameters);
  }

  /** Yields the class probabilities of each chosen page at every node, in order of fetching. */
  async *answers(): AsyncGenerator<PagePosteriors> {
    for (let last = 0; ; ) {
      const pages = await this.#scratch.all(
        `select p.sequence, p.url, p.title, p.topic, p.others from chosen c join page p on p.sequence = c.page
        where c.page > ? order by c.page limit ${CHUNK}`,
        [last],
      );
      if (pages.length === 0) return;
      const first = Number(pages[0]![0]);
      last = Number(pages.at(-1)![0]);
      const scores = await this.#posteriors(first, last);
      for (const [page, url, title, topic, others] of pages as readonly PageRow[])
        yield { page, url, title, topic, others: others === 1, posteriors: scores.get(page)! };
    }
  }

  async #posteriors(first: number, last: number): Promise<ReadonlyMap<number, Float64Array[]>> {
    const found = new Map<number, Float64Array[]>();
    const rows = await this.#scratch.all(
      'select page, node, child, probability from bayes_score where node < ? and page >= ? and page <= ?',
      [this.#nodes.length, first, last],
    );
    for (const [page, node, child, probability] of rows as readonly [number, number, number, number][]) {
      if (!found.has(page))
        found.set(
          page,
          this.#nodes.map(({ classes }) => new Float64Array(classes.length)),
        );
      found.get(page)![node]![child - 1] = probability;
    }
    return found;
  }

  async #make(name: keyof typeof TABLES): Promise<void> {
    await this.#scratch.make(name, { ...TABLES[name], kept: this.#keep });
  }

  async #openKept(): Promise<void> {
    await this.#make('term');
    for (const name of ['document_term', 'document_space'])
      await this.#scratch.run(
        `delete from ${name} where page in (select sequence from page where replaced_by is not null)`,
      );
  }

  #termNumbers(): TermNumbers {
    this.#terms ??= this.#keep ? new KeptTerms(this.#scratch) : new FixedTerms(this.#nodes);
    return this.#terms;
  }

  async #unfilled(space: FeatureSpace): Promise<number[]> {
    const pages = this.#keep ? `select sequence as page from page where ${CRAWLED}` : 'select page from chosen';
    const rows = await this.#scratch.all(
      `select wanted.page from (${pages}) wanted
      left join document_space done on done.page = wanted.page and done.space = ?
      where done.page is null order by wanted.page`,
      [space],
    );
    return rows.map(([page]) => Number(page));
  }

  async #featuresOf(pages: readonly number[]): Promise<ReadonlyMap<number, DocumentFeatures>> {
    const rows = await this.#scratch.db.selectFrom('page_content').selectAll().where('page', 'in', pages).execute();
    return new Map(rows.map(({ page, content }) => [page, unpackFeatures(content)]));
  }

  async #fillPages(pages: readonly number[], space: FeatureSpace, numbers: TermNumbers): Promise<void> {
    const features = await this.#featuresOf(pages);
    const bags = pages.map((page) => features.get(page)?.[space] ?? EMPTY_COUNTS);
    await this.#scratch.transaction(async () => {
      const known = await numbers.of(space, termsOf(bags));
      const rows = pages.flatMap((page, i) => documentRows(page, bags[i]!, known));
      await this.#scratch.insert('document_term', rows);
      await this.#scratch.insert(
        'document_space',
        pages.map((page) => [page, clean(space, MAX_CHARS.word)]),
      );
    });
  }
}

/** Pages are spread evenly over so many shares by {@link SHARE}: Knuth's multiplicative hash. */
const SHARES = 2 ** 32;
const SHARE = `(sequence * 2654435761) % ${SHARES}`;

type PageRow = readonly [page: number, url: string, title: string, topic: TopicId, others: number];

const CRAWLED = `role = 'crawled' and replaced_by is null`;

/**
 * Focus Fig. 3 with priors and normalisation. `weight` is STAT of the node: a row per term of F(c₀) and a column per
 * child, holding log θ or its default. `likelihood` is log Pr[d|c] of every page. The paper groups by page and child
 * and adds the defaults by page length. One column per child avoids sorting those groups, which takes three times as
 * long in SQLite.
 */
function probeStatement(n: number, children: number): string {
  if (children > CHILDREN_AT_ONCE)
    throw new RangeError(`Expected at most ${CHILDREN_AT_ONCE} children, got ${children}`);
  const numbers = Array.from({ length: children }, (_, i) => i + 1);
  const weights = numbers.map((c) => `coalesce(max(case child when ${c} then log_likelihood end), ?) as c${c}`);
  const sums = numbers.map((c) => `sum(d.count * w.c${c}) as c${c}`);
  const ofChild = numbers.map((c) => `when ${c} then l.c${c}`).join(' ');
  return `insert into bayes_score (node, page, child, probability)
    with weight as (select term, ${weights} from bayes_term where node = ? group by term),
    likelihood as (
      select t.page as page, ${sums} from chosen t
      left join document_term d on d.page = t.page
      left join weight w on w.term = d.term
      group by t.page),
    joint as (
      select l.page as page, p.child as child, p.log_prior + coalesce(case p.child ${ofChild} end, 0e0) as log_joint
      from likelihood l cross join bayes_prior p where p.node = ?),
    share as (
      select page, child, exp(log_joint - max(log_joint) over (partition by page)) as part from joint)
    select ${n}, page, child, part / sum(part) over (partition by page) from share`;
}

function priorRows({ node, classes }: BayesNode, n: number): Row[] {
  return classes.map(({ topic, logPrior, logDefault }, c) => {
    const child = clean(topic ?? node, MAX_CHARS.name);
    return [n, c + 1, clean(node, MAX_CHARS.name), child, topic === undefined ? 1 : 0, logPrior, logDefault];
  });
}

/** Rows for values that differ from the default, and at least one row per term: a term without rows is not in F(c₀). */
function termRows({ features, classes }: BayesNode, n: number, numbers: ReadonlyMap<string, number>): Row[] {
  const rows = new Map<number, Row[]>();
  features.forEach((feature, f) => {
    const term = numbers.get(feature)!;
    const told = classes.flatMap(({ logLikelihoods, logDefault }, c): Row[] =>
      logLikelihoods[f] === logDefault ? [] : [[n, term, c + 1, logLikelihoods[f]!]],
    );
    if (!rows.has(term)) rows.set(term, told.length > 0 ? told : [[n, term, 1, classes[0]!.logDefault]]);
  });
  return [...rows.values()].flat();
}

function* termsOf(bags: readonly TermCounts[]): Generator<string> {
  for (const bag of bags) if (bag.counts.length > 0) yield* bag.features.split('\n');
}

/** Greatest term count per document, plus one. */
const COUNTS = 65_536;

/** Rows sorted by key, the fastest order to insert. Number and count are sorted as one number. */
function documentRows(page: number, { features, counts }: TermCounts, numbers: ReadonlyMap<string, number>): Row[] {
  const terms = features.split('\n');
  const codes = new Float64Array(counts.length);
  let known = 0;
  for (const [i, count] of counts.entries()) {
    const number = numbers.get(terms[i]!);
    if (number !== undefined) codes[known++] = number * COUNTS + count;
  }
  const rows: [number, number, number][] = [];
  for (const code of codes.subarray(0, known).sort()) {
    const term = Math.floor(code / COUNTS);
    const before = rows.at(-1);
    // Terms that are equal to the database share a number.
    if (before?.[1] === term) before[2] += code % COUNTS;
    else rows.push([page, term, code % COUNTS]);
  }
  return rows;
}
