import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { type CanonicalUrl, DEFAULTS, NO_HEADERS } from '../../../src/core/index.ts';
import { AnalysisPool, analyzerSettings } from '../../../src/engine/index.ts';

vi.mock('node:worker_threads', async (original) => ({
  ...(await original<object>()),
  /** As Node.js tells of a process that may open no more files. */
  Worker: class extends EventEmitter {
    constructor() {
      super();
      const error = Object.assign(new Error('Worker initialization failure: EMFILE'), {
        code: 'ERR_WORKER_INIT_FAILED',
      });
      setImmediate(() => {
        this.emit('error', error);
        this.emit('exit', 1);
      });
    }
    postMessage(): void {}
    async terminate(): Promise<void> {}
  },
}));

test('where no thread can be had the crawl is told, and no page is given up for it', async () => {
  const pool = new AnalysisPool(analyzerSettings(DEFAULTS), 1);
  const headers = { ...NO_HEADERS, contentType: 'text/html' };
  const url = 'http://x.test/' as CanonicalUrl;
  const page = { kind: 'fetched', url, status: 200, headers, body: Buffer.from('x'), address: '' } as const;
  const analyze = () => pool.analyze({ ...page, fetchedAt: 0, durationMs: 0 }, 'learning');
  const told = { code: 'ANALYSIS_FAILED', message: expect.stringContaining('EMFILE') };
  await expect(analyze()).rejects.toMatchObject(told);
  await expect(analyze()).rejects.toMatchObject(told);
  await pool.close();
});
