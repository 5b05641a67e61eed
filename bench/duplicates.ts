/**
 * `npm run bench:duplicates`: at what distance of two fingerprints pages are near duplicates. Two questions for each distance:
 * how many pages of a frozen web have another page that near although the texts differ, and how many copies with some words
 * exchanged are found.
 */
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { analyze, analyzeText } from '../src/analyze/index.ts';
import { type CanonicalUrl, DEFAULTS } from '../src/core/index.ts';
import { seededRandom } from '../src/kit/index.ts';
import { ArchiveFetcher, FrozenWeb, readLabels } from '../src/lab/index.ts';
import { machine, table } from './table.ts';

const HELP = `npm run bench:duplicates -- [options]

  --webs DIR   folder with NAME.warc.gz and NAME.labels.tsv (default ../shared/webs)
  --only NAME  one web
`;
const WEBS = ['wikispeedia', 'archwiki', 'foldoc'];
/** Pages met before, of the same host, that staleness looks at. */
const RECENT = 32;
const STALE = [8, 10, 12, 14, 16, 18, 20];
const DISTANCES = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12];
const MOST = 12;
/** Shares of words exchanged in a copy. */
const EDITS = [0.01, 0.02, 0.05, 0.1, 0.2];
/** Pages shorter than this many words are counted apart: a word weighs more in them. */
const SHORT = 64;
const EVERY = 10;
const SHINGLE = 4;
/** Texts that share this much of their shingles are near duplicates, texts that share less than a half are not. */
const SAME = 0.8;
const DIFFERENT = 0.5;

const flags = readFlags({
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  only: { type: 'string' },
  help: { type: 'boolean', default: false },
});
if (flags.help) process.stdout.write(HELP);
else await main();

interface Text {
  readonly url: string;
  readonly words: readonly string[];
  readonly tokens: number;
  readonly simhash: readonly [number, number];
  readonly hash: string;
}

async function main(): Promise<void> {
  process.stdout.write(`${machine()}\n`);
  const stale: string[][] = [];
  for (const name of flags.only === undefined ? WEBS : [flags.only]) {
    const texts = await readTexts(name);
    stale.push([name, ...STALE.map((limit) => percent(staleShare(texts, limit)))]);
    for (const [title, isShort] of [
      [`${SHORT} words or more`, false],
      [`fewer than ${SHORT} words`, true],
    ] as const) {
      const some = texts.filter(({ tokens }) => tokens < SHORT === isShort);
      if (some.length > 50) process.stdout.write(`\n${name}, ${some.length} pages of ${title}\n\n${measure(some)}\n`);
    }
  }
  process.stdout.write(`\nPages within a distance of one of the ${RECENT} met before, in an order drawn by chance\n\n`);
  process.stdout.write(`${table(['web', ...STALE.map(String)], stale)}\n`);
}

/** What a crawl would call stale although all pages are different: drawn by chance, because crawls keep no order of URLs. */
function staleShare(texts: readonly Text[], limit: number): number {
  const random = seededRandom(1);
  const order = texts.map((text) => ({ text, at: random() })).sort((a, b) => a.at - b.at);
  const stale = order.filter(({ text }, i) =>
    order.slice(Math.max(0, i - RECENT), i).some((before) => bitsBetween(before.text.simhash, text.simhash) <= limit),
  );
  return stale.length / texts.length;
}

async function readTexts(name: string): Promise<readonly Text[]> {
  const fetcher = new ArchiveFetcher(await FrozenWeb.open(join(flags.webs, `${name}.warc.gz`)));
  const options = { ...DEFAULTS.analyze, ...DEFAULTS.crawl, spaces: ['terms'] as const };
  const texts = new Map<string, Text>();
  for (const url of (await readLabels(join(flags.webs, `${name}.labels.tsv`))).keys()) {
    const page = await fetcher.fetch(url as CanonicalUrl);
    if (page.kind !== 'fetched') continue;
    const document = analyze(page, options);
    if ('reason' in document || document.text === '') continue;
    const { text, tokens, simhash, contentHash: hash } = document;
    // Exact copies are found by their hash.
    if (!texts.has(hash)) texts.set(hash, { url, words: text.split(/\s+/), tokens, simhash, hash });
  }
  return [...texts.values()];
}

function measure(texts: readonly Text[]): string {
  const pairs = nearPairs(texts);
  const copies = EDITS.map((share) => copyDistances(texts, share));
  const rows = DISTANCES.map((limit) => {
    const within = pairs.filter(({ distance }) => distance <= limit);
    const wrong = new Set(within.filter(({ alike }) => alike < DIFFERENT).flatMap(({ a, b }) => [a, b]));
    const right = new Set(within.filter(({ alike }) => alike >= SAME).flatMap(({ a, b }) => [a, b]));
    const found = copies.map((distances) => percent(distances.filter((d) => d <= limit).length / distances.length));
    return [String(limit), String(wrong.size), percent(wrong.size / texts.length), String(right.size), ...found];
  });
  const head = ['distance', 'wrong', 'of all', 'right', ...EDITS.map((share) => `${100 * share} % edited`)];
  return table(head, rows);
}

interface Pair {
  readonly a: number;
  readonly b: number;
  readonly distance: number;
  readonly alike: number;
}

function nearPairs(texts: readonly Text[]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let a = 0; a < texts.length; a++) {
    const [high, low] = texts[a]!.simhash;
    for (let b = a + 1; b < texts.length; b++) {
      const other = texts[b]!.simhash;
      const distance = bitsBetween([high, low], other);
      if (distance <= MOST) pairs.push({ a, b, distance, alike: likeness(texts[a]!.words, texts[b]!.words) });
    }
  }
  return pairs;
}

function copyDistances(texts: readonly Text[], share: number): number[] {
  const random = seededRandom(Math.round(share * 1000));
  const options = { ...DEFAULTS.analyze, spaces: ['terms'] as const };
  return texts
    .filter((_, i) => i % EVERY === 0)
    .map(({ words }) => {
      const edited = words.map((word) => {
        const other = texts[Math.floor(random() * texts.length)]!.words;
        return random() < share ? other[Math.floor(random() * other.length)]! : word;
      });
      const before = analyzeText(words.join(' '), options).simhash;
      const after = analyzeText(edited.join(' '), options).simhash;
      return bitsBetween(before, after);
    });
}

/** Jaccard coefficient of the texts' shingles. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const [one, two] = [shingles(a), shingles(b)];
  let both = 0;
  for (const shingle of one) if (two.has(shingle)) both++;
  return both / (one.size + two.size - both || 1);
}

function shingles(words: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (let i = 0; i + SHINGLE <= words.length; i++) found.add(words.slice(i, i + SHINGLE).join(' '));
  return found;
}

function bitsBetween(a: readonly [number, number], b: readonly [number, number]): number {
  return bits(a[0] ^ b[0]) + bits(a[1] ^ b[1]);
}

function bits(n: number): number {
  let v = n - ((n >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
