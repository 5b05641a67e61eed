import {
  type CrawlStatus,
  type Importance,
  type JournalRecord,
  type JudgingProgress,
  joinParcels,
  type PageRecord,
  type PageVersion,
  type Parcel,
  packDocument,
  type RoundRecord,
  type TopicTree,
  type VisitRecord,
} from '../../core/index.ts';
import type { Sink } from '../ports.ts';
import { writeEndings } from '../read/endings.ts';
import { writeJudgingProgress } from '../read/judging-progress.ts';
import { packParcel } from '../rows/parcel-codec.ts';
import {
  addRows,
  type BatchRows,
  clean,
  cleanUrl,
  type PackedPage,
  type PackedRecord,
  real,
  type UrlIds,
  urlsOf,
} from '../rows/record-rows.ts';
import { MAX_CHARS, type Row } from '../schema.ts';
import type { AuthorityScores, PageScore } from '../store.ts';
import { KnownStems } from '../term-index/known-stems.ts';
import { type IndexEntry, TermIndexWriter } from '../term-index/writer.ts';
import { FeatureBlocks, featureBlockRows } from './feature-blocks.ts';
import { SumChanges } from './page-sums.ts';
import { UrlNumbers } from './url-ids.ts';
import { type NewVerdict, writeVerdicts } from './verdicts.ts';

/**
 * Redirects whose target is not stored yet, and names added to a page at once. A redirect's target is usually fetched
 * next.
 */
const MAX_REDIRECTS = 10_000;
const MAX_NAMES = 50;

const NOTHING = Buffer.alloc(0);

/** Links for another shard. */
export type Leaving = readonly [target: number, parcel: Parcel];

