import { createHash } from 'node:crypto';
import type { Config, JournalRecord, OrderingName, TopicPaths, TopicTree } from '../../core/index.ts';
import type { Journal } from '../ports.ts';

/** Increase this if older checkpoints would be misread, or if records are folded differently. */
const FORMAT = 7;

/** Settings that do not affect the fold. */
const UNUSED = new Set([
  ...['crawl.budget', 'crawl.learn', 'crawl.timeMs', 'analyze.threads'],
  ...['network.concurrency', 'network.perAddress', 'network.contact'],
]);

/** What the fold depends on, apart from the journal. */
export interface Basis {
  readonly tree: TopicTree;
  readonly topics?: TopicPaths | undefined;
  readonly config: Config;
  /** Digest of the local documents, see `documentsDigest`. */
  readonly documents: string | undefined;
}

/** Returns the digest of what the fold depends on. A checkpoint with another digest cannot be used. */
export function basisDigest({ tree, topics = new Map(), config, documents }: Basis, ordering: OrderingName): string {
  const { store: _, search: __, ...sections } = { ...config, crawl: { ...config.crawl, ordering } };
  const settings = Object.entries(sections).flatMap(([section, values]) =>
    Object.entries(values)
      .map(([name, value]) => [`${section}.${name}`, value] as const)
      .filter(([name]) => !UNUSED.has(name)),
  );
  const renamed = [...topics].filter(([id, topic]) => id !== topic);
  const nodes = [...tree.nodes].map(([id, { shown: _, ...node }]) => [id, node]);
  return digest([FORMAT, nodes, renamed, settings, documents ?? '']);
}

/**
 * Returns the digest of one stored record, '' if it is missing. Another journal has a different record at that
 * sequence.
 */
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
