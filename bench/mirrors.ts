/**
 * `npm run bench:mirrors`: how many pages of mirror sites a crawl requests, in one process and spread. Each mirror serves
 * all pages of another site, under a domain of its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFlags, readNumber } from '../scripts/script-flags.ts';
import { shardOf } from '../src/core/index.ts';
import { type ManySites, manySitesWorkspace, startManySites } from '../test/support/many-sites.ts';
import { table } from './table.ts';

const HELP = `npm run bench:mirrors -- [options]

  --sites N     sites of the web (default 8)
  --pages N     pages of each (default 60)
  --mirrors N   sites that have a mirror in another shard (default 2)
  --shards N    default 4
  --budget N    pages to fetch (default 5000: all pages that can be reached)
  --delay N     pause between two requests to a site, in ms (default 250)
  --bingo FILE  bin/bingo.js of another version, to compare (default: this one's)
  --json        one JSON object on stdout
`;

/** Pages before the crawl is spread. */
const LEARN = 12;

const flags = readFlags({
  sites: { type: 'string', default: '8' },
  pages: { type: 'string', default: '60' },
  mirrors: { type: 'string', default: '2' },
  shards: { type: 'string', default: '4' },
  budget: { type: 'string', default: '5000' },
  delay: { type: 'string', default: '250' },
  bingo: { type: 'string', default: fileURLToPath(new URL('../bin/bingo.js', import.meta.url)) },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

/** What a crawl requested. */
interface MirrorRun {
  readonly crawl: string;
  readonly requests: number;
  /** Of them, pages of mirrors. */
  readonly mirrored: number;
}

async function main(): Promise<void> {
  const shards = readNumber('shards', flags.shards, 2);
  const mirrors = mirrorHosts(readNumber('mirrors', flags.mirrors, 1), shards);
  const [sites, pages] = [readNumber('sites', flags.sites, 5), readNumber('pages', flags.pages, 2)];
  const web = await startManySites(sites, pages, 20, { mirrors, hasArticle: false });
  const runs: MirrorRun[] = [];
  try {
    runs.push(await crawl(web, mirrors, 1));
    runs.push(await crawl(web, mirrors, shards));
  } finally {
    await web.close();
  }
  if (flags.json) process.stdout.write(`${JSON.stringify(runs)}\n`);
  else
    process.stdout.write(
      `${table(
        ['', 'pages requested', 'of mirrors'],
        runs.map(({ crawl, requests, mirrored }) => [crawl, String(requests), String(mirrored)]),
      )}\n`,
    );
}

/** Returns mirrors with the sites that they copy, from site 1 on. No mirror is in the shard of its site. */
function mirrorHosts(count: number, shards: number): ReadonlyMap<string, number> {
  const mirrors = new Map<string, number>();
  for (let i = 0; mirrors.size < count; i++) {
    const [host, site] = [`mirror${i}.test`, mirrors.size + 1];
    if (shardOf(host, shards) !== shardOf(`site${site}.test`, shards)) mirrors.set(host, site);
  }
  return mirrors;
}

async function crawl(web: ManySites, mirrors: ReadonlyMap<string, number>, shards: number): Promise<MirrorRun> {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-mirrors-'));
  try {
    const dir = join(folder, 'crawl');
    mkdirSync(dir);
    const workspace = manySitesWorkspace(web, 'learn: {maxArchetypes: 0}\n');
    writeFileSync(join(dir, 'bingo.yaml'), workspace.replace('delayMs: 0', `delayMs: ${flags.delay}`));
    await bingo(['crawl', dir, '--budget', String(LEARN), '--json']);
    if (shards > 1) await bingo(['spread', dir, '--shards', String(shards)]);
    web.takeRequests();
    await bingo([shards > 1 ? 'work' : 'crawl', dir, '--budget', flags.budget, '--json']);
    const requests = web.takeRequests();
    const mirrored = requests.filter((request) => mirrors.has(request.slice(0, request.indexOf('/'))));
    const name = shards > 1 ? `spread over ${shards} shards` : 'one process';
    return { crawl: name, requests: requests.length, mirrored: mirrored.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bingo(words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [flags.bingo, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`bingo ${words.join(' ')} ended with ${code}\n${errors}`);
}
