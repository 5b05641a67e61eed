import { BingoError, type CanonicalUrl, canonicalize, UsageError } from '../../core/index.ts';
import type { LinkPlace } from '../../crawl/index.ts';
import { WholeDocuments, waitingPlace } from '../../engine/index.ts';
import type { Explanation } from '../../meta/index.ts';
import { CheckpointFiles, collectionFolder, type PathStep, type Store, type UrlFacts } from '../../store/index.ts';
import { type PageRow, rowOfRecord } from '../reading/page-row.ts';
import type { Tables } from '../reading/reading.ts';
import { openInlineExamples } from '../reading/training-documents.ts';
import { readBacklinks } from '../workspace/backlinks.ts';
import { findTopic } from '../workspace/find-topic.ts';
import { productVersion } from '../workspace/product.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';
import { addressForms } from '../workspace/typed-address.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { TopicScoreRow } from './sibling-scores.ts';
import { answerFor, type UrlAnswer } from './url-answer.ts';

/**
 * Returns what is known about a URL, as the user types it: with or without its scheme.
 * @param topic name of a topic whose scores and terms are wanted, too
 * @throws UsageError if the text is not a web address, or if the topic is unknown
 */
export async function explainUrl(
  store: Store,
  text: string,
  { workspace, tables, topic }: ExplainParts,
): Promise<UrlAnswer> {
  const forms = addressForms(text);
  const [first] = forms;
  if (first === undefined) throw notAnAddress(text);
  const heard = await heardOf(store, forms);
  if (heard === undefined && canonicalize(text) === undefined) throw notAnAddress(text);
  const source = new WholeDocuments(store, workspace.config);
  const asked = topic === undefined ? undefined : findTopic(workspace.tree, topic);
  const { url = first, facts } = heard ?? {};
  const answer = await answerFor(store, url, { source, workspace, tables, topic: asked, facts });
  return mayWait(answer.facts) ? { ...answer, waiting: await placeOf(answer.url, workspace, tables.store) } : answer;
}

/** Inputs of an explanation. */
interface ExplainParts {
  readonly workspace: Workspace;
  readonly tables: Tables;
  readonly topic?: string | undefined;
}

function mayWait({ page, visits, linkedFrom }: UrlFacts): boolean {
  return page === undefined && (visits.at(-1)?.retried ?? linkedFrom.length > 0);
}

async function placeOf(url: CanonicalUrl, workspace: Workspace, journal: Store): Promise<LinkPlace | undefined> {
  const { dir, tree, config } = workspace;
  try {
    const inline = await openInlineExamples({ dir, tree, config });
    return await waitingPlace(url, {
      tree,
      config,
      inline,
      backlinks: readBacklinks({ dir, config }),
      journal,
      checkpoints: new CheckpointFiles(collectionFolder(dir), productVersion()),
    });
  } catch (error) {
    // Documents stayed elsewhere, or the tree fits no crawl: the rest of the answer is still true.
    if (error instanceof BingoError) return undefined;
    throw error;
  }
}

/** Returns the first of the URLs that the store knows. */
async function heardOf(
  store: Store,
  urls: readonly CanonicalUrl[],
): Promise<{ readonly url: CanonicalUrl; readonly facts: UrlFacts } | undefined> {
  for (const url of urls) {
    const facts = await store.lookup(url);
    if (facts.page !== undefined || facts.visits.length > 0 || facts.linkedFrom.length > 0) return { url, facts };
  }
  return undefined;
}

function notAnAddress(text: string): UsageError {
  return new UsageError(`"${text}" is not a web address.`, whyBadUrl(text));
}

/** What is known about a URL, as plain data. */
export interface UrlRow {
  readonly url: string;
  readonly state: 'fetched' | 'not-stored' | 'not-fetched' | 'unknown';
  /** What happened to the URL, in a sentence or two. */
  readonly reason: string;
  /** `null` if no page is stored under the URL. */
  readonly page: PageRow | null;
  /** How the URL leads to the page. */
  readonly as: NonNullable<UrlFacts['as']> | null;
  /** The stored page with the same content, or the target of the redirect. */
  readonly duplicateOf: string | null;
  /** The path from a seed to the page. */
  readonly path: readonly (Pick<PathStep, 'url' | 'title' | 'confidence' | 'via' | 'anchor' | 'sequence'> & {
    readonly topic: string | null;
  })[];
  /** Fetches that returned no page, oldest first. */
  readonly visits: readonly (Pick<
    UrlFacts['visits'][number],
    'result' | 'reason' | 'detail' | 'status' | 'target' | 'retried'
  > & { readonly fetchedAt: string })[];
  readonly linkedFrom: UrlFacts['linkedFrom'];
  /** The votes and the strongest terms; `null` if no model judged the page. */
  readonly explanation: Explanation | null;
  /** Scores of the accepted topic and its siblings, best first, or of the topics that rejected the page. */
  readonly scores: readonly TopicScoreRow[];
  /** Where the link waits; `null` if it does not wait, or if that is unknown. */
  readonly waiting: LinkPlace | null;
}

/** Converts an answer to plain data. */
export function urlRow(answer: UrlAnswer): UrlRow {
  const { url, facts, reason, path, explanation, scores, waiting, bibliography, provenance } = answer;
  const { page, as, visits, linkedFrom } = facts;
  return {
    url,
    state: stateOf(facts),
    reason,
    page:
      page === undefined
        ? null
        : { ...rowOfRecord(page), ...(bibliography && { bibliography }), ...(provenance && { provenance }) },
    as: as ?? null,
    duplicateOf: page !== undefined && as !== 'page' ? page.finalUrl : null,
    path: path.map(({ url, title, topic, others, confidence, via, anchor, sequence }) => {
      return { url, title, topic: others ? null : topic, confidence, via, anchor, sequence };
    }),
    visits: visits.map(({ result, reason, detail, status, target, retried, fetchedAt }) => {
      return { result, reason, detail, status, target, retried, fetchedAt: new Date(fetchedAt).toISOString() };
    }),
    linkedFrom,
    explanation: explanation ?? null,
    scores,
    waiting: waiting ?? null,
  };
}

function stateOf({ page, visits, linkedFrom }: UrlFacts): UrlRow['state'] {
  if (page !== undefined) return 'fetched';
  if (visits.length > 0) return 'not-stored';
  return linkedFrom.length > 0 ? 'not-fetched' : 'unknown';
}
