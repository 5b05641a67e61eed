import { readFileSync, statSync } from 'node:fs';
import {
  InputError,
  type Judgement,
  MAX_JUDGED,
  type Mistake,
  parseTopicId,
  ROOT,
  type TopicId,
  UsageError,
} from '../../core/index.ts';
import { describeOrigin, type ReviewPage } from '../../dashboard/index.ts';
import { paragraphsOf, placeName } from '../../engine/index.ts';
import { count, counted, ownCopy, safeJson } from '../../kit/index.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../postprocess/index.ts';
import {
  decodeText,
  type FeedbackSession,
  findPage,
  judgementOf,
  MAX_TABLE_BYTES,
  readCsv,
  readJson,
  type TableRow,
  topicsLike,
  writeNamedFile,
} from '../../workbench/index.ts';
import type { ReviewMaterial } from './review-material.ts';

/** Columns of a review file, in order; the user fills in `decision`, and optionally `to` and `without`. */
const COLUMNS = [
  ...(['topic', 'page', 'title', 'origin', 'score', 'authority', 'decision', 'to', 'without'] as const),
  ...(['paragraphs', 'terms', 'text'] as const),
] as const;

/** Possible decisions; an empty cell decides nothing. */
const DECISIONS = ['accept', 'reject', 'others', 'move', 'undo'] as const;
type Decision = (typeof DECISIONS)[number];

const TERMS = 10;
const EXCERPT = 400;

/** Returns the format for `.csv` or `.json`. @throws UsageError for any other extension */
export function formatOf(file: string): 'csv' | 'json' {
  const ending = /\.(csv|json)$/i.exec(file)?.[1]?.toLowerCase();
  if (ending === 'csv' || ending === 'json') return ending;
  throw new UsageError(`What is ${file}?`, 'Give the file a name that ends in .csv or .json.');
}

/**
 * Writes a review for a spreadsheet or a program. Resolves with the number of pages.
 * @throws UsageError if it would overwrite decisions
 */
