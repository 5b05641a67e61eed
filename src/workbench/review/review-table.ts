import { statSync } from 'node:fs';
import {
  InputError,
  type Judgement,
  type Mistake,
  parseTopicId,
  ROOT,
  type TopicId,
  UsageError,
} from '../../core/index.ts';
import { placeName } from '../../engine/index.ts';
import { ownCopy, safeJson } from '../../kit/index.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../postprocess/index.ts';
import type { FeedbackSession } from '../judging/apply-feedback.ts';
import { findPage } from '../judging/decided-pages.ts';
import { judgementOf } from '../judging/feedback.ts';
import { decodeText } from '../sources/decode-text.ts';
import { FILE_LIMITS, readBounded } from '../workspace/bounded-file.ts';
import { topicsLike } from '../workspace/find-topic.ts';
import { writeNamedFile } from '../workspace/out-file.ts';
import { DECISIONS, decisionOn, readWithout, type Wrong } from './decisions.ts';
import { readCsv, readJson, type TableRow } from './read-table.ts';
import type { ReviewMaterial } from './review-material.ts';
import { describeOrigin, type ReviewPage } from './review-page.ts';

/** Columns of a review file, in order; the user fills in `decision`, and optionally `to` and `without`. */
const COLUMNS = [
  ...(['topic', 'page', 'title', 'origin', 'score', 'authority', 'decision', 'to', 'without'] as const),
  ...(['paragraphs', 'terms', 'text'] as const),
] as const;

const TERMS = 10;
const EXCERPT = 400;

/** Returns the format for `.csv` or `.json`. @throws UsageError for any other extension */
export function tableFormat(file: string): 'csv' | 'json' {
  const ending = /\.(csv|json)$/i.exec(file)?.[1]?.toLowerCase();
  if (ending === 'csv' || ending === 'json') return ending;
  throw new UsageError(`Unknown file format: ${file}`, 'Give the file a name that ends in .csv or .json.');
}

/**
 * Writes a review for a spreadsheet or a program. Resolves with the number of pages.
 * @param onRead receives the number of pages read, and the total
 * @throws UsageError if it would overwrite decisions
 */
export async function exportReview(
  material: ReviewMaterial,
  file: string,
  onRead: (pages: number, of: number) => void = () => {},
): Promise<number> {
  if (mayHoldDecisions(file))
    throw new UsageError(
      `${file} exists, and a new review would overwrite its decisions.`,
      'Apply them first with --apply and remove the file, or name another one.',
    );
  const format = tableFormat(file);
  const rows: Row[] = [];
  const pages = material.topics.flatMap((topic) => topic.pages);
  for (const page of pages) {
    rows.push(await rowOf(material, page));
    onRead(rows.length, pages.length);
  }
  const content =
    format === 'csv'
      ? BYTE_ORDER_MARK + csvLine(COLUMNS) + rows.map((row) => csvLine(COLUMNS.map((name) => row[name]))).join('')
      : `[\n${rows.map((row) => safeJson(row)).join(',\n')}\n]\n`;
  await writeNamedFile(file, [content]);
  return rows.length;
}

/** Filled-in decisions are an hour's work. Even an unreadable table may contain them. */
function mayHoldDecisions(file: string): boolean {
  const known = statSync(file, { throwIfNoEntry: false });
  if (known === undefined || known.size === 0 || known.isDirectory()) return false;
  try {
    return readReviewTable(file).rows.some(({ fields }) => (fields.get('decision') ?? '') !== '');
  } catch (error) {
    if (error instanceof InputError) return true;
    throw error;
  }
}

type Row = Readonly<Record<(typeof COLUMNS)[number], string | number>>;

async function rowOf(material: ReviewMaterial, page: ReviewPage): Promise<Row> {
  const { paragraphs, terms } = await material.textOf(page);
  const text = paragraphs.map((parts) => parts.map((part) => part.text).join(''));
  return {
    topic: placeName({ topic: page.topic, others: page.isOthers }),
    page: page.key,
    title: page.title,
    origin: describeOrigin(page.origin),
    score: Number.isFinite(page.score) ? Number(page.score.toFixed(3)) : '',
    authority: Number(page.authority.toFixed(3)),
    decision: '',
    to: '',
    without: (page.judgement?.without ?? []).map((n) => n + 1).join(' '),
    paragraphs: paragraphs.length,
    terms: terms.slice(0, TERMS).join(' '),
    // A plain slice would keep the whole text in memory; half a surrogate pair at its end is replaced.
    text: ownCopy(text.join(' ¶ ').slice(0, EXCERPT)),
  };
}

