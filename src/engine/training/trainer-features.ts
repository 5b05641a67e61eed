import { createHash } from 'node:crypto';
import { analyzeText } from '../../analyze/index.ts';
import {
  type AnalyzedDocument,
  baseSpaces,
  type Config,
  type DocumentFeatures,
  EMPTY_COUNTS,
  linkedUrls,
  type PageVote,
  type TopicId,
} from '../../core/index.ts';
import type { Turns } from '../../kit/index.ts';
import { type Surroundings, surroundedFeatures } from '../analysis/link-context.ts';
import { pageSpaces } from '../analysis/page-analyzer.ts';
import type { Journal, Trainer } from '../ports.ts';
import { withOwnSpaces } from './rebuild-features.ts';
import { type Item, trimmed } from './training-items.ts';
import { namedVotes } from './votes.ts';

/** A training document that is not a web page: a local file or a query. */
export interface InlineExample {
  /** The file's path, or the query. */
  readonly key: string;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly document: AnalyzedDocument;
}

/** Returns a query as a document whose title and text are the wanted words. */
export function queryExample(
  { key, topic, words }: Pick<InlineExample, 'key' | 'topic'> & { readonly words: string },
  config: Pick<Config, 'analyze' | 'learn'>,
): InlineExample {
  const document = analyzeText(words, { ...config.analyze, spaces: pageSpaces(config.learn.spaces), title: words });
  return { key, topic, others: false, document };
}

/**
 * Returns a short digest of a run's local documents: it changes if a document or its text changes. `undefined` without documents.
 */
export function documentsDigest(documents: readonly InlineExample[]): string | undefined {
  if (documents.length === 0) return undefined;
  const lines = documents.map(({ key, document }) => `${key}\n${document.title}\n${document.contentHash}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 32);
}

interface FeaturePorts {
  readonly config: Config;
  readonly trainer: Trainer;
  readonly journal: Pick<Journal, 'flush' | 'documents'>;
  readonly inline?: readonly InlineExample[];
  readonly turns: Turns;
  readonly ending?: AbortSignal;
}

/**
 * Documents read per batch, which takes some milliseconds: a first round after a resume reads thousands, with texts
 * and links.
 */
const AT_ONCE = 10;

/** What the trainer holds of one training page. */
interface Held {
  readonly version: string;
  /** URLs that the page links to, if a feature space needs them. */
  readonly followed: string;
  /** What other pages revealed about it when it was fetched; below, whether the trainer has newer features. */
  readonly fetched: DocumentFeatures;
  /** Votes of page classifiers when it was fetched, and in which record. */
  readonly votes: readonly PageVote[];
  readonly sequence: number;
  isRenewed: boolean;
}

type Wanted = Pick<Item, 'key' | 'sequence' | 'without'>;

/** Keeps the trainer's features up to date: exactly those of the last round's pages. */
export class TrainerFeatures {
  readonly #ports: FeaturePorts;
  readonly #held = new Map<string, Held>();

  constructor(ports: FeaturePorts) {
    this.#ports = ports;
  }

  /** Loads missing features and drops those no longer needed. */
  async provide(pages: readonly Wanted[], { isNeeded }: Pick<Surroundings, 'isNeeded'>): Promise<void> {
    const { journal, turns, ending } = this.#ports;
    const wanted = new Map(pages.map((page) => [page.key, page]));
    for (const key of [...this.#held.keys()].filter((held) => !wanted.has(held))) this.#forget(key);
    const missing = [...wanted.values()].filter((page) => this.#held.get(page.key)?.version !== versionOf(page));
    if (missing.some(({ sequence }) => sequence > 0)) await journal.flush();
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      await turns.come();
      ending?.throwIfAborted();
      await this.#load(missing.slice(at, at + AT_ONCE), isNeeded);
    }
  }

  async #load(missing: readonly Wanted[], withLinks: boolean): Promise<void> {
    const { trainer, journal, config, inline = [] } = this.#ports;
    const documents = await journal.documents(missing.flatMap(({ sequence }) => (sequence > 0 ? [sequence] : [])));
    for (const page of missing) {
      const { key, sequence, without } = page;
      const whole = sequence === 0 ? inline.find((doc) => doc.key === key)?.document : documents.get(sequence);
      if (whole === undefined) {
        // A missing page is not used, whatever it was before, so a resumed crawl learns the same.
        this.#forget(key);
        continue;
      }
      const { features, links } = trimmed(withOwnSpaces(whole, config), without, config);
      trainer.add(key, features);
      const followed = withLinks ? linkedUrls(links, 0) : '';
      const { anchors = EMPTY_COUNTS, neighbours = EMPTY_COUNTS } = features;
      const { votes = [] } = whole;
      const fetched = { anchors, neighbours };
      this.#held.set(key, { version: versionOf(page), followed, fetched, votes, sequence, isRenewed: false });
    }
  }

  /**
   * Returns the votes of page classifiers on the pages, by key, with the topic names of the tree; `undefined` without
   * any.
   * @param renamed returns the topic's name in the tree; `at` is the record that names it
   */
  votes(
    renamed: (topic: TopicId, at: number) => TopicId | undefined,
  ): ReadonlyMap<string, readonly PageVote[]> | undefined {
    const voted = [...this.#held].filter(([, { votes }]) => votes.length > 0);
    if (voted.length === 0) return undefined;
    return new Map(voted.map(([key, { votes, sequence }]) => [key, namedVotes(votes, (id) => renamed(id, sequence))]));
  }

  #forget(key: string): void {
    if (this.#held.delete(key)) this.#ports.trainer.forget(key);
  }

  /**
   * Updates training pages with what each round newly knows: the links to a page, and the targets of its links.
   * Former training pages get the features from their fetch, as in a resumed crawl.
   */
  renewSurroundings(items: readonly Item[], surroundings: Surroundings): void {
    const { trainer, config } = this.#ports;
    if (!surroundings.isNeeded) return;
    const wanted = baseSpaces(config.learn.spaces);
    const named = new Set(items.map(({ key }) => key));
    for (const [key, held] of this.#held) {
      if (!held.isRenewed || named.has(key)) continue;
      trainer.add(key, held.fetched);
      held.isRenewed = false;
    }
    for (const { key, urls } of items) {
      const held = this.#held.get(key);
      if (held === undefined) continue;
      const features = surroundedFeatures({}, surroundings.of(urls ?? [key], held.followed), wanted);
      // Empty features may be left out: the page keeps those from its fetch.
      trainer.add(key, { ...held.fetched, ...withoutEmpty(features) });
      held.isRenewed = true;
    }
  }
}

function withoutEmpty({ anchors, neighbours }: DocumentFeatures): DocumentFeatures {
  return {
    ...(anchors !== undefined && anchors.counts.length > 0 && { anchors }),
    ...(neighbours !== undefined && neighbours.counts.length > 0 && { neighbours }),
  };
}

function versionOf({ sequence, without = [] }: Pick<Item, 'sequence' | 'without'>): string {
  return `${sequence} ${without.join(' ')}`;
}
