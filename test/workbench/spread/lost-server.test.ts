import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Outcome, run } from '../../cli/support/captured-io.ts';
import { mysql, onServer, type Place } from '../../contracts/store-databases.ts';
import { type ManySites, manySitesWorkspace, startManySites } from '../../support/many-sites.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

const SHARDS = 3;
/** A statement that is not repeated by the store itself. */
const SIGN_OF_LIFE = 'replace into shard_worker';
const LOST = /the database server does not answer .* This process asks again until the server answers/;
const BACK = 'The database server answers again.';

describe.skipIf(mysql.missing !== undefined)('a process of a spread crawl whose database server', () => {
  const root = mkdtempSync(join(tmpdir(), 'bingo-lost-'));
  let web: ManySites;
  let place: Place;
  let proxy: TcpProxy;
  let dir: string;

  beforeEach(async () => {
    web = await startManySites(8, 6, 20);
    place = await mysql.place();
    const { url } = place.options;
    proxy = await TcpProxy.to(url);
    dir = join(root, new URL(url).pathname);
    mkdirSync(dir);
    const store = `store: {url: "${url}", batch: 5, flushMs: 20ms}\nlearn: {maxArchetypes: 0}\n`;
    writeFileSync(join(dir, 'bingo.yaml'), manySitesWorkspace(web, store));
    expect(await run(['crawl', dir, '--budget', '12', '--plain'])).toMatchObject({ code: 0 });
    expect(await run(['spread', dir, '--shards', String(SHARDS)])).toMatchObject({ code: 0 });
    web.takeRequests();
  }, 60_000);

  afterEach(async () => {
    await proxy.refuse();
    await web.close();
    const { pathname } = new URL(place.options.url);
    for (let shard = 0; shard < SHARDS; shard++)
      await onServer(`drop database if exists ${pathname.slice(1)}_s${shard}`);
    await place.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  const work = async (...words: readonly string[]): Promise<Outcome> =>
    await run(['work', dir, '--budget', '1000', '--json', ...words], {
      env: { BINGO_STORE_URL: proxy.through(place.options.url) },
    });

  const expectAll = ({ code, out, err }: Outcome): void => {
    expect(code, err).toBe(0);
    expect(err).toMatch(LOST);
    expect(err).toContain(BACK);
    // All pages but the two examples, and the seeds.
    expect(JSON.parse(out)).toMatchObject({ reason: 'frontier-dry', fetched: web.reachable - 2 });
    const requests = web.takeRequests();
    expect(new Set(requests).size).toBe(requests.length);
  };

  test('resets its connections works on to the end, and requests no page again', async () => {
    const done = work();
    await web.requested(8);
    proxy.reset();
    await proxy.onceAt(SIGN_OF_LIFE, async () => proxy.reset());
    expectAll(await done);
  }, 120_000);

  test('is down for some seconds works on to the end, and requests no page again', async () => {
    const done = work();
    await web.requested(12);
    await proxy.onceAt(SIGN_OF_LIFE, () => proxy.refuse());
    await sleep(4_000);
    await proxy.resume();
    expectAll(await done);
  }, 120_000);

  test('stays down ends with the cause, and the same command continues', async () => {
    const done = work('--set', 'store.reconnectMs=1s');
    await web.requested(12);
    await proxy.refuse();
    const { code, err } = await done;
    expect(code).toBe(1);
    expect(err).toContain('Check that the server runs');
    await proxy.resume();
    expect(await work()).toMatchObject({ code: 0 });
  }, 120_000);

  test('does not answer at the start ends at once with the cause', async () => {
    await proxy.refuse();
    const { code, err } = await work();
    expect(code).toBe(1);
    expect(err).toContain('Check that the server runs and that store.url is right');
    expect(err).not.toMatch(LOST);
  }, 60_000);
});
