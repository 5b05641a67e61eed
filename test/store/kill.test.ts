import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DATABASES } from '../contracts/store-databases.ts';

const CHILD = fileURLToPath(new URL('appending-child.ts', import.meta.url));
/** Numbers reported as durable before each kill: early, during a batch, later. */
const KILL_AFTER = [1, 3, 50, 160];

for (const database of DATABASES) {
  describe.skipIf(database.missing !== undefined)(`kill -9 of a process that writes to ${database.name}`, () => {
    test('loses no reported record, stores nothing twice, leaves no gap', async () => {
      const place = await database.place();
      let known = 0;
      for (const more of KILL_AFTER) {
        const reported = await appendAndKill(JSON.stringify({ ...place.options, batch: 7, flushMs: 5 }), known + more);
        const store = await place.open({ readOnly: true });
        const sequences: number[] = [];
        for await (const records of store.read()) sequences.push(...records.map((record) => record.sequence));
        await store.close();
        expect(sequences.length).toBeGreaterThanOrEqual(reported);
        expect(sequences).toEqual(sequences.map((_, i) => i + 1));
        known = sequences.length;
      }
      await place.drop();
    });
  });
}

/** Returns the last sequence number that the process reported before it was killed, soon after reporting `after`. */
async function appendAndKill(options: string, after: number): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, [CHILD, options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let reported = 0;
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    const last = Number(text.trim().split('\n').at(-1));
    if (Number.isFinite(last)) reported = last;
    if (reported >= after) child.kill('SIGKILL');
  });
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
  return reported;
}
