/**
 * `npm run bench:pagefind`: the search of a portal beside Pagefind, over the same generated pages. Both are served on
 * loopback, compressed, and searched for two words in Chromium, each time in a new page.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { readFlags } from '../scripts/script-flags.ts';
import { type PortalSource, writePortal } from '../src/postprocess/index.ts';
import { type Browser, CHROMIUM, openBrowser } from '../test/support/chromium.ts';
import { fileSizes, PORTAL_ASK, portalQueries } from './portal-searches.ts';
import { PageRecords, TREE } from './records.ts';
import { machine, median, table } from './table.ts';

const HELP = `npm run bench:pagefind -- [options]

  --pages a,b   numbers of pages (default 5000,50000)
`;
const SHOWN = 20;
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Asks Pagefind and waits for the rows of the first results, as many as the portal shows. */
const PAGEFIND_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pagefind</title><ol id="results"></ol>
<script type="module">
globalThis.ask = async (query) => {
  const begin = performance.now();
  const pagefind = await import('./pagefind/pagefind.js');
  const { results } = await pagefind.search(query);
  const rows = await Promise.all(results.slice(0, ${SHOWN}).map((result) => result.data()));
  document.getElementById('results').innerHTML = rows.map((row) => '<li>' + row.excerpt + '</li>').join('');
  return performance.now() - begin;
};
</script></html>`;

const flags = readFlags({
  pages: { type: 'string', default: '5000,50000' },
  help: { type: 'boolean', default: false },
});
if (flags.help) process.stdout.write(HELP);
else if (CHROMIUM === undefined) process.stdout.write('This needs Chromium.\n');
else await main(CHROMIUM);

async function main(chromium: string): Promise<void> {
  const records = new PageRecords();
  const place = mkdtempSync(join(tmpdir(), 'bingo-bench-pagefind-'));
  const browser = await openBrowser(chromium);
  const rows: string[][] = [];
  try {
    for (const pages of flags.pages.split(',').map(Number))
      for (const [name, write] of [
        ['portal', writeOwn],
        ['Pagefind', writePagefind],
      ] as const) {
        const folder = join(place, `${name}-${pages}`);
        mkdirSync(folder);
        const begin = performance.now();
        const memory = await write(records, pages, folder);
        const seconds = (performance.now() - begin) / 1000;
        const found = await searches(browser, folder, { name, stems: records.stems });
        rows.push([`${pages}`, name, seconds.toFixed(1), memory, ...sizesOf(folder), ...found]);
        process.stderr.write(`${rows.at(-1)!.join('  ')}\n`);
        rmSync(folder, { recursive: true, force: true });
      }
  } finally {
    await browser.close();
    rmSync(place, { recursive: true, force: true });
  }
  const head = [
    'pages',
    'search',
    'made in, s',
    'memory, MB',
    'files',
    'MB',
    'first search, ms',
    'requests',
    'KB, gzip',
  ];
  process.stdout.write(`${machine()}\n\n${table(head, rows)}\n`);
}

/** Returns the peak memory of this process, in MB. */
async function writeOwn(records: PageRecords, pages: number, folder: string): Promise<string> {
  const source: PortalSource = {
    async *exportPages() {
      for (let n = 1; n <= pages; n++) {
        const { document, assignment, ...record } = records.record(n);
        const { title, language } = document;
        yield {
          ...{ ...record, title, language, site: record.host, via: record.origin.from ?? '' },
          ...{ topic: assignment.topic, others: false, confidence: assignment.confidence, relevance: 0.5 },
        };
      }
    },
    async *histories() {},
    scoredPages: async () => [],
    pageLinks: async function* () {},
    training: async () => [],
    words: async (sequences) =>
      new Map(
        sequences.map((n) => {
          const { text, features } = records.record(n).document;
          return [n, { text, ...(features.terms && { terms: features.terms }) }];
        }),
      ),
  };
  await writePortal(source, { tree: TREE, title: 'Made up' }, folder);
  return (process.resourceUsage().maxRSS / 1000).toFixed(0);
}

/** Returns the peak memory of Pagefind's process, in MB. */
async function writePagefind(records: PageRecords, pages: number, folder: string): Promise<string> {
  const { createIndex, close } = await import(
    new URL('pagefind/node_modules/pagefind/lib/index.js', import.meta.url).href
  );
  const { index } = await createIndex();
  for (let n = 1; n <= pages; n++) {
    const { url, document } = records.record(n);
    await index.addCustomRecord({ url, content: document.text, language: 'en', meta: { title: document.title } });
  }
  const { errors } = await index.writeFiles({ outputPath: join(folder, 'pagefind') });
  const memory = peakOfChildren();
  await close();
  if (errors.length > 0) throw new Error(`Pagefind failed: ${errors.join(', ')}`);
  writeFileSync(join(folder, 'search.html'), PAGEFIND_PAGE);
  return memory;
}

/** Returns the greatest peak memory of the processes started here, in MB; `–` if the system does not list it. */
function peakOfChildren(): string {
  try {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
    const peaks = children.map((pid) => {
      const [, name = ''] = /^Name:\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      const [, kilobytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return name.startsWith('pagefind') ? Number(kilobytes) : 0;
    });
    return (Math.max(...peaks) / 1000).toFixed(0);
  } catch {
    return '–';
  }
}

/** Returns the number of files, and their size. */
function sizesOf(folder: string): string[] {
  const sizes = fileSizes(folder);
  return [`${sizes.length}`, (sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(0)];
}

interface Searched {
  readonly name: 'portal' | 'Pagefind';
  readonly stems: readonly string[];
}

/** Medians of searches for a frequent and a rarer word: time, requests, bytes. */
async function searches(browser: Browser, folder: string, { name, stems }: Searched): Promise<string[]> {
  const served = await serve(folder);
  const [times, requests, bytes]: [number[], number[], number[]] = [[], [], []];
  for (const [i, words] of portalQueries(stems).entries()) {
    const query = JSON.stringify(words);
    served.answers.length = 0;
    // A new origin each time: nothing is in the cache.
    const page = await browser.open(`http://t${i}.localhost:${served.port}/search.html`);
    const ask = name === 'portal' ? `(${PORTAL_ASK})(${query})` : `ask(${query})`;
    times.push(await page.evaluate<number>(ask));
    requests.push(served.answers.length);
    bytes.push(served.answers.reduce((sum, size) => sum + size, 0));
  }
  served.server.close();
  return [median(times).toFixed(0), median(requests).toFixed(0), (median(bytes) / 1e3).toFixed(0)];
}

/** Serves a folder, compressed as hosts do it. */
async function serve(folder: string): Promise<{ server: Server; port: number; answers: number[] }> {
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const file = readFileSync(join(folder, fileURLToPath(`file://${pathname}`)));
      const type = TYPES[extname(pathname)];
      const body = type === undefined ? file : gzipSync(file);
      answers.push(body.length);
      const encoding = type === undefined ? {} : { 'Content-Encoding': 'gzip' };
      response.writeHead(200, { 'Content-Type': type ?? 'application/octet-stream', ...encoding }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, answers };
}
