import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { type CanonicalUrl, DEFAULTS, NO_HEADERS } from '../../../src/core/index.ts';
import { AnalysisPool, analyzerSettings } from '../../../src/engine/index.ts';

/** Error of Node.js in a process that may open no more files or start no more threads. */
const NO_THREAD = Object.assign(new Error('EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' });
const machine = vi.hoisted(() => ({ ends: new Error(), begins: false, throws: undefined as Error | undefined }));

vi.mock('node:worker_threads', async (original) => ({
  ...(await original<object>()),
  Worker: class extends EventEmitter {
    constructor() {
      super();
      if (machine.throws !== undefined) throw machine.throws;
      setImmediate(() => {
        if (machine.begins) this.emit('message', { is: 'ready' });
        this.emit('error', machine.ends);
        this.emit('exit', 1);
      });
    }
    postMessage(): void {}
    async terminate(): Promise<void> {}
  },
}));

const told = { code: 'ANALYSIS_FAILED', message: expect.stringContaining('EMFILE') };
const headers = { ...NO_HEADERS, contentType: 'text/html' };
const url = 'http://x.test/' as CanonicalUrl;
const answer = { kind: 'fetched', url, status: 200, headers, body: Buffer.from('x'), address: '' } as const;
const page = { ...answer, fetchedAt: 0, durationMs: 0 };

test('reports to the crawl that no thread can start, and fails no page', async () => {
  machine.ends = NO_THREAD;
  const pool = new AnalysisPool(analyzerSettings(DEFAULTS), 1);
  await expect(pool.analyze(page, 'learning')).rejects.toMatchObject(told);
  await expect(pool.analyze(page, 'learning')).rejects.toMatchObject(told);
  await pool.close();
});

test('reports to the crawl that a thread ended before it began, and fails no page', async () => {
  machine.ends = new Error("Cannot find module 'analysis-worker.js'");
  const pool = new AnalysisPool(analyzerSettings(DEFAULTS), 1);
  await expect(pool.analyze(page, 'learning')).rejects.toMatchObject({
    code: 'ANALYSIS_FAILED',
    message: expect.stringContaining('Cannot find module'),
    hint: expect.stringContaining('updated or removed'),
  });
  await pool.close();
});

test('reports to the crawl that an ended thread cannot be replaced', async () => {
  machine.ends = new Error('out of memory');
  machine.begins = true;
  const pool = new AnalysisPool(analyzerSettings(DEFAULTS), 1);
  machine.throws = NO_THREAD;
  await expect(pool.analyze(page, 'learning')).rejects.toMatchObject(told);
  await pool.close();
});
