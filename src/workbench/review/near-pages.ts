import { type CanonicalUrl, isOthersOrigin, ROOT, type TopicId } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import type { SqlValue, Store } from '../../store/index.ts';

/** A rejected page that is near the examples and similar to them. */
export interface NearPage {
  readonly key: string;
  readonly sequence: number;
  readonly title: string;
  /** Cosine to the centroid of the topic's examples, in [0,1]. */
  readonly cosine: number;
}

/** Maximum number of links from a seed for a near page. */
const NEAR_DEPTH = 2;
/** Maximum number of pages proposed per topic. */
const PROPOSED = 10;
/** Maximum number of rows to read, best first. */
const LOOKED_AT = 5_000;

/**
 * Returns rejected pages that are near the examples and similar to them: at most two links away, and as similar as
 * the mean accepted page. Most similar first; training pages and pages that the user judged are left out.
 */
export async function nearPages(
  store: Pick<Store, 'sql'>,
  desk: TrainingDesk,
  topics: readonly TopicId[],
): Promise<ReadonlyMap<TopicId, readonly NearPage[]>> {
  const means = await meanCosines(store);
  const known = knownPages(desk);
  const found = new Map<TopicId, NearPage[]>(topics.map((topic) => [topic, []]));
  const query = `select s.topic, p.sequence, p.final_url, p.title, s.cosine
    from page_score s join page p on p.sequence = s.page
    where p.role = 'crawled' and p.others = 1 and p.replaced_by is null and p.depth <= ${NEAR_DEPTH} and s.cosine > 0
    order by s.cosine desc, p.sequence`;
  for await (const [topic, sequence, url, title, cosine] of rowsOf(store, query, LOOKED_AT)) {
    const pages = found.get(desk.topicNow(topic as TopicId) ?? ROOT);
    if (pages === undefined || pages.length >= PROPOSED || known.has(Number(sequence))) continue;
    if (Number(cosine) < (means.get(topic as TopicId) ?? 1)) continue;
    pages.push({ key: url as CanonicalUrl, sequence: Number(sequence), title: String(title), cosine: Number(cosine) });
  }
  return found;
}

async function meanCosines(store: Pick<Store, 'sql'>): Promise<ReadonlyMap<TopicId, number>> {
  const query = `select p.topic, avg(s.cosine) from page_score s join page p on p.sequence = s.page and p.topic = s.topic
    where p.role = 'crawled' and p.others = 0 and p.replaced_by is null group by p.topic`;
  const means = new Map<TopicId, number>();
  for await (const [topic, mean] of rowsOf(store, query, LOOKED_AT)) means.set(topic as TopicId, Number(mean));
  return means;
}

/** Sequences of the training pages, and of pages that the user judged. */
export function knownPages(desk: TrainingDesk): ReadonlySet<number> {
  return new Set([...desk.training(), ...desk.judgements.values()].map(({ sequence }) => sequence));
}

/** The rows of a query. */
export async function* rowsOf(
  store: Pick<Store, 'sql'>,
  query: string,
  maxRows: number,
): AsyncGenerator<readonly SqlValue[]> {
  const result = await store.sql(query, { maxRows });
  try {
    yield* result.rows;
  } finally {
    await result.close();
  }
}

/** Number of training pages of a topic, without counter-examples. */
export function examplesOf(desk: TrainingDesk, topic: TopicId): number {
  return desk.training().filter((page) => page.topic === topic && !isOthersOrigin(page.origin)).length;
}
