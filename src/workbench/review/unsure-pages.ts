import { ROOT, type TopicId } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { knownPages, rowsOf } from './near-pages.ts';

/** An accepted page with an uncertain verdict. */
export interface UnsurePage {
  readonly key: string;
  readonly sequence: number;
  readonly title: string;
  /** Its calibrated score in the latest judgement. */
  readonly score: number;
}

/**
 * Maximum number of pages shown per topic: eight help almost as much as sixteen (docs/quality.md, "What marks are
 * worth").
 */
const SHOWN = 10;
/** Calibrated score above which a verdict is certain, however certain the others are; 1 is similar to an example. */
const SURE = 1.5;
/** Maximum share of a topic's pages that count as uncertain. */
const SHARE = 0.5;
/** Maximum number of rows to read, least certain first. */
const LOOKED_AT = 5_000;

/**
 * Returns accepted pages of topics with the least certain verdicts: marks of these help most. Least certain first;
 * training pages and pages that the user judged are left out.
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
