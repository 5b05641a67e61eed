import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { BINGO } from './support/bingo-process.ts';
import { run } from './support/captured-io.ts';

const MORE = Array.from({ length: 60 }, (_, i) => `  - name: more ${i}\n    examples: [http://m${i}.test/]\n`).join('');
const TEXT = `topics:
  # what I ride
  - name: cycling
    examples: [http://a.test/, http://b.test/] # the best
  - name: stars
    examples: [http://c.test/]
${MORE}others: [http://o.test/]
`;
const EDITS = [
  ['topic', 'rename', 'cycling', 'bicycles'],
  ['topic', 'move', 'stars', 'cycling'],
  ['topic', 'remove', 'stars'],
  ['topic', 'add', 'sport', '--example', 'http://s.test/'],
  ['add', 'http://n.test/', '--topic', 'stars'],
  ['remove', 'http://b.test/'],
] as const;
const ROUNDS = 24;
const LONGEST_MS = 12_000;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-kill-edits-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What a reader of the workspace finds: the text of bingo.yaml, and the recorded topics. */
interface Files {
  readonly yaml: string;
  readonly topics: unknown;
}

function files(): Files {
  const { topics, removed } = JSON.parse(readFileSync(join(dir, 'topics.json'), 'utf8'));
  return { yaml: readFileSync(join(dir, 'bingo.yaml'), 'utf8'), topics: { topics, removed } };
}

async function edit(words: readonly string[]): Promise<void> {
  const { code, err } = await run(words, { env: { BINGO_WORKSPACE: dir } });
  expect(code, `${words.join(' ')}: ${err}`).toBe(0);
}

/** Writes both files as they are before each edit. */
function reset({ yaml, topics }: Files): void {
  writeFileSync(join(dir, 'bingo.yaml'), yaml);
  writeFileSync(join(dir, 'topics.json'), JSON.stringify(topics));
}

/** Starts the edit in a process; kills it at a change of the folder, counted from 1, or after some time. */
async function killed(
  words: readonly string[],
  at: { readonly change: number } | { readonly ms: number },
): Promise<void> {
  const child = spawn(process.execPath, [BINGO, ...words], {
    stdio: 'ignore',
    env: { ...process.env, BINGO_WORKSPACE: dir },
  });
  const kill = (): boolean => child.kill('SIGKILL');
  let changes = 0;
  const watching = watch(dir, () => 'change' in at && ++changes === at.change && kill());
  const timer = 'ms' in at ? setTimeout(kill, at.ms) : undefined;
  await once(child, 'close');
  watching.close();
  clearTimeout(timer);
}

describe('kill -9 while bingo.yaml is edited', () => {
  it('leaves bingo.yaml and topics.json old or new, and the same command completes the change', async () => {
    writeFileSync(join(dir, 'bingo.yaml'), TEXT);
    await edit(['topic', 'rename', 'stars', 'suns']);
    await edit(['topic', 'rename', 'suns', 'stars']);
    const before = files();
    const began = performance.now();
    const [first] = EDITS;
    await killed(first, { ms: 60_000 });
    const whole = performance.now() - began;
    expect(files().yaml).toContain('bicycles');
    const random = seededRandom(Number(process.env.BINGO_KILL_SEED ?? 7));
    let interrupted = 0;
    for (let round = 0; round < ROUNDS && performance.now() - began < LONGEST_MS; round++) {
      const words = EDITS[round % EDITS.length] ?? first;
      reset(before);
      await edit(words);
      const after = files();
      reset(before);
      await killed(
        words,
        round % 2 === 0 ? { change: 1 + Math.floor(random() * 8) } : { ms: whole * (0.5 + random()) },
      );
      expect([before.yaml, after.yaml]).toContain(files().yaml);
      if (files().yaml === before.yaml) {
        interrupted++;
        await edit(words);
      }
      expect(files()).toEqual(after);
    }
    expect(interrupted).toBeGreaterThan(0);
  });
});
