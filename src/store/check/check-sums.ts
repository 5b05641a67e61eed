import { type Kysely, sql } from 'kysely';
import { hasSums, SUM_TABLES, sumQueries } from '../read/page-sums.ts';
import { COLUMNS, type Tables } from '../schema.ts';
import { LINKS } from '../sum-block.ts';

type Db = Kysely<Tables>;

/** Columns of the sums; the others are the key. A greatest depth stays if its page is replaced, so it may be too large. */
const SUMS = new Set(['pages', 'sitemaps', 'relevant', 'judged', 'confidence', 'rated', 'relevance', 'depth']);
/** Sums of real numbers depend on their order. */
const TOLERANCE = 1e-6;
const MS_PER_MINUTE = 60_000;

/** Returns a message for each kind of sum that does not match the pages and links it was made of. */
export async function checkSums(db: Db): Promise<readonly string[]> {
  if (!(await hasSums(db))) return [];
  const messages: string[] = [];
  const queries = sumQueries(`floor(fetched_at / ${MS_PER_MINUTE})`);
  for (const table of SUM_TABLES) {
    const columns = COLUMNS[table];
    const names = sql.join(columns.map((name) => sql.ref(name)));
    const stored = await sql<object>`select ${names} from ${sql.table(table)}`.execute(db);
    const computed = await queries[table].execute(db);
    const wrong = differences(
      sumsByKey(columns, stored.rows as readonly object[]),
      sumsByKey(columns, computed.rows as readonly object[]),
      columns.filter((name) => SUMS.has(name)).indexOf('depth'),
    );
    if (wrong.length > 0)
      messages.push(`${wrong.length} sums of the table ${table} do not match the pages, such as that of ${wrong[0]}.`);
  }
  const links = await db.selectFrom('meta').select('value').where('name', '=', LINKS).executeTakeFirst();
  const counted = await sql<{ readonly n: number }>`select count(*) as n from link`.execute(db);
  if (Number(links?.value) !== Number(counted.rows[0]?.n))
    messages.push(`The number of links is not that of the table link (row ${LINKS} of meta).`);
  return messages;
}

type Sums = ReadonlyMap<string, readonly number[]>;

/** Values are in the order of the columns, whatever the query calls them. */
function sumsByKey(columns: readonly string[], rows: readonly object[]): Sums {
  return new Map(
    rows.map((row) => {
      const values = Object.values(row).map((value, i) => [columns[i] ?? '', value] as const);
      const key = values.filter(([name]) => !SUMS.has(name)).map(([name, value]) => keyOf(name, value));
      return [key.join(' '), values.filter(([name]) => SUMS.has(name)).map(([, value]) => Number(value))];
    }),
  );
}

function keyOf(name: string, value: unknown): string {
  if (name !== 'minute' || !Number.isFinite(Number(value))) return String(value);
  return new Date(Number(value) * MS_PER_MINUTE).toISOString().slice(0, 16).replace('T', ' ');
}

/**
 * Returns the keys whose sums differ. A group without pages may have a row or not.
 * @param depthAt place of the greatest depth among the sums; -1 without one
 */
function differences(stored: Sums, computed: Sums, depthAt: number): readonly string[] {
  const keys = new Set([...stored.keys(), ...computed.keys()]);
  return [...keys].filter((key) => {
    const [own = [], right = []] = [stored.get(key), computed.get(key)];
    return (own.length === 0 ? right : own).some((_, i) => {
      const [value, wanted] = [own[i] ?? 0, right[i] ?? 0];
      return i === depthAt ? value < wanted : Math.abs(value - wanted) > TOLERANCE * Math.max(1, Math.abs(wanted));
    });
  });
}
