import { createHash } from 'node:crypto';
import type { Config, JournalRecord, OrderingName, TopicTree } from '../../core/index.ts';
import type { Journal } from '../ports.ts';

/** Goes up whenever a checkpoint of before would be read as something else, or records are folded in another way. */
const FORMAT = 1;

/** Settings that no record is folded by. */
const UNUSED = new Set(['crawl.budget', 'crawl.learn', 'crawl.timeMs', 'network.concurrency']);

/** What the fold depends on beside the journal. */
export interface Basis {
  readonly tree: TopicTree;
  readonly config: Config;
  /** Digest of the local documents, see `documentsDigest`. */
  readonly documents: string | undefined;
}

/** Digest of what the fold depends on: a checkpoint of anything else is of no use. */
export function basisDigest({ tree, config, documents }: Basis, ordering: OrderingName): string {
  const { store: _, ...sections } = { ...config, crawl: { ...config.crawl, ordering } };
  const settings = Object.entries(sections).flatMap(([section, values]) =>
    Object.entries(values)
      .map(([name, value]) => [`${section}.${name}`, value] as const)
      .filter(([name]) => !UNUSED.has(name)),
  );
  return digest([FORMAT, [...tree.nodes], settings, documents ?? '']);
}

/** Digest of one stored record: another journal has another one with that sequence. `''`: there is none. */
export async function recordDigest(journal: Pick<Journal, 'read'>, sequence: number): Promise<string> {
  for await (const [record] of journal.read({ after: sequence - 1, links: false }))
    if (record?.sequence === sequence) return digest(essence(record));
  return '';
}

function essence(record: JournalRecord): readonly unknown[] {
  const { kind, sequence } = record;
  if (record.kind === 'page' || record.kind === 'visit') return [kind, sequence, record.url, record.fetchedAt];
  return [kind, sequence, record.at];
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
