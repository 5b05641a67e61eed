import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const CHILD = fileURLToPath(new URL('./support/heap-limits-child.ts', import.meta.url));

function spacesOf(mode: 'limited' | 'free'): [main: number, thread: number] {
  return JSON.parse(execFileSync(process.execPath, [CHILD, mode], { encoding: 'utf8' }));
}

describe('limitHeaps', () => {
  it('keeps the space for young objects small, of the main thread and of those started later', () => {
    const [main, thread] = spacesOf('limited');
    expect(main).toBeLessThanOrEqual(16);
    expect(thread).toBeLessThanOrEqual(8);
  });

  it('is needed: left alone, the spaces grow far beyond', () => {
    const [main, thread] = spacesOf('free');
    expect(main).toBeGreaterThan(16);
    expect(thread).toBeGreaterThan(8);
  });
});
