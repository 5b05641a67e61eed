/**
 * `npm run bench:search`: how long `bingo search` takes to answer over a large store of made-up pages, as percentiles over
 * queries of many kinds; ranking, folding and passages included.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { DEFAULTS, type TopicId } from '../src/core/index.ts';
import { seededRandom } from '../src/kit/index.ts';
import { RANK_WEIGHTS, type RankWeights, readQuery } from '../src/postprocess/index.ts';
import { openStore, type PageFilter, type Store } from '../src/store/index.ts';
import { searchPages } from '../src/workbench/search/local-search.ts';
import { PageRecords, TREE } from './records.ts';
import { machine, median, table } from './table.ts';

const HELP = `npm run bench:search -- [options]

  --documents N   pages stored (default 100000)
  --queries N     queries of each kind (default 50)
  --languages L   languages that the pages are taken to be in, such as en,fr: words are looked for with their accents, too
  --keep DIR      leave the store there, and use the one that is there already
  --json          one JSON object on stdout
`;

/** Records in the queue at the most, as in a crawl. */
const MAX_BACKLOG = 1_000;
const LIMIT = 10;

const flags = readFlags({
  documents: { type: 'string', default: '100000' },
  queries: { type: 'string', default: '50' },
  languages: { type: 'string', default: '' },
  keep: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

interface Kind {
  readonly name: string;
  /** What is typed. */
  readonly words: (i: number) => string;
  readonly exact?: boolean;
  readonly filter?: (i: number) => PageFilter;
  readonly weights?: RankWeights;
}

interface Timing {
  readonly kind: string;
  /** Median of the processor's time, which other work on the machine delays less than the clock's. In ms, as all. */
  readonly cpu: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /** Mean number of pages with the words. */
  readonly matches: number;
}

async function main(): Promise<void> {
  const documents = Number(flags.documents);
  const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'bingo-bench-search-'));
  const records = new PageRecords();
  try {
    await fill(folder, records, documents);
    const rows = await measure(folder, records, Number(flags.queries));
    if (flags.json) process.stdout.write(`${JSON.stringify({ machine: machine(), documents, rows })}\n`);
    else process.stdout.write(`${machine()}, ${documents} pages\n\n${report(rows)}\n`);
  } finally {
    if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Brings the store to `documents` pages. */
async function fill(workspace: string, records: PageRecords, documents: number): Promise<void> {
  const store = await openStore({ ...DEFAULTS.store, workspace });
  let wake = (): void => {};
  store.onStored(() => wake());
  await store.saveTopics(TREE);
  for (let sequence = (await store.count()) + 1; sequence <= documents; sequence++) {
    store.append(records.record(sequence));
    if (store.backlog >= MAX_BACKLOG)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await store.close();
}

async function measure(workspace: string, records: PageRecords, queries: number): Promise<readonly Timing[]> {
  const store = await openStore({ ...DEFAULTS.store, workspace, readOnly: true });
  try {
    const kinds = kindsOf(records.stems, await phrases(store, queries));
    const all: number[] = [];
    const allCpu: number[] = [];
    const rows: Timing[] = [];
    for (const kind of kinds) {
      const times: number[] = [];
      const cpu: number[] = [];
      let matches = 0;
      for (let i = 0; i < queries; i++) {
        const before = process.cpuUsage();
        const began = performance.now();
        matches += await ask(store, kind, i);
        times.push(performance.now() - began);
        const { user, system } = process.cpuUsage(before);
        cpu.push((user + system) / 1000);
      }
      all.push(...times);
      allCpu.push(...cpu);
      rows.push({ kind: kind.name, cpu: median(cpu), ...percentiles(times), matches: matches / queries });
    }
    return [...rows, { kind: 'all', cpu: median(allCpu), ...percentiles(all), matches: Number.NaN }];
  } finally {
    await store.close();
  }
}

function kindsOf(stems: readonly string[], phrases: readonly string[]): readonly Kind[] {
  const at = (share: number, i: number): string => stems[Math.floor(stems.length * share) + i]!;
  const two = (i: number): string => `${at(0.02, i)} ${at(0.05, i)}`;
  const four = (i: number): string => `${at(0.02, i)} ${at(0.05, i)} ${at(0.1, i)} ${at(0.2, i)}`;
  const topic = (i: number): TopicId => [...TREE.nodes.keys()][1 + (i % 5)]!;
  return [
    { name: 'one rare word', words: (i) => at(0.6, i) },
    { name: 'two words', words: two },
    { name: 'two words, both', words: two, exact: true },
    { name: 'two words, either as one', words: (i) => two(i).replace(' ', ' OR ') },
    { name: 'a phrase or a word', words: (i) => `"${phrases[i % phrases.length]}" OR ${at(0.05, i)}` },
    { name: 'four words', words: four },
    { name: 'four words without votes', words: four, weights: { bm25: 0.8, relevance: 0.2 } },
    {
      name: 'four words that most pages have',
      words: (i) => `${at(0, i)} ${at(0, i + 1)} ${at(0, i + 2)} ${at(0, i + 3)}`,
    },
    { name: 'a phrase', words: (i) => `"${phrases[i % phrases.length]}"` },
    { name: 'two words, one topic', words: two, filter: (i) => ({ topics: [topic(i)] }) },
    { name: 'two words, one site', words: two, filter: (i) => ({ sites: [`h${i}.test`] }) },
    {
      name: 'two words, one year, HTML',
      words: two,
      filter: () => ({ since: 1_700_000_500_000, types: ['text/html'] }),
    },
    { name: 'four words by confidence', words: four, weights: { confidence: 1 } },
    {
      name: 'four words by cosine, confidence, authority',
      words: four,
      weights: { cosine: 0.5, confidence: 0.3, authority: 0.2 },
    },
  ];
}

/** Two words that follow each other on some page, drawn from texts that are stored. */
async function phrases(store: Store, count: number): Promise<readonly string[]> {
  const random = seededRandom(1);
  const found: string[] = [];
  while (found.length < count) {
    const [text = ''] = (await store.texts([1 + Math.floor(random() * 1000)])).values();
    const words = text.split(' ');
    const start = Math.floor(random() * words.length);
    const phrase = words
      .slice(start, start + 2)
      .join(' ')
      .replace(/[.,"]/g, '');
    if (readQuery(`"${phrase}"`).all.length === 2) found.push(phrase);
  }
  return found;
}

async function ask(
  store: Store,
  { words, exact = false, filter, weights = RANK_WEIGHTS }: Kind,
  i: number,
): Promise<number> {
  const query = readQuery(words(i), { exact, languages: flags.languages.split(',') });
  const answer = await searchPages(store, { query, filter: filter?.(i) ?? {}, weights, limit: LIMIT, fold: true });
  return answer.matches;
}

function percentiles(times: readonly number[]): Omit<Timing, 'kind' | 'cpu' | 'matches'> {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

function report(rows: readonly Timing[]): string {
  const cells = rows.map(({ kind, cpu, p50, p90, p99, matches }) => [
    kind,
    Number.isNaN(matches) ? '' : matches.toFixed(0),
    ...[cpu, p50, p90, p99].map((ms) => ms.toFixed(0)),
  ]);
  return table(['query', 'pages with the words', 'CPU, ms', 'median, ms', '90 %, ms', '99 %, ms'], cells);
}
