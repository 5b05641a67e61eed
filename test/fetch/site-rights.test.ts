import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CanonicalUrl, DEFAULTS } from '../../src/core/index.ts';
import { HttpFetcher } from '../../src/fetch/index.ts';
import { reservedPaths } from '../../src/fetch/site-rights.ts';
import { startTinyWeb, type TinyWeb } from '../support/tiny-web.ts';

let web: TinyWeb;
beforeAll(async () => {
  web = await startTinyWeb();
  const files: Readonly<Record<string, string>> = {
    '/.well-known/tdmrep.json':
      '[{"location":"/mined/*","tdm-reservation":1},{"location":"/free/","tdm-reservation":0}]',
    '/ai.txt': 'User-Agent: *\nDisallow: /art/\nAllow: /art/open/\n',
    '/robots.txt': '',
  };
  web.handle('rights.test', ({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(files[url] ?? '<p>A page.</p>');
  });
  web.handle('people.test', ({ url }, response) => {
    const isForbidden = url === '/robots.txt';
    response.writeHead(200, { 'content-type': isForbidden ? 'text/plain' : 'text/html' });
    response.end(isForbidden ? 'User-agent: *\nDisallow: /ai.txt\n' : '<html><p>User-Agent: * Disallow: /</p>');
  });
});
afterAll(() => web.close());

async function fieldsOf(siteRights: boolean, ...places: readonly string[]): Promise<readonly string[]> {
  const network = { ...DEFAULTS.network, allowPrivate: true, dnsServers: [web.dnsServer], siteRights };
  const fetcher = new HttpFetcher(network);
  const found: string[] = [];
  for (const place of places) {
    const host = place.slice(0, place.indexOf('/'));
    const page = await fetcher.fetch((web.origin(host) + place.slice(host.length)) as CanonicalUrl);
    if (page.kind !== 'fetched') throw new Error(page.kind);
    found.push(`${page.headers.tdmReservation ?? ''}|${page.headers.xRobotsTag}`);
  }
  await fetcher.close();
  return found;
}

it('adds reservations of whole sites to their pages, with one request per file', async () => {
  const places = ['/mined/1', '/free/1', '/art/1', '/art/open/1', '/'].map((path) => `rights.test${path}`);
  expect(await fieldsOf(true, ...places)).toEqual(['1|', '|', '|noai', '|', '|']);
  for (const file of ['rights.test/ai.txt', 'rights.test/.well-known/tdmrep.json'])
    expect(web.requests.filter((request) => request === file)).toHaveLength(1);
});

it('takes pages for people for no rules, and obeys robots.txt for the files', async () => {
  expect(await fieldsOf(true, 'people.test/1')).toEqual(['|']);
  expect(web.requests).not.toContain('people.test/ai.txt');
});

it('requests nothing unless it is asked to', async () => {
  const before = web.requests.length;
  expect(await fieldsOf(false, 'rights.test/mined/1')).toEqual(['|']);
  expect(web.requests.slice(before)).toEqual(['rights.test/robots.txt', 'rights.test/mined/1']);
});

it.each(['', 'null', '{}', '[null, 7, {"location": 3}]', '[{"location":"mined","tdm-reservation":1}]', 'not JSON'])(
  'reads no rules from %s',
  (text) => {
    expect(reservedPaths(text)).toEqual([]);
  },
);
