import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/core/index.ts';
import { askService } from '../../../src/workbench/find/search-service.ts';
import { parseService, writeService } from '../../../src/workbench/workspace/service-name.ts';

/** Answers as the services send them, shortened. */
const OPENALEX = {
  meta: { count: 2, page: 1, per_page: 25 },
  results: [
    {
      id: 'https://openalex.org/W2046188932',
      doi: 'https://doi.org/10.1145/128765.128770',
      display_name: 'ARIES: a transaction recovery method',
      primary_location: { landing_page_url: 'https://doi.org/10.1145/128765.128770', pdf_url: null },
      best_oa_location: { landing_page_url: null, pdf_url: 'https://cs.example.edu/aries.pdf' },
      open_access: { is_oa: true, oa_url: 'https://cs.example.edu/aries.pdf' },
    },
    { id: 'https://openalex.org/W1', doi: null, display_name: null, primary_location: null, best_oa_location: null },
    {
      id: 'https://openalex.org/W2',
      doi: 'https://doi.org/10.1000/2',
      title: 'Logging',
      primary_location: { landing_page_url: 'https://doi.org/10.1000/2' },
      best_oa_location: null,
    },
  ],
};
const CROSSREF = {
  status: 'ok',
  'message-type': 'work-list',
  message: {
    'total-results': 2,
    items: [
      {
        DOI: '10.1145/128765.128770',
        URL: 'https://doi.org/10.1145/128765.128770',
        title: ['ARIES'],
        resource: { primary: { URL: 'https://dl.acm.org/doi/10.1145/128765.128770' } },
      },
      { DOI: '10.1000/2', URL: 'https://doi.org/10.1000/2', title: [] },
    ],
  },
};
const ARXIV = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title type="html">ArXiv Query: search_query=all:electron</title>
  <id>http://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id>
  <entry>
    <id>http://arxiv.org/abs/2401.00001v2</id>
    <title>Recovery &amp;
      Logging</title>
    <link href="http://arxiv.org/abs/2401.00001v2" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/2401.00001v2" rel="related" type="application/pdf"/>
  </entry>
  <entry><id>http://arxiv.org/abs/hep-ex/0307015v1</id><title>Multi</title></entry>
</feed>`;
const ARXIV_ERROR = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#incorrect_id_format</id>
  <title>Error</title><summary>incorrect id format for 1</summary></entry></feed>`;

let server: Server;
let origin: string;
let answer = '';
let asked: URL;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked = new URL(request.url ?? '', origin);
    response.end(answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

async function ask(kind: string, text: string, query = 'aries recovery'): Promise<readonly unknown[]> {
  answer = text;
  const network = { ...DEFAULTS.network, contact: 'me@example.org' };
  return await askService(parseService(`${kind}:${origin}/works`)!, query, { limit: 5, userAgent: 'bingo', network });
}

describe('catalogues of papers as sources of first pages', () => {
  it('OpenAlex: the open copy, else the landing page', async () => {
    expect(await ask('openalex', JSON.stringify(OPENALEX))).toEqual([
      { url: 'https://cs.example.edu/aries.pdf', title: 'ARIES: a transaction recovery method' },
      { url: 'https://doi.org/10.1000/2', title: 'Logging' },
    ]);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      search: 'aries recovery',
      'per-page': '5',
      mailto: 'me@example.org',
    });
  });

  it('Crossref: the page of the publisher, else the DOI', async () => {
    expect(await ask('crossref', JSON.stringify(CROSSREF))).toEqual([
      { url: 'https://dl.acm.org/doi/10.1145/128765.128770', title: 'ARIES' },
      { url: 'https://doi.org/10.1000/2', title: '' },
    ]);
    expect(asked.searchParams.get('rows')).toBe('5');
  });

  it('arXiv: the newest version of each abstract', async () => {
    expect(await ask('arxiv', ARXIV, 'aries: recovery (fast)')).toEqual([
      { url: 'https://arxiv.org/abs/2401.00001', title: 'Recovery & Logging' },
      { url: 'https://arxiv.org/abs/hep-ex/0307015', title: 'Multi' },
    ]);
    expect(asked.searchParams.get('search_query')).toBe('all:aries AND all:recovery AND all:fast');
  });

  it.each([
    ['openalex', '{"error": "x"}', /Is it the API of OpenAlex/],
    ['crossref', '[]', /Is it the API of Crossref/],
    ['arxiv', '<html></html>', /Is it the API of arXiv/],
    ['openalex', '<html></html>', /path to its search page/],
    ['arxiv', ARXIV_ERROR, /Use other words/],
    ['openalex', '{"results": []}', /Use other words/],
  ])('%s: names the trouble of the answer %s', async (kind, text, hint) => {
    await expect(ask(kind, text)).rejects.toMatchObject({ code: 'SEARCH_SERVICE', hint: expect.stringMatching(hint) });
  });
});

describe('the name of a service', () => {
  it.each(['openalex', 'crossref', 'arxiv', 'wikipedia:http://127.0.0.1/w/api.php', 'file:a.txt'])(
    '%s is read and written back',
    (text) => {
      expect(writeService(parseService(text)!)).toBe(text);
    },
  );

  it.each(['google', 'openalex:ftp://x', 'searxng', 'wikipedia', 'file', 'arxiv:http://a:b@c/'])(
    '%s is rejected',
    (text) => {
      expect(parseService(text)).toBeUndefined();
    },
  );
});
