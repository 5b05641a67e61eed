import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { cpuMsSince } from './support/cpu-time.ts';
import { regexLiterals } from './support/regex-literals.ts';

const SRC = join(import.meta.dirname, '../src');
/** Long enough that three nested repetitions take minutes, and two only a moment. */
const PUMPS = 1_500;
const LIMIT_MS = 1_500;

const PLAIN = 'a0 -./:<>"\'&()[]=,;#\n\t%_é'.split('');

const context = createContext({ pattern: /x/, texts: [] });
const run = new Script('for (const text of texts) { pattern.lastIndex = 0; pattern.test(text); }');

/** Returns true if the pattern finishes on all texts in time. */
function answers(pattern: RegExp, texts: readonly string[], timeout: number = LIMIT_MS): boolean {
  context.pattern = pattern;
  context.texts = texts;
  const before = process.cpuUsage();
  // The time limit is wall-clock time, which includes other processes, so a slow run is repeated.
  do {
    try {
      run.runInContext(context, { timeout });
      return true;
    } catch {}
  } while (cpuMsSince(before) < timeout);
  return false;
}

/** Yields texts that may cause backtracking: the pattern's own characters repeated, after its own prefixes. */
function* traps(source: string): Generator<string> {
  const literal = source
    .replace(/\\[pP]\{[^}]*\}|\(\?<?[:=!]|\\[bBdDwWsSuxk]|[\^$|?*+]|\{\d+,?\d*\}/g, ' ')
    .replace(/\\([\s\S])/g, '$1');
  const runs = literal.split(/[()[\]\s]+/).filter((part) => part !== '' && part.length < 40);
  const chars = [...new Set([...literal.replaceAll(/\s/g, ''), ...PLAIN])].slice(0, 60);
  const starts = ['', runs[0] ?? '', runs.slice(0, 2).join(''), runs.join('').slice(0, 200)];
  for (const start of new Set(starts)) {
    for (const c of chars) yield `${start}${c.repeat(PUMPS)}\0`;
    for (const part of runs) yield `${start}${part.repeat(Math.ceil(PUMPS / part.length))}\0`;
    for (const c of chars.slice(0, 20)) yield `${start}${`${c}a`.repeat(PUMPS / 2)}\0`;
  }
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const patterns = files.flatMap((file) =>
  regexLiterals(readFileSync(join(SRC, file), 'utf8')).map((literal) => ({ file, ...literal })),
);

/**
 * Files that build patterns at runtime, and a call that makes them do so. Text from the web passes through no other
 * such file.
 */
const BUILT: Readonly<Record<string, (() => Promise<unknown>) | 'never sees the web'>> = {
  'analyze/sniff.ts': async () =>
    (await import('../src/analyze/sniff.ts')).sniffBody('', 'http://a.test/', Buffer.from('a')),
  'core/web/readable-url.ts': async () =>
    (await import('../src/core/web/readable-url.ts')).readableHost('xn--bcher-kva.test'),
  'core/web/url.ts': async () => (await import('../src/core/web/url.ts')).canonicalize('http://a.test/?sid=1'),
  'postprocess/search/parts.ts': async () =>
    (await import('../src/postprocess/search/parts.ts')).partsOf('site:example.org -"alpha beta" f(x)'),
  'postprocess/search/query.ts': async () =>
    (await import('../src/postprocess/search/query.ts')).readQuery('"alpha beta" "gamma δ"'),
  'postprocess/search/snippet.ts': async () => {
    const phrases = [/(?<![\p{L}\p{N}])alpha[^\p{L}\p{N}]+beta(?![\p{L}\p{N}])/iu];
    return (await import('../src/postprocess/search/snippet.ts')).snippet(
      'alpha beta',
      { stems: new Set(), phrases },
      100,
    );
  },
  'store/term-index/stem-list.ts': async () =>
    (await import('../src/store/term-index/stem-list.ts')).beginningPattern(['straß', 'strass']),
  'cli/crawl/crawl-summary.ts': 'never sees the web',
  'store/read/citations.ts': 'never sees the web',
  'dashboard/components/Screen.tsx': 'never sees the web',
  'lab/park/trap-answers.ts': 'never sees the web',
};

/** Returns the patterns that these files build. */
async function builtPatterns(): Promise<RegExp[]> {
  const made: RegExp[] = [];
  const Plain = globalThis.RegExp;
  vi.resetModules();
  globalThis.RegExp = new Proxy(Plain, {
    construct(target, args: [string | RegExp, string?]) {
      const pattern = new target(...args);
      made.push(pattern);
      return pattern;
    },
  });
  try {
    for (const build of Object.values(BUILT)) if (build !== 'never sees the web') await build();
  } finally {
    globalThis.RegExp = Plain;
  }
  return made;
}

describe('regular expressions in the source', () => {
  test('are all found and valid', () => {
    expect(patterns.length).toBeGreaterThan(200);
    for (const { file, line, source, flags } of patterns)
      expect(() => new RegExp(source, flags), `src/${file}:${line}`).not.toThrow();
  });

  test('run in bounded time on any input', () => {
    const slow = patterns.filter(({ source, flags }) => {
      // Without repetition there is no backtracking.
      if (!/[*+]|\{\d+,/.test(source)) return false;
      const pattern = new RegExp(source, flags.replace('y', ''));
      const texts = [...traps(source)];
      return !answers(pattern, texts) && !answers(pattern, texts);
    });
    expect(slow.map(({ file, line, source }) => `src/${file}:${line} /${source}/`)).toEqual([]);
  }, 120_000);

  test('run in bounded time even if they are built at runtime', async () => {
    const building = files.filter((file) => readFileSync(join(SRC, file), 'utf8').includes('new RegExp('));
    expect(building.sort()).toEqual(Object.keys(BUILT).sort());
    const built = await builtPatterns();
    expect(built.length).toBeGreaterThan(4);
    const slow = built.filter((pattern) => {
      const texts = [...traps(pattern.source)];
      return !answers(pattern, texts) && !answers(pattern, texts);
    });
    expect(slow.map(({ source }) => source)).toEqual([]);
  }, 120_000);

  test('are reported if they take too long', () => {
    for (const source of ['^(a+)+$', '(?:\\s*,\\s*)*x\\s*\\s*\\s*$', '^(?:[\\w.]+\\.)*@'])
      expect(answers(new RegExp(source), [...traps(source)], LIMIT_MS / 3), source).toBe(false);
  });
});
