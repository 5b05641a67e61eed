import type { Assignment } from '../../core/index.ts';
import type { Sink } from '../ports.ts';
import { packScores } from '../rows/first-scores.ts';
import { clean, real } from '../rows/record-rows.ts';
import { COLUMNS, MAX_CHARS, type PageScoreTable, type Row } from '../schema.ts';
import { SumChanges } from './page-sums.ts';

/** A new verdict on a stored page. */
export interface NewVerdict {
  readonly sequence: number;
  readonly assignment: Assignment;
}

/**
 * Replaces current verdicts, within the caller's transaction. The verdict of the crawl at fetch time stays in
 * `first_verdict`; the journal returns it, so that a crawl resumes in the same state.
 */
export async function writeVerdicts(sink: Sink, wanted: readonly NewVerdict[]): Promise<void> {
  const verdicts = await ofStoredPages(sink, wanted);
  if (verdicts.length === 0) return;
  const sequences = verdicts.map(({ sequence }) => sequence);
  await keepFirst(sink, sequences);
  const sums = new SumChanges();
  await sums.subtractStored(sink, sequences);
  const marks = sequences.map(() => '?').join(',');
  await sink.run(`delete from page_score where page in (${marks})`, sequences);
  const scores: Row[] = [];
  for (const { sequence, assignment } of verdicts) {
    const { topic, others, confidence, relevance, model } = assignment;
    await sink.run(
      'update page set topic = ?, others = ?, confidence = ?, relevance = ?, model = ? where sequence = ?',
      [name(topic), others ? 1 : 0, real(confidence), real(relevance), model, sequence],
    );
    assignment.scores.forEach((s, n) => {
      const values = [s.confidence, s.calibrated, s.bayes, s.bayesCalibrated, s.cosine, s.relevance].map(real);
      scores.push([sequence, n, name(s.topic), ...values]);
    });
  }
  if (scores.length > 0) await sink.insert('page_score', scores);
  await sums.addStored(sink, sequences);
  await sums.write(sink);
}

async function ofStoredPages(sink: Sink, verdicts: readonly NewVerdict[]): Promise<readonly NewVerdict[]> {
  if (verdicts.length === 0) return [];
  const marks = verdicts.map(() => '?').join(',');
  const rows = await sink.all(
    `select sequence from page where sequence in (${marks})`,
    verdicts.map(({ sequence }) => sequence),
  );
  const stored = new Set(rows.map(([sequence]) => Number(sequence)));
  return verdicts.filter(({ sequence }) => stored.has(sequence));
}

async function keepFirst(sink: Sink, sequences: readonly number[]): Promise<void> {
  const marks = sequences.map(() => '?').join(',');
  const kept = new Set(
    (await sink.all(`select page from first_verdict where page in (${marks})`, sequences)).map(([page]) =>
      Number(page),
    ),
  );
  const fresh = sequences.filter((sequence) => !kept.has(sequence));
  if (fresh.length === 0) return;
  const places = fresh.map(() => '?').join(',');
  const pages = await sink.all(
    `select sequence, topic, others, confidence, relevance, model from page where sequence in (${places})`,
    fresh,
  );
  await sink.insert('first_verdict', pages);
  const columns = COLUMNS.page_score;
  const scores = await sink.all(`select ${columns} from page_score where page in (${places}) order by page, n`, fresh);
  await insertScores(
    sink,
    scores.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])) as unknown as PageScoreTable),
  );
}

async function insertScores(sink: Sink, scores: readonly PageScoreTable[]): Promise<void> {
  const pages = Map.groupBy(scores, ({ page }) => Number(page));
  if (pages.size === 0) return;
  const lists = new Map(
    (await sink.all('select names, id from first_topics', [])).map(([names, id]) => [String(names), Number(id)]),
  );
  const [topics, rows]: [Row[], Row[]] = [[], []];
  for (const [page, own] of pages) {
    const names = own.map(({ topic }) => topic).join('\n');
    const id = lists.get(names) ?? lists.size + 1;
    if (!lists.has(names)) topics.push([id, names]);
    lists.set(names, id);
    rows.push([page, id, packScores(own)]);
  }
  if (topics.length > 0) await sink.insert('first_topics', topics);
  await sink.insert('first_scores', rows);
}

function name(text: string): string {
  return clean(text, MAX_CHARS.name);
}
