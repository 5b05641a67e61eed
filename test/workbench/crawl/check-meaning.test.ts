import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Config, DEFAULTS } from '../../../src/core/index.ts';
import { checkMeaning } from '../../../src/workbench/crawl/check-meaning.ts';

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    response.statusCode = request.url === '/v1/models' || request.url === '/v1/embeddings' ? 200 : 404;
    response.end('{"data":[{"id":"small","embedding":[1,2]}]}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function check(learn: Partial<Config['learn']>): Promise<void> {
  return checkMeaning({ ...DEFAULTS, learn: { ...DEFAULTS.learn, ...learn } }, undefined);
}

test('a server of vectors is asked once, if the space "meaning" is used', async () => {
  await expect(check({ embeddings: `${base}/wrong` })).resolves.toBeUndefined();
  await expect(check({ spaces: ['terms+meaning'], embeddings: `${base}/v1` })).resolves.toBeUndefined();
});

test('a missing or silent server ends the crawl before it begins', async () => {
  await expect(check({ spaces: ['terms+meaning'] })).rejects.toThrow('learn.embeddings names no server');
  const wrong = check({ spaces: ['meaning'], embeddings: `${base}/v2` });
  await expect(wrong).rejects.toThrow(`${base}/v2/models answers 404 Not Found`);
});
