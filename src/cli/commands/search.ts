import { stemsOf } from '../../analyze/index.ts';
import { UsageError } from '../../core/index.ts';
import { rank, type Snippet, snippet } from '../../postprocess/index.ts';
import type { SearchHit, Store } from '../../store/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { findTopic } from '../find-topic.ts';
import { wantsColour } from '../process-io.ts';
import { readCount } from '../read-count.ts';
import { withStore, writeJsonArray } from '../reading.ts';
import { quoted } from '../shell-words.ts';
import { type Paint, paint, sanitizeForTerminal, truncate, wrap } from '../terminal.ts';

const LIMIT = 10;
/** Matches that are ranked again by relevance, for each one shown. */
const CANDIDATES = 10;
const SNIPPET_CHARS = 220;

export const search: Command = {
  name: 'search',
  summary: 'Ask what was found: stored pages, best first.',
  positionals: ['DIR', 'WORDS'],
  flags: {
    topic: { value: 'TOPIC', repeats: true, help: 'Only pages accepted into this topic or below it.' },
    limit: { value: 'N', help: `Results shown. Default: ${LIMIT}.` },
    all: { help: 'Only pages that hold every word.' },
    json: { help: 'A JSON array on stdout.' },
  },
  examples: [
    ['bingo search bikes "touring routes"', 'Pages about either word, those with both first.'],
    ['bingo search bikes "derailleur adjustment" --all --topic cycling', 'Both words, one topic.'],
    ['bingo search bikes saddle --json --limit 100', 'For programs.'],
  ],
  run: runSearch,
};

interface Result extends SearchHit {
  readonly snippet: Snippet;
}

async function runSearch(args: Args, io: Io): Promise<number> {
  const [dir = '', words = ''] = args.positionals;
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  const stems = [...new Set(stemsOf(words))];
  if (stems.length === 0) {
    throw new UsageError(
      `"${words}" holds nothing to look for, only stop words.`,
      'Use words that matter: nouns, names, technical terms.',
    );
  }
  return withStore(dir, io, async (store, { tree }) => {
    const topics = args.values('topic').map((topic) => findTopic(tree, topic));
    const query = { ...(args.has('all') ? { all: stems } : { any: stems }), topics, limit: limit * CANDIDATES };
    const results = await withSnippets(store, rank(await store.search(query)).slice(0, limit), new Set(stems));
    if (args.has('json')) await writeJsonArray(io, results.map(resultRow));
    else await io.out(resultText(results, io));
    if (results.length === 0)
      io.err(
        `Nothing matches. ${args.has('all') ? 'Try it without --all.' : `See what there is: bingo status ${quoted(dir)}`}\n`,
      );
    return EXIT.done;
  });
}

async function withSnippets(
  store: Store,
  hits: readonly SearchHit[],
  stems: ReadonlySet<string>,
): Promise<readonly Result[]> {
  const texts = await store.texts(hits.map((hit) => hit.sequence));
  return hits.map((hit) => ({ ...hit, snippet: snippet(texts.get(hit.sequence) ?? '', stems, SNIPPET_CHARS) }));
}

function resultRow(result: Result, index: number): object {
  const { title, url, topic, others, score, confidence, relevance, fetchedAt, sequence } = result;
  const place = {
    rank: index + 1,
    title,
    url,
    topic: others ? null : topic,
    score: round(score),
    confidence,
    relevance,
  };
  return { ...place, snippet: result.snippet.text, sequence, fetchedAt: new Date(fetchedAt).toISOString() };
}

function round(x: number): number {
  return Math.round(x * 1e6) / 1e6;
}

function resultText(results: readonly Result[], io: Io): string {
  const style = paint(wantsColour(io, io.stdoutIsTerminal));
  const width = Math.min(100, io.columns());
  return results.map((result, index) => describeResult(result, index + 1, { width, style })).join('\n');
}

function describeResult(result: Result, place: number, { width, style }: { width: number; style: Paint }): string {
  const title = sanitizeForTerminal(result.title) || '(no title)';
  const topic = result.others ? 'OTHERS' : sanitizeForTerminal(result.topic);
  const facts = `${topic}  score ${result.score.toFixed(2)}  confidence ${result.confidence.toFixed(2)}`;
  return [
    `${String(place).padStart(3)}  ${style.bold(truncate(title, width - 5))}`,
    `     ${style.accent(sanitizeForTerminal(result.url))}`,
    `     ${style.dim(facts)}`,
    ...wrap(emphasize(result.snippet, style), width - 5).map((line) => `     ${line}`),
    '',
  ].join('\n');
}

/** The passage with its matches in bold, or between asterisks where there is no bold. */
function emphasize({ text, marks }: Snippet, style: Paint): string {
  const plain = style.bold('x') === 'x';
  let out = '';
  let at = 0;
  for (const [start, end] of marks) {
    const word = sanitizeForTerminal(text.slice(start, end));
    out += `${sanitizeKeepingEnds(text.slice(at, start))}${plain ? `*${word}*` : style.bold(word)}`;
    at = end;
  }
  return out + sanitizeKeepingEnds(text.slice(at));
}

function sanitizeKeepingEnds(text: string): string {
  const [before = '', after = ''] = [/^\s/.exec(text)?.[0] && ' ', /\s$/.exec(text)?.[0] && ' '];
  const safe = sanitizeForTerminal(text);
  return safe === '' ? before || after : `${before}${safe}${after}`;
}
