import { BingoError, type TopicId } from '../../core/index.ts';
import { placeName } from '../../engine/index.ts';
import { bayesVerdict, decodeModels, spellBayes, type TopicModels } from '../../meta/index.ts';
import { BulkBayes, dropKept, type PagePosteriors, type Scratch } from '../../store/index.ts';
import { storedModel } from '../explain/stored-model.ts';
import { type TableNames, tableNames } from '../reading/named-store.ts';
import { readingStore } from '../reading/reading.ts';
import { during } from '../watch.ts';
import { findTopic } from '../workspace/find-topic.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type SqlWatch, workInSql } from './work-in-sql.ts';

/** Which pages are judged by naive Bayes in SQL, and what is left behind. */
export interface ReclassifyOptions {
  /** Only pages stored under this topic, or one below it. */
  readonly topic?: string | undefined;
  /** Maximum number of changed pages listed. Default: 10. */
  readonly limit?: number | undefined;
  /** Leaves the tables in the store: terms of every page, the model, the answers. Default: false. */
  readonly keep?: boolean | undefined;
  /**
   * Judges an even sample of about this many pages if there are more; with `keep`, all pages are judged. Default:
   * 2,000.
   */
  readonly sample?: number | undefined;
}

/** What naive Bayes makes of the stored pages. Places are topics, or `T/OTHERS` for rejected pages. */
export interface Reclassification {
  readonly model: number;
  /** Judged pages. */
  readonly pages: number;
  /** All pages; more than `pages` if only a sample was judged. */
  readonly of: number;
  readonly changed: number;
  /** Most pages first. */
  readonly moves: readonly { readonly from: string; readonly to: string; readonly pages: number }[];
  /** Highest probability first. */
  readonly examples: readonly {
    readonly url: string;
    readonly title: string;
    readonly from: string;
    readonly to: string;
    readonly probability: number;
  }[];
  readonly seconds: { readonly terms: number; readonly statements: number };
}

const LIMIT = 10;
/** Pages that take a few seconds, whatever the size of the store. */
const SAMPLE = 2_000;

/**
 * Judges stored pages by the naive Bayes of the last model, in SQL; verdicts are not changed.
 * @throws UsageError if the topic is unknown
 * @throws BingoError `NO_MODEL` before the first training round
 */
export async function reclassify(
  workspace: Workspace,
  watch: SqlWatch,
  { topic, limit = LIMIT, keep = false, sample = SAMPLE }: ReclassifyOptions = {},
): Promise<Reclassification> {
  const wanted = topic === undefined ? [] : [findTopic(workspace.tree, topic)];
  const { models, names } = await lastModel(workspace);
  const asked = { models, names, keep, limit, wanted, watch, sample };
  return await workInSql({ ...workspace, watch, isWriting: keep }, (scratch) => judgedIn(scratch, asked));
}

/** Removes the tables that {@link reclassify} left in the store. */
export async function dropReclassified(workspace: Workspace, watch: SqlWatch): Promise<void> {
  await workInSql({ ...workspace, watch, isWriting: true }, dropKept);
}

interface LastModel {
  readonly models: TopicModels;
  /** Topic names of the workspace and of the tables. */
  readonly names: TableNames;
}

async function lastModel(workspace: Workspace): Promise<LastModel> {
  return await readingStore(workspace, async (store) => {
    const blob = await storedModel(store, undefined);
    if (blob === undefined)
      throw new BingoError({
        code: 'NO_MODEL',
        message: 'No model yet.',
        hint: 'Crawl first: the examples are fetched and learned from.',
      });
    return { models: decodeModels(blob), names: await tableNames(store, workspace) };
  });
}

interface Asked extends LastModel {
  readonly keep: boolean;
  readonly limit: number;
  readonly sample: number;
  readonly wanted: readonly TopicId[];
  readonly watch: SqlWatch;
}

async function judgedIn(scratch: Scratch, asked: Asked): Promise<Reclassification> {
  const { models, names, keep, limit, wanted, watch, sample } = asked;
  const nodes = spellBayes(models);
  const { named, below } = names;
  const { topics = [] } = wanted.length === 0 ? {} : below(wanted);
  const bulk = new BulkBayes(scratch, nodes, { keep, topics, ...(!keep && { sample }) });
  const began = performance.now();
  const { pages, of } = await bulk.choose();
  await bulk.fill((read, of) => watch.onEvent?.({ kind: 'terms', read, of }));
  await bulk.saveModel();
  const filled = performance.now();
  for (const n of nodes.keys()) {
    watch.onEvent?.({ kind: 'statement', number: n + 1, of: nodes.length, pages });
    await during(watch, 'statement', () => bulk.probe(n));
  }
  const probed = performance.now();
  const changes = new Changes(limit);
  for await (const page of bulk.answers()) {
    changes.add(named(page), named(bayesVerdict(models, nodes, page.posteriors)));
    watch.onEvent?.({ kind: 'compared', pages: changes.pages, of: pages });
  }
  const seconds = { terms: (filled - began) / 1000, statements: (probed - filled) / 1000 };
  return { model: models.model, of, ...changes.sums(), seconds };
}

type Moved = Reclassification['examples'][number];

/** Counts the pages that change their topic, and keeps those with the highest confidence. */
class Changes {
  readonly #limit: number;
  readonly #moves = new Map<string, { readonly from: string; readonly to: string; readonly pages: number }>();
  #surest: Moved[] = [];
  #pages = 0;
  #changed = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Pages checked so far. */
  get pages(): number {
    return this.#pages;
  }

  add(page: PagePosteriors, verdict: { topic: TopicId; others: boolean; probability: number }): void {
    const { url, title } = page;
    const [from, to] = [placeName(page), placeName(verdict)];
    this.#pages++;
    if (from === to) return;
    this.#changed++;
    const key = `${from}\n${to}`;
    const move = this.#moves.get(key) ?? { from, to, pages: 0 };
    this.#moves.set(key, { ...move, pages: move.pages + 1 });
    this.#surest.push({ url, title, from, to, probability: verdict.probability });
    if (this.#surest.length >= 2 * this.#limit + 1000) this.#surest = this.#best();
  }

  sums(): Pick<Reclassification, 'pages' | 'changed' | 'moves' | 'examples'> {
    const moves = [...this.#moves.values()].sort((a, b) => b.pages - a.pages || (a.from < b.from ? -1 : 1));
    return { pages: this.#pages, changed: this.#changed, moves, examples: this.#best() };
  }

  #best(): Moved[] {
    return this.#surest.toSorted((a, b) => b.probability - a.probability).slice(0, this.#limit);
  }
}
