/**
 * Draws doc comments and message strings of `src` at random, so that people can rate how plain they are (CONTRIBUTING.md, "Wording").
 *
 * Usage: node scripts/draw-prose.ts [SEED] [COUNT]
 * Prints COUNT of each (default 60) with their places. The same seed (default 1) and source draw the same passages.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const TOKEN =
  /\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/gm;

/** A sentence or a phrase for people: it begins with a letter or a value, and has at least three words in a row. */
const MESSAGE = /^(?:\p{Lu}|\p{Ll}|\$\{)[\s\S]*\p{L} \p{L}+ \p{L}/u;

/** SQL, HTML, command lines, lists of words and templates of code are not prose. */
const CODE =
  /^[^.,:;!?()]{150,}$|^bingo |^[\w.]+\.[\w.]+ as |^(?:select|insert|delete|update|create|drop|replace|sum|count|avg|from|case|coalesce|start transaction)\b|<\w+[^>]*>|\{\n/;

interface Passage {
  readonly place: string;
  readonly text: string;
}

function passages(kind: 'comment' | 'message'): readonly Passage[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .toSorted();
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8');
    return [...text.matchAll(TOKEN)].flatMap(({ 0: token, index }) => {
      const place = `src/${file}:${text.slice(0, index).split('\n').length}`;
      if (token.startsWith('/**'))
        return kind === 'comment' ? [{ place, text: token.slice(3, -2).replace(/\s*\n\s*\*?\s*/g, ' ') }] : [];
      const inner = token.slice(1, -1);
      const isMessage = kind === 'message' && !token.startsWith('/') && MESSAGE.test(inner) && !CODE.test(inner);
      return isMessage ? [{ place, text: inner.replace(/\s+/g, ' ') }] : [];
    });
  });
}

/** Returns numbers in [0,1) that depend only on the seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const [seed = 1, count = 60] = process.argv.slice(2).map(Number);
const random = randomOf(seed);
for (const kind of ['comment', 'message'] as const) {
  const drawn = passages(kind)
    .map((passage) => ({ ...passage, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count);
  for (const { place, text } of drawn) console.log(`${kind} ${place}\n    ${text.trim()}`);
}