/** A review that the user filled in, as written. */
export interface ReviewTable {
  readonly file: string;
  readonly rows: readonly TableRow[];
}

/**
 * Returns the decisions in a table; skips rows without one.
 * @throws InputError that lists every invalid line
 */
export async function decisionsIn(
  session: Pick<FeedbackSession, 'store' | 'desk'>,
  { file, rows }: ReviewTable,
): Promise<readonly Judgement[]> {
  const mistakes: Mistake[] = [];
  const judged = new Map<string, { readonly judgement: Judgement; readonly line: number }>();
  for (const row of rows) {
    const read = await readRow(session, row);
    if (read === undefined) continue;
    if ('message' in read) {
      mistakes.push({ file, line: row.line, ...read });
      continue;
    }
    const earlier = judged.get(read.key);
    if (earlier !== undefined && JSON.stringify(earlier.judgement) !== JSON.stringify(read))
      mistakes.push({ file, line: row.line, message: `Line ${earlier.line} decides otherwise on the same page.` });
    judged.set(read.key, { judgement: read, line: row.line });
  }
  if (mistakes.length > 0) throw new InputError('Nothing was applied, because of these lines', mistakes);
  return [...judged.values()].map(({ judgement }) => judgement);
}

/** @throws InputError if the file is not a table, UsageError if it is missing, UnreadableFileError if it is too large */
export function readReviewTable(file: string): ReviewTable {
  const format = tableFormat(file);
  const known = statSync(file, { throwIfNoEntry: false });
  if (known === undefined) throw new UsageError(`The file ${file} does not exist.`);
  if (known.isDirectory()) throw new UsageError(`${file} is a folder; a file is needed.`);
  const text = decodeText(readBounded(file, FILE_LIMITS.review));
  return { file, rows: format === 'csv' ? readCsv(text, file, ['page', 'decision']) : readJson(text, file) };
}

async function readRow(
  { store, desk }: Pick<FeedbackSession, 'store' | 'desk'>,
  { fields }: TableRow,
): Promise<Judgement | Wrong | undefined> {
  const word = (fields.get('decision') ?? '').toLowerCase();
  if (!fields.has('page') || !fields.has('decision'))
    return { message: 'The column "page" or "decision" is missing.', hint: 'Start from a file that --export wrote.' };
  if (word === '') return undefined;
  const decision = DECISIONS.find((name) => name === word);
  if (decision === undefined)
    return { message: `"${word}" is no decision.`, hint: `Use one of: ${DECISIONS.join(', ')}; or leave it empty.` };
  const name = fields.get('page') ?? '';
  const page = await findPage(store, desk, name);
  if (page === undefined) return { message: `"${name}" is neither a stored page nor a training page.` };
  const column = decision === 'move' ? 'to' : 'topic';
  const place = fields.get(column) ?? '';
  const without = await readWithout(store, page.sequence, fields.get('without') ?? '');
  const isPlaced = decision === 'accept' || decision === 'move';
  const node = othersNode(place);
  if (isPlaced && node !== undefined && desk.tree.nodes.has(node))
    return 'message' in without ? without : judgementOf(page, 'others', node, without);
  const given = parseTopicId(place);
  // The file may be older than a topic's new name.
  const topic = desk.tree.nodes.has(given) ? given : (desk.topicNow(given) ?? given);
  if (isPlaced && (topic === ROOT || !desk.tree.nodes.has(topic)))
    return {
      message: topic === ROOT ? `"${column}" names no topic.` : `"${topic}" is no topic of bingo.yaml.`,
      hint: topicsLike(
        topic,
        [...desk.tree.nodes.keys()].filter((id) => id !== ROOT),
      ),
    };
  return 'message' in without ? without : decisionOn({ ...page, topic, isOthers: false }, decision, { without });
}

/** Returns the topic whose counter-examples are named, as in `databases/OTHERS`; `undefined` for a topic itself. */
function othersNode(place: string): TopicId | undefined {
  const [, node] = /^(?:(.*)\/)?OTHERS$/.exec(place.trim()) ?? [undefined, null];
  return node === null ? undefined : parseTopicId(node ?? '');
}