export async function exportReview(
  material: ReviewMaterial,
  file: string,
  tell: (line: string) => void = () => {},
): Promise<number> {
  if (mayHoldDecisions(file))
    throw new UsageError(
      `${file} is there, and a new review would write over the decisions in it.`,
      'Apply them first with --apply and remove the file, or name another one.',
    );
  const format = formatOf(file);
  const rows = [];
  const all = material.topics.reduce((sum, { pages }) => sum + pages.length, 0);
  for (const { pages } of material.topics)
    for (const page of pages) {
      rows.push(await rowOf(material, page));
      tell(`${count(rows.length)} of ${counted(all, 'page')} read`);
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
  session: FeedbackSession,
  { file, rows }: ReviewTable,
): Promise<readonly Judgement[]> {
  const mistakes: Mistake[] = [];
  const judged = new Map<string, { judgement: Judgement; line: number }>();
  for (const row of rows) {
    const read = await readRow(session, row);
    if (read === undefined) continue;
    if ('message' in read) {
      mistakes.push({ file, line: row.line, ...read });
      continue;
    }
    const earlier = judged.get(read.key);
    if (earlier !== undefined && JSON.stringify(earlier.judgement) !== JSON.stringify(read))
      mistakes.push({ file, line: row.line, message: `Line ${earlier.line} says something else of the same page.` });
    judged.set(read.key, { judgement: read, line: row.line });
  }
  if (mistakes.length > 0) throw new InputError('Nothing was applied, because of these lines', mistakes);
  return [...judged.values()].map(({ judgement }) => judgement);
}

/** @throws InputError if the file is not a table, UsageError if it is missing */
export function readReviewTable(file: string): ReviewTable {
  const format = formatOf(file);
  const known = statSync(file, { throwIfNoEntry: false });
  if (known === undefined) throw new UsageError(`There is no file ${file}.`);
  if (known.isDirectory()) throw new UsageError(`${file} is a folder; a file is needed.`);
  if (known.size > MAX_TABLE_BYTES) throw new UsageError(`${file} is larger than a review can be.`);
  const text = decodeText(readFileSync(file));
  return { file, rows: format === 'csv' ? readCsv(text, file, ['page', 'decision']) : readJson(text, file) };
}

interface Wrong {
  readonly message: string;
  readonly hint?: string;
}

async function readRow({ store, desk }: FeedbackSession, { fields }: TableRow): Promise<Judgement | Wrong | undefined> {
  const word = (fields.get('decision') ?? '').toLowerCase();
  if (!fields.has('page') || !fields.has('decision'))
    return { message: 'There is no column "page" or "decision".', hint: 'Start from a file that --export wrote.' };
  if (word === '') return undefined;
  const decision = DECISIONS.find((name) => name === word);
  if (decision === undefined)
    return { message: `"${word}" is no decision.`, hint: `Say one of: ${DECISIONS.join(', ')}; or leave it empty.` };
  const name = fields.get('page') ?? '';
  const page = await findPage(store, desk, name);
  if (page === undefined) return { message: `"${name}" is neither a stored page nor a training page.` };
  const column = decision === 'move' ? 'to' : 'topic';
  const place = fields.get(column) ?? '';
  const without = await readWithout(store, page.sequence, fields.get('without') ?? '');
  const node = othersNode(place);
  if (node !== undefined && desk.tree.nodes.has(node) && (decision === 'accept' || decision === 'move'))
    return 'message' in without ? without : judgementOf(page, 'others', node, without);
  const given = parseTopicId(place);
  // The file may be older than a topic's new name.
  const topic = desk.tree.nodes.has(given) ? given : (desk.topicNow(given) ?? given);
  if ((decision === 'accept' || decision === 'move') && (topic === ROOT || !desk.tree.nodes.has(topic)))
    return {
      message: topic === ROOT ? `"${column}" names no topic.` : `"${topic}" is no topic of bingo.yaml.`,
      hint: topicsLike(
        topic,
        [...desk.tree.nodes.keys()].filter((id) => id !== ROOT),
      ),
    };
  if ('message' in without) return without;
  return judgementOf(page, USES[decision], decision === 'accept' || decision === 'move' ? topic : ROOT, without);
}

/** Returns the topic whose counter-examples are named, as in `databases/OTHERS`; `undefined` for a topic itself. */
function othersNode(place: string): TopicId | undefined {
  const [, node] = /^(?:(.*)\/)?OTHERS$/.exec(place.trim()) ?? [undefined, null];
  return node === null ? undefined : parseTopicId(node ?? '');
}

const USES = {
  accept: 'example',
  move: 'example',
  reject: 'dropped',
  others: 'others',
  undo: 'free',
} as const satisfies Record<Decision, Judgement['use']>;

/** Returns the paragraphs to leave out of a page, counted from 0; or why the user's text is invalid. */
export async function readWithout(
  store: FeedbackSession['store'],
  sequence: number,
  text: string,
): Promise<readonly number[] | Wrong> {
  if (text.trim() === '') return [];
  const numbers = parseRanges(text);
  if (numbers === undefined)
    return { message: `"${text}" does not say which paragraphs to leave out.`, hint: 'Such as: 2 5-7' };
  if (sequence === 0) return { message: 'Only stored pages can be trimmed.' };
  const total = paragraphsOf((await store.texts([sequence])).get(sequence) ?? '').length;
  const beyond = numbers.find((n) => n > total);
  if (beyond !== undefined) return { message: `There is no paragraph ${beyond}: the page has ${total}.` };
  if (numbers.length === total) return { message: 'Nothing would be left of the page.', hint: 'Reject it instead.' };
  return numbers.map((n) => n - 1);
}

/**
 * Parses numbers and ranges from 1, such as `2 5-7`, into ascending numbers without repetitions; `undefined` for any
 * other text.
 */
export function parseRanges(text: string): readonly number[] | undefined {
  const numbers = new Set<number>();
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const [, from, to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (!(first >= 1 && last >= first)) return undefined;
    if (numbers.size + last - first >= MAX_JUDGED.without) return undefined;
    for (let n = first; n <= last; n++) numbers.add(n);
  }
  return [...numbers].sort((a, b) => a - b);
}
