import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkExamples, type Example, examplesOf } from '../scripts/topic-examples.ts';
import { startTinyWeb, type TinyWeb } from './support/tiny-web.ts';

let web: TinyWeb;

beforeAll(async () => {
  web = await startTinyWeb();
});

afterAll(() => web.close());

test('finds every example page of the shipped subjects', () => {
  const examples = examplesOf(parse(readFileSync(new URL('../topics/subjects.yaml', import.meta.url), 'utf8')));
  expect(examples.length).toBeGreaterThan(300);
  expect(examples[0]).toEqual({
    ...{ topic: 'mathematics and computing/mathematics', url: 'https://en.wikipedia.org/wiki/Theorem' },
  });
});

test('separates pages that are alive, moved, unreadable and dead', async () => {
  const text = `<title>A page</title><p>${'Some words about saddles and wheels. '.repeat(20)}</p>`;
  web.handle('good.test', (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (request.url === '/old') response.writeHead(301, { location: `${web.origin('away.test')}/new` }).end();
    else if (request.url === '/gone') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(request.url === '/short' ? '<p>Hi' : text);
  });
  web.handle('away.test', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(text);
  });
  web.handle('closed.test', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /');
  });
  const pages = ['good.test/', 'good.test/old', 'good.test/gone', 'good.test/short', 'closed.test/', 'gone.test/'];
  const examples = pages.map((page) => {
    const [host = '', path = ''] = page.split(/(?=\/)/);
    return { topic: 'bikes', url: `${web.origin(host)}${path}` } as Example;
  });
  const network = { dnsServers: [web.dnsServer], allowPrivate: true, delayMs: 0, retries: 0 };
  const found = new Map<string, string>();
  for await (const { url, state } of checkExamples(examples, { contact: '', delayMs: 0, network }))
    found.set(url, state);
  expect(examples.map(({ url }) => found.get(url))).toEqual(['alive', 'moved', 'dead', 'unread', 'unread', 'dead']);
});
