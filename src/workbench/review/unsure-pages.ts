import { ROOT, type TopicId } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { knownPages, rowsOf } from './near-pages.ts';

/** An accepted page that the classifier was not sure of. */
export interface UnsurePage {
  readonly key: string;
  readonly sequence: number;
  readonly title: string;
  /** Its calibrated score when it was judged last. */
  readonly score: number;
}

/** Pages of one topic that are shown: eight of them are worth most of what sixteen are (docs/quality.md, "What marks are worth"). */
const SHOWN = 10;
/** Calibrated score above which there is no doubt, however sure the classifier is of all others; 1 is like an example. */
const SURE = 1.5;
/** Of the pages of a topic at most this part is unsure. */
const SHARE = 0.5;
/** Rows that are looked at, the least sure first. */
const LOOKED_AT = 5_000;

/**
 * Accepted pages of some topics that the classifier was least sure of: what a person says of these teaches most. The least sure first; training
 * pages and pages that a person judged are left out.
 */
export async function unsurePages(
  store: Pick<Store, 'sql'>,
  desk: TrainingDesk,
  topics: readonly TopicId[],
): Promise<ReadonlyMap<TopicId, readonly UnsurePage[]>> {
  const known = knownPages(desk);
  const found = new Map<TopicId, UnsurePage[]>(topics.map((topic) => [topic, []]));
  const accepted = `from page p join page_score s on s.page = p.sequence and s.topic = p.topic
    where p.role = 'crawled' and p.others = 0 and p.replaced_by is null`;
  const room = new Map<unknown, number>();
  for await (const [topic, pages] of rowsOf(store, `select p.topic, count(*) ${accepted} group by p.topic`, LOOKED_AT))
    room.set(topic, Math.min(SHOWN, Math.floor(SHARE * Number(pages))));
  const query = `select p.topic, p.sequence, p.final_url, p.title, s.calibrated ${accepted} and s.calibrated < ${SURE}
    order by s.calibrated, p.sequence`;
  for await (const [topic, sequence, url, title, score] of rowsOf(store, query, LOOKED_AT)) {
    const pages = found.get(desk.topicNow(topic as TopicId) ?? ROOT);
    if (pages === undefined || pages.length >= (room.get(topic) ?? 0) || known.has(Number(sequence))) continue;
    pages.push({ key: String(url), sequence: Number(sequence), title: String(title), score: Number(score) });
  }
  return found;
}