/** Writes records into a {@link Sink}, one batch per transaction. Calls must not overlap. */
export class BatchWriter {
  readonly #sink: Sink;
  readonly #urls: UrlNumbers;
  readonly #index: TermIndexWriter;
  readonly #stems: KnownStems;
  readonly #features: FeatureBlocks;
  /** URL numbers: redirect target to all URLs that redirect to it, if the target is not known yet. */
  readonly #redirects = new Map<number, Set<number>>();
  /** Number of redirects in the map. */
  #awaited = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
    this.#urls = new UrlNumbers(sink);
    this.#index = new TermIndexWriter(sink);
    this.#stems = new KnownStems(sink);
    this.#features = new FeatureBlocks();
  }

  /**
   * Writes records in order of `sequence`, atomically. Writing them again after an unclear failure does nothing.
   * @param stems new stems of their pages, in pieces, see `stem_list`
   * @param leaving links of their pages for other shards, in order
   * @param followed which of them are records of other stores: rows of `followed`
   */
  async write(
    records: readonly JournalRecord[],
    stems: readonly Uint8Array[] = [],
    leaving: readonly Leaving[] = [],
    followed: readonly Row[] = [],
  ): Promise<void> {
    const last = records.at(-1);
    if (last === undefined) return;
    const packed = records.map(packedRecord);
    const blocks = this.#features.add(packed);
    let fresh: Uint8Array | undefined;
    await this.#transaction(async (attempt) => {
      // The connection may have been lost after the commit but before its confirmation.
      if (attempt > 1 && (await this.#isStored(last.sequence))) return;
      await this.#writeAll(packed);
      if (blocks.length > 0) await this.#sink.insertAbsent('feature_block', blocks);
      // Once for all attempts, because the result counts as known from then on.
      fresh ??= stems.length > 0 ? await this.#stems.fresh(stems) : NOTHING;
      if (fresh.length > 0) await this.#sink.insert('stem_list', [[records[0]!.sequence, fresh]]);
      if (leaving.length > 0) await this.#sink.insert('parcel', parcelRows(leaving, last.sequence));
      if (followed.length > 0) await this.#sink.insert('followed', followed);
    });
  }

  async saveTopics(tree: TopicTree): Promise<void> {
    const rows = [...tree.nodes.values()].map((node, place): Row => {
      const parent = node.parent === undefined ? null : clean(node.parent, MAX_CHARS.name);
      return [clean(node.id, MAX_CHARS.name), parent, clean(node.name, MAX_CHARS.name), node.good ? 1 : 0, place];
    });
    await this.#transaction(async () => {
      await this.#sink.run('delete from topic', []);
      await this.#sink.insert('topic', rows);
      for (const table of ['link_score', 'authority'])
        await this.#sink.run(`delete from ${table} where topic not in (select id from topic)`, []);
    });
  }

  async saveScores(topic: string, scores: readonly PageScore[], every?: AuthorityScores): Promise<void> {
    await this.#transaction(async () => {
      const ids = await this.#urls.of(new Set(scores.map(({ url }) => cleanUrl(url))));
      await this.#replaceScores(topic, scores, ids);
      if (every !== undefined) await this.#replaceAuthorities(topic, every);
    });
  }

  async saveImportance(pages: ReadonlyMap<number, Importance>): Promise<void> {
    await this.#transaction(async () => {
      await this.#sink.run('delete from importance', []);
      await this.#sink.insert(
        'importance',
        [...pages].map(([page, { ib, ir, il }]) => [page, ib, real(ir) ?? 0, il]),
      );
    });
  }

  async saveVerdicts(verdicts: readonly NewVerdict[], progress?: JudgingProgress): Promise<void> {
    await this.#transaction(async () => {
      await writeVerdicts(this.#sink, verdicts);
      if (progress !== undefined) await writeJudgingProgress(this.#sink, progress);
    });
  }

  async saveFeatureBlock(block: number, features: Uint8Array): Promise<void> {
    await this.#transaction(async () => {
      await this.#sink.run('delete from feature_block where block = ?', [block]);
      const rows = featureBlockRows(block, features);
      if (rows.length > 0) await this.#sink.insert('feature_block', rows);
    });
  }

  async publish(status: CrawlStatus): Promise<void> {
    await this.#transaction(async () => {
      await this.#sink.run('delete from live_status', []);
      await this.#sink.insert('live_status', [[1, Date.now(), JSON.stringify(status)]]);
    });
  }

  async forgetRequests(ids: readonly number[]): Promise<void> {
    await this.#transaction(async () => {
      await this.#sink.run(`delete from steer_request where id in (${ids.map(() => '?').join(',')})`, ids);
    });
  }

  /** Removes the parcels that a shard has received. */
  async dropParcels(target: number, upto: number): Promise<void> {
    await this.#transaction(async () => {
      await this.#sink.run('delete from parcel where target = ? and sequence <= ?', [target, upto]);
    });
  }

  async saveGrants(grants: ReadonlyMap<number, number>): Promise<void> {
    await this.#transaction(async () => {
      await this.#sink.run('delete from shard_grant', []);
      await this.#sink.insert('shard_grant', [...grants]);
    });
  }

  /** Removes the grants of an earlier spread crawl, and what was followed during it. */
  async endSpread(): Promise<void> {
    await this.#transaction(async () => {
      for (const table of ['shard_grant', 'followed']) await this.#sink.run(`delete from ${table}`, []);
    });
  }

  async close(): Promise<void> {
    await this.#sink.close();
  }

  /** Runs `work` in a transaction; retries as long as the sink calls the failure temporary. */
  async #transaction(work: (attempt: number) => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#sink.begin();
        await work(attempt);
        await this.#sink.commit();
        return;
      } catch (error) {
        await this.#sink.rollback();
        this.#urls.forget();
        this.#index.forget();
        if (!(await this.#sink.recover(error, attempt))) throw error;
      }
    }
  }

  async #isStored(sequence: number): Promise<boolean> {
    return (await this.#sink.all('select 1 from journal where sequence = ?', [sequence])).length > 0;
  }

  async #writeAll(records: readonly PackedRecord[]): Promise<void> {
    const ids = await this.#urls.of(urlsOf(records));
    const pages = records.filter((record) => record.kind === 'page');
    const replaced = await this.#replaced(pages, ids);
    const rows: BatchRows = new Map();
    for (const record of records) addRows(rows, record, ids);
    for (const [table, list] of rows) await this.#sink.insert(table, list);
    const sums = new SumChanges();
    sums.addRows(rows.get('page') ?? [], rows.get('link')?.length);
    await this.#aliasPages(pages, ids);
    await this.#aliasVisits(
      records.filter((record) => record.kind === 'visit'),
      ids,
    );
    for (const record of records) {
      if (record.kind === 'round') await this.#scoresOf(record, ids);
      if (record.kind === 'visit' && record.version !== undefined) await this.#renameVersion(record, record.version);
    }
    await writeEndings(this.#sink, records, { replaced, ids });
    await this.#index.add(pages.flatMap(indexEntry));
    await this.#retire(replaced, sums);
    await sums.write(this.#sink);
  }

  /** Returns pages replaced by a newer fetch of the same URL in this batch: old sequence to new one. */
  async #replaced(pages: readonly PageRecord[], ids: UrlIds): Promise<ReadonlyMap<number, number>> {
    const replaced = new Map<number, number>();
    if (pages.length === 0) return replaced;
    const urlIds = pages.map((page) => ids.get(cleanUrl(page.url))!);
    const marks = urlIds.map(() => '?').join(',');
    const query = `select url_id, page from alias where reason = 'page' and url_id in (${marks})`;
    const current = new Map((await this.#sink.all(query, urlIds)) as unknown as [number, number][]);
    pages.forEach((page, i) => {
      const before = current.get(urlIds[i]!);
      if (before !== undefined) replaced.set(before, page.sequence);
      current.set(urlIds[i]!, page.sequence);
    });
    return replaced;
  }

  async #retire(replaced: ReadonlyMap<number, number>, sums: SumChanges): Promise<void> {
    await sums.subtractStored(this.#sink, [...replaced.keys()]);
    for (const [old, newer] of replaced) {
      await this.#sink.run('update page set replaced_by = ? where sequence = ?', [newer, old]);
      // Other addresses of the page lead to the newer version.
      await this.#sink.run('update alias set page = ? where page = ?', [newer, old]);
    }
    await sums.addStored(this.#sink, [...replaced.keys()]);
  }

  async #renameVersion({ page }: VisitRecord, { etag, lastModified }: PageVersion): Promise<void> {
    const values = [clean(etag, MAX_CHARS.text), clean(lastModified, MAX_CHARS.name), page];
    await this.#sink.run('update page set etag = ?, last_modified = ? where sequence = ?', values);
  }

  /** A page's own URL always belongs to its newest fetch; other URLs stay with the first page that had them. */
  async #aliasPages(pages: readonly PageRecord[], ids: UrlIds): Promise<void> {
    if (pages.length === 0) return;
    const own = new Map(pages.map((page) => [ids.get(cleanUrl(page.url))!, page.sequence]));
    const marks = [...own].map(() => '?').join(',');
    await this.#sink.run(`delete from alias where url_id in (${marks})`, [...own.keys()]);
    await this.#sink.insert(
      'alias',
      [...own].map(([id, page]) => [id, page, 'page']),
    );
    const others: Row[] = [];
    for (const page of pages) {
      const names = new Set([page.finalUrl, ...page.redirects, page.url].map((url) => ids.get(cleanUrl(url))!));
      this.#addRedirected(names);
      names.delete(ids.get(cleanUrl(page.url))!);
      for (const id of names) others.push([id, page.sequence, 'redirect']);
    }
    if (others.length > 0) await this.#sink.insertAbsent('alias', others);
  }

  /** Duplicates of stored pages, and redirects to them, become further names of those pages. */
  async #aliasVisits(visits: readonly VisitRecord[], ids: UrlIds): Promise<void> {
    await this.#forgetCopies(visits, ids);
    const met = new Set<number>();
    for (const visit of visits) {
      const id = ids.get(cleanUrl(visit.url))!;
      // Results from earlier in this batch were not in the table yet.
      if (met.has(id)) await this.#forgetCopies([visit], ids);
      met.add(id);
      const page = visit.result === 'duplicate' ? visit.page : await this.#redirectedTo(visit, ids);
      if (page > 0) await this.#sink.insertAbsent('alias', this.#namesOf(id, page, visit));
      else if (visit.result === 'redirected' && visit.target !== '') this.#await(ids.get(cleanUrl(visit.target))!, id);
    }
  }

  /** A URL that gave a copy of a page and is fetched again keeps only its latest result. */
  async #forgetCopies(visits: readonly VisitRecord[], ids: UrlIds): Promise<void> {
    const asked = visits.filter(({ origin, retried }) => origin.via !== 'recheck' && !retried);
    if (asked.length === 0) return;
    const marks = asked.map(() => '?').join(',');
    const statement = `delete from alias where reason = 'duplicate' and url_id in (${marks})`;
    await this.#sink.run(
      statement,
      asked.map(({ url }) => ids.get(cleanUrl(url))!),
    );
  }

  /** Returns the visit's URL and the URLs that redirected to it. */
  #namesOf(id: number, page: number, visit: VisitRecord): Row[] {
    const names = new Set([id]);
    this.#addRedirected(names);
    const own = visit.result === 'duplicate' ? 'duplicate' : 'redirect';
    return [...names].map((name) => [name, page, name === id ? own : 'redirect']);
  }

  /** Remembers a redirect whose target may become a stored page. */
  #await(target: number, from: number): void {
    if (this.#awaited >= MAX_REDIRECTS) {
      this.#redirects.clear();
      this.#awaited = 0;
    }
    const known = this.#redirects.get(target) ?? new Set();
    const before = known.size;
    this.#redirects.set(target, known.add(from));
    this.#awaited += known.size - before;
  }

  /** Adds the URLs that redirected to one of these before the target was known. */
  #addRedirected(names: Set<number>): void {
    // The loop also visits names added to the set meanwhile.
    for (const name of names)
      for (const from of this.#redirects.get(name) ?? []) {
        if (names.size > MAX_NAMES) return;
        names.add(from);
      }
  }

  /** Returns the stored page to which this visit was redirected; 0 without one. */
  async #redirectedTo(visit: VisitRecord, ids: UrlIds): Promise<number> {
    if (visit.result !== 'redirected' || visit.target === '') return 0;
    const rows = await this.#sink.all('select page from alias where url_id = ?', [ids.get(cleanUrl(visit.target))!]);
    return Number(rows[0]?.[0] ?? 0);
  }

  async #scoresOf({ links, authorities = [] }: RoundRecord, ids: UrlIds): Promise<void> {
    for (const [topic, scores] of Map.groupBy(links, (link) => link.topic))
      await this.#replaceScores(topic, scores, ids);
    for (const { topic, ...scores } of authorities) await this.#replaceAuthorities(topic, scores);
  }

  async #replaceAuthorities(topic: string, { pages, scores }: AuthorityScores): Promise<void> {
    const id = clean(topic, MAX_CHARS.name);
    const scoreOf = new Map(pages.map((page, i) => [page, real(scores[i] ?? 0) ?? 0]));
    await this.#sink.run('delete from authority where topic = ?', [id]);
    await this.#sink.insert(
      'authority',
      [...scoreOf].map(([page, score]) => [page, id, score]),
    );
  }

  async #replaceScores(topic: string, scores: readonly PageScore[], ids: UrlIds): Promise<void> {
    const id = clean(topic, MAX_CHARS.name);
    const best = new Map<number, Row>();
    for (const { url, hub, authority } of scores) {
      const urlId = ids.get(cleanUrl(url))!;
      if (!best.has(urlId)) best.set(urlId, [id, urlId, real(hub) ?? 0, real(authority) ?? 0]);
    }
    await this.#sink.run('delete from link_score where topic = ?', [id]);
    if (best.size > 0) await this.#sink.insert('link_score', [...best.values()]);
  }
}

/** Returns one row per shard. */
function parcelRows(leaving: readonly Leaving[], sequence: number): readonly Row[] {
  const byTarget = Map.groupBy(leaving, ([target]) => target);
  return [...byTarget].map(([target, all]) => [
    target,
    sequence,
    packParcel(joinParcels(all.map(([, parcel]) => parcel))),
  ]);
}

function packedRecord(record: JournalRecord): PackedRecord {
  if (record.kind !== 'page') return record;
  return { ...record, packed: record.packed ?? packDocument(record.document) };
}

/** Includes counter-examples: they are not searched, unless the user puts them into a topic. */
function indexEntry({ sequence, packed: { stems, pairs } }: PackedPage): IndexEntry[] {
  return stems.length === 0 ? [] : [{ page: sequence, stems, pairs }];
}
