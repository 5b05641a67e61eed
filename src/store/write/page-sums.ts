import { relevanceBin } from '../../core/index.ts';
import type { Sink } from '../ports.ts';
import { COLUMNS, type Row, type Value } from '../schema.ts';
import { LINKS, SUM_BLOCK } from '../sum-block.ts';

/** Columns of `page` that the sums depend on. */
const FACTS = [
  ...['sequence', 'role', 'via', 'topic', 'others', 'confidence', 'relevance', 'depth', 'host', 'site', 'fetched_at'],
] as const;
const PLACES = FACTS.map((name) => COLUMNS.page.indexOf(name));
const MS_PER_MINUTE_TEXT = 16;

/** What is added to a row of sums. */
interface Change {
  readonly key: Row;
  readonly sums: number[];
}

/** Key columns and sums of each table. */
const TABLES = {
  page_sum: {
    key: ['block', 'role', 'via', 'topic', 'others', 'bin', 'live'],
    sums: ['pages', 'judged', 'confidence', 'rated', 'relevance', 'depth'],
  },
  host_sum: { key: ['host', 'site'], sums: ['pages', 'sitemaps', 'relevant', 'rated', 'relevance'] },
  minute_sum: { key: ['minute'], sums: ['pages', 'relevant', 'rated', 'relevance'] },
} as const;
type SumTable = keyof typeof TABLES;

/**
 * Changes of the sums over pages, collected for one transaction. The sums answer what people look at without reading
 * the pages: `status`, the census, sites, the harvest by minute, the first screen of the dashboard.
 */
export class SumChanges {
  readonly #changes: Readonly<Record<SumTable, Map<string, Change>>> = {
    page_sum: new Map(),
    host_sum: new Map(),
    minute_sum: new Map(),
  };

  #links = 0;

  /**
   * Adds new rows of `page`, in the order of its columns.
   * @param links number of their links
   */
  addRows(rows: readonly Row[], links = 0): void {
    this.#links += links;
    for (const row of rows)
      this.#count(
        PLACES.map((place) => row[place]!),
        1,
        true,
      );
  }

  /**
   * Subtracts stored pages as they are now. Call it before they change, and {@link addStored} afterwards.
   */
  async subtractStored(sink: Sink, sequences: readonly number[]): Promise<void> {
    for (const [row, isLive] of await stored(sink, sequences)) this.#count(row, -1, isLive);
  }

  async addStored(sink: Sink, sequences: readonly number[]): Promise<void> {
    for (const [row, isLive] of await stored(sink, sequences)) this.#count(row, 1, isLive);
  }

  async write(sink: Sink): Promise<void> {
    if (this.#links > 0) await sink.run('update meta set value = value + ? where name = ?', [this.#links, LINKS]);
    for (const table of Object.keys(TABLES) as SumTable[]) {
      const changes = [...this.#changes[table].values()].filter(({ sums }) => sums.some((sum) => sum !== 0));
      if (changes.length === 0) continue;
      const { key, sums } = TABLES[table];
      await sink.insertAbsent(
        table,
        changes.map((change) => [...change.key, ...sums.map(() => 0)]),
      );
      // A depth is no sum: the greatest one stays.
      const set = sums.map((name) =>
        name === 'depth' ? 'depth = case when depth < ? then ? else depth end' : `${name} = ${name} + ?`,
      );
      const statement = `update ${table} set ${set.join(', ')} where ${key.map((name) => `${name} = ?`).join(' and ')}`;
      for (const change of changes) {
        const values = change.sums.flatMap((sum, i) => (sums[i] === 'depth' ? [sum, sum] : [sum]));
        await sink.run(statement, [...values, ...change.key]);
      }
    }
  }

  #count(facts: Row, sign: 1 | -1, isLive: boolean): void {
    const [sequence, role, via, topic, others, confidence, relevance, depth, host, site, fetchedAt] = facts as [
      ...[number, string, string, string, number, number | null, number | null, number, string, string, number],
    ];
    const block = sequence - (sequence % SUM_BLOCK);
    const rated = relevance === null ? 0 : sign;
    const bin = relevance === null ? 0 : relevanceBin(relevance);
    const confidences = [confidence === null ? 0 : sign, sign * (confidence ?? 0)];
    const relevances = [rated, sign * (relevance ?? 0)];
    const group = [block, role, via, topic, others, bin, isLive ? 1 : 0];
    this.#add('page_sum', group, [sign, ...confidences, ...relevances], depth);
    if (role !== 'crawled' || !isLive) return;
    const relevant = others === 0 ? sign : 0;
    this.#add('host_sum', [host, site], [sign, via === 'sitemap' ? sign : 0, relevant, ...relevances]);
    this.#add('minute_sum', [minuteOf(fetchedAt)], [sign, relevant, ...relevances]);
  }

  #add(table: SumTable, key: Row, sums: readonly number[], depth?: number): void {
    const name = key.join('\n');
    let change = this.#changes[table].get(name);
    if (change === undefined) {
      change = { key, sums: TABLES[table].sums.map(() => 0) };
      this.#changes[table].set(name, change);
    }
    sums.forEach((sum, i) => {
      change.sums[i]! += sum;
    });
    if (depth !== undefined && sums[0]! > 0) change.sums[sums.length] = Math.max(change.sums[sums.length]!, depth);
  }
}

/** Returns the facts of stored pages, and whether a newer version replaced them. */
async function stored(sink: Sink, sequences: readonly number[]): Promise<(readonly [Row, boolean])[]> {
  if (sequences.length === 0) return [];
  const marks = sequences.map(() => '?').join(',');
  const rows = await sink.all(`select ${FACTS}, replaced_by from page where sequence in (${marks})`, sequences);
  return rows.map((row) => [row.slice(0, FACTS.length), row[FACTS.length] === null] as const);
}

/** Returns a minute as `minuteOf` of the dialects does. */
function minuteOf(at: Value): string {
  return new Date(Number(at)).toISOString().slice(0, MS_PER_MINUTE_TEXT).replace('T', ' ');
}
