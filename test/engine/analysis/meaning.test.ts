import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DEFAULTS, unpackCounts } from '../../../src/core/index.ts';
import { leadOf, meaningFeatures } from '../../../src/engine/analysis/meaning.ts';
import { analyzerSettings, PageAnalyzer } from '../../../src/engine/index.ts';
import { at } from '../support/paper-web.ts';

let server: Server;
let base: string;
let inputs: string[] = [];
let status = 200;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (request.url === '/v1/models') return response.end('{"data":[{"id":"small"}]}');
      const { input } = JSON.parse(body) as { input: string };
      inputs.push(input);
      response.statusCode = status;
      return response.end(JSON.stringify({ data: [{ embedding: [input.includes('bees') ? 1 : -1, 0.5, 0] }] }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(() => {
  [inputs, status] = [[], 200];
});
afterAll(() => server.close());

function analyzer(spaces: (typeof DEFAULTS)['learn']['spaces'] = ['terms+lead+meaning']): PageAnalyzer {
  return new PageAnalyzer(analyzerSettings({ ...DEFAULTS, learn: { ...DEFAULTS.learn, spaces, embeddings: base } }));
}

/** Returns the features of the space `meaning` of a page. */
async function meaningOf(
  analyst: PageAnalyzer,
  text: string,
): Promise<readonly (readonly [string, number])[] | undefined> {
  const url = at('http://a.test/');
  const headers = {
    contentType: 'text/html',
    charset: 'utf-8',
    contentLanguage: '',
    xRobotsTag: '',
    refresh: '',
    link: '',
  };
  const page = { url, finalUrl: url, status: 200, headers, body: Buffer.from(`<title>T</title><p>${text}`) };
  const analysis = await analyst.analyze(page as unknown as Parameters<PageAnalyzer['analyze']>[0], 'harvesting');
  const { meaning } = analysis.kind === 'analyzed' ? analysis.document.features : {};
  return meaning && unpackCounts(meaning);
}

test('a page gets the vector of its first words', async () => {
  const analyst = analyzer();
  const found = await meaningOf(analyst, `bees ${'word '.repeat(200)}`);
  expect(found?.map(([feature]) => feature)).toEqual(['+0', '+1']);
  expect(inputs[0]?.split(' ')).toHaveLength(50);
  expect(await meaningOf(analyst, 'cars')).toEqual([
    ['-0', found?.[0]?.[1]],
    ['+1', found?.[1]?.[1]],
  ]);
  await analyst.close();
});

test('nothing is sent unless the space is used', async () => {
  const analyst = analyzer(['terms+lead']);
  expect(await meaningOf(analyst, 'bees')).toBeUndefined();
  expect(inputs).toEqual([]);
  await analyst.close();
});

test('a server that fails leaves pages without a vector, and is not asked for ever', async () => {
  status = 500;
  const analyst = analyzer();
  for (let n = 0; n < 8; n++) expect(await meaningOf(analyst, 'bees')).toEqual([]);
  expect(inputs).toHaveLength(5);
  await analyst.close();
});

test('the damped count of a feature is the size of its component', () => {
  const [x, y] = unpackCounts(meaningFeatures([3, -1.5]));
  expect([x?.[0], y?.[0]]).toEqual(['+0', '-1']);
  expect((1 + Math.log(x![1])) / (1 + Math.log(y![1]))).toBeCloseTo(2, 0);
});

test('folding long vectors keeps their inner products on average', () => {
  const wave = (k: number): number[] => Array.from({ length: 768 }, (_, i) => Math.sin(i * k + k));
  const names = (vector: number[]): Set<string> => new Set(unpackCounts(meaningFeatures(vector)).map(([name]) => name));
  const near = wave(1).map((value, i) => value + 0.2 * Math.sin(7 * i));
  const shared = (a: Set<string>, b: Set<string>): number => [...a].filter((name) => b.has(name)).length / a.size;
  expect(names(wave(1)).size).toBeLessThanOrEqual(128);
  expect(shared(names(wave(1)), names(near))).toBeGreaterThan(0.7);
  expect(shared(names(wave(1)), names(wave(2.3)))).toBeLessThan(0.6);
});

test('the words sent are bounded, whatever a page holds', () => {
  expect(leadOf('', 'x'.repeat(100_000))).toHaveLength(1_000);
  expect(leadOf('A title', 'and text')).toBe('A title and text');
  expect(leadOf('', ' \n ')).toBe('');
});
