import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOrder } from '../../src/cli/find/find-loop.ts';
import { main } from '../../src/cli/main.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { startBikeWeb } from './support/bike-web.ts';
import { capturedIo, type Outcome, run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;
let others: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-find-'));
  others = join(root, 'others.txt');
  const urls = ['food.test', 'stars.test'].flatMap((host) => [1, 2, 5, 7].map((n) => `${web.origin(host)}/${n}`));
  writeFileSync(others, `${urls.join('\n')}\n`);
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

const QUERY = 'bicycle touring saddle';
const page = (n: number): string => `${web.origin('bikes.test')}/${n}`;

function words(dir: string, ...more: string[]): string[] {
  const set = [
    ...['network.allowPrivate=true', `network.dnsServers=${web.dnsServer}`, 'network.delayMs=0'],
    ...['network.concurrency=1', 'analyze.threads=1'],
  ].flatMap((setting) => ['--set', setting]);
  return ['find', QUERY, '--keep', join(root, dir), '--others', others, '--budget', '12', ...set, ...more];
}

describe('bingo find', () => {
  it('makes a workspace, learns from query and pages, crawls, and prints accepted pages', async () => {
    const { code, out, err } = await run(words('plain', '--seed', page(0), page(5), '--limit', '3'));
    expect(code).toBe(0);
    expect(out).toMatch(/ 1 {2}bicycle page \d+\n.*bikes\.test.*\n.*\[\d\.\d\d\]$/m);
    expect(err).toContain('The budget is spent. 12 pages');
    expect(err).toMatch(/3 of \d+ accepted pages with these words/);
    // The budget is spent: the same command again would do nothing.
    expect(err).toContain(`bingo find '${QUERY}' --keep ${join(root, 'plain')} --budget 24\n`);
    const yaml = readFileSync(join(root, 'plain', 'bingo.yaml'), 'utf8');
    expect(yaml).toContain(`query: ${QUERY}`);
    expect(yaml).toMatch(/timeMs: 600000\b/);
  });

  it('continues the same search with the same command, and fetches nothing again', async () => {
    const before = web.requests.length;
    const { code, err } = await run(words('plain').map((word) => (word === '12' ? '16' : word)));
    expect(code).toBe(0);
    expect(err).toContain('4 pages in');
    expect(web.requests.slice(before).filter((path) => !path.endsWith('robots.txt')).length).toBeLessThanOrEqual(6);
  });

  it('ignores seeds that it knows, and learns from new ones', async () => {
    expect(await run(words('plain', '--seed', page(5), page(0)))).toMatchObject({ code: 0 });
    const { code, err } = await run(words('plain', '--seed', page(0), page(8)));
    expect([code, err]).toEqual([0, expect.stringContaining(`New to learn from and to start at: ${page(8)}.\n`)]);
    expect((await run(['why', join(root, 'plain'), page(8)])).out).toContain('It is an example of');
    const yaml = readFileSync(join(root, 'plain', 'bingo.yaml'), 'utf8');
    expect(yaml).toMatch(/^# A Bingo workspace/);
    expect(yaml).toContain(`- ${page(5)}\n      - ${page(8)}\n`);
  });

  it('adds the surest pages without the words if few pages have them', async () => {
    const asked = [
      ...['find', 'velocipede', '--keep', join(root, 'rare'), '--others', others, '--budget', '8', '--limit', '4'],
      ...words('x').slice(8),
      ...['--seed', page(0), page(5)],
    ];
    const { code, out, err } = await run(asked);
    expect(code).toBe(0);
    expect(err).toMatch(/No accepted page has these words\. Shown: the 4 surest without them\./);
    expect(out).toMatch(/ 4 {2}bicycle page[^\n]*\n.*bikes\.test.*\n.*\[\d\.\d\d\]\n/);
    const { results } = JSON.parse((await run([...asked, '--json'])).out) as { results: { shares: object }[] };
    expect(results[3]?.shares).toMatchObject({ bm25: 0 });
  });

  it('learns nothing from excluded words', async () => {
    const dir = join(root, 'minus');
    const query = 'bicycle -velocipede';
    const set = words('minus').slice(2);
    expect(await run(['find', query, ...set, '--seed', page(0), page(5)])).toMatchObject({ code: 0 });
    const { out } = await run(['topic', 'show', dir, query]);
    expect(out).toMatch(/for .*bicycl/);
    expect(out).not.toMatch(/velociped \d/);
  });

  it('uses addresses among the words as first pages, and says so', async () => {
    const [, , ...flags] = words('forgotten');
    const { code, err } = await run(['find', 'bicycle', page(0), 'touring', page(5), ...flags]);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(`Using these addresses as seeds, like --seed: ${page(0)}, ${page(5)}\n`),
    ]);
    const yaml = readFileSync(join(root, 'forgotten', 'bingo.yaml'), 'utf8');
    expect(yaml).toContain('query: bicycle touring\n');
    expect(yaml).toContain(`- ${page(0)}\n      - ${page(5)}\n`);
    const alone = await run(['find', page(0), ...flags]);
    expect(alone).toMatchObject({ code: 2, err: expect.stringMatching(/no words\.\n.*WORDS --seed http/) });
  });

  it('uses operators as filters, does not learn from them, and reports errors early', async () => {
    const asked = (query: string, ...more: string[]): string[] => [
      'find',
      query,
      ...words('operators').slice(2),
      ...more,
    ];
    const before = web.requests.length;
    for (const wrong of ['saddle topic:cycling', 'saddle type:movie'])
      expect(await run(asked(wrong, '--seed', page(0), page(5)))).toMatchObject({ code: 2, out: '' });
    expect(web.requests.length).toBe(before);
    const { code, out, err } = await run(asked('*saddle site:nowhere.test', '--seed', page(0), page(5)));
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('The asterisk of "*saddle" is ignored');
    const shown = await run(['topic', 'show', join(root, 'operators'), '*saddle site:nowhere.test']);
    expect(shown.out).toMatch(/for .*saddl/);
    expect(shown.out).not.toMatch(/nowher\w* \d/);
  });

  it('fails if no first page can be fetched, even if OTHERS can, and asks for others', async () => {
    const { code, err } = await run(words('typo', '--seed', `${page(0)}/typo`));
    expect(code).toBe(1);
    expect(err).toContain('error: None of the first pages could be fetched');
    expect(err).toContain('failed http 404');
    expect(err).toContain(join(root, 'typo', 'bingo.yaml'));
    const yaml = join(root, 'typo', 'bingo.yaml');
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('/typo', ''));
    expect(await run(words('typo'))).toMatchObject({ code: 0 });
  });

  it('starts from another page if the first one could not be fetched', async () => {
    expect(await run(words('other', '--seed', `${page(0)}/typo`))).toMatchObject({ code: 1 });
    const { code, out, err } = await run(words('other', '--seed', page(0)));
    expect([code, out]).toEqual([0, expect.stringContaining('bicycle page')]);
    expect(err).toContain('12 pages in');
  });

  it('does not doubt a first page if only the time was too short for it', async () => {
    web.handle('silent.test', () => {});
    const seed = `${web.origin('silent.test')}/`;
    const timeout = ['--set', 'network.headersTimeoutMs=500ms'];
    const { code, err } = await run(words('hurry', '--seed', seed, '--time', '100ms', ...timeout));
    expect([code, err]).toEqual([1, expect.stringContaining('The time was up before a page was fetched')]);
  });

  it('prints one JSON object: the pages fetched and the answers with their parts', async () => {
    const { code, out, err } = await run(words('json', '--seed', page(0), page(5), '--json'));
    expect([code, err]).toEqual([0, '']);
    const answer = JSON.parse(out) as { crawl: object; results: { url: string; shares: object; topic: string }[] };
    expect(answer).toMatchObject({
      query: QUERY,
      workspace: join(root, 'json'),
      crawl: { reason: 'budget', pages: 12 },
    });
    expect(answer.results.length).toBeGreaterThan(3);
    expect(new Set(answer.results.map(({ topic }) => topic))).toEqual(new Set([QUERY]));
  });

  it('ends by itself once nothing relevant comes any more, unless the rule is off', async () => {
    const crawled = async (dir: string, stagnationPages: number): Promise<{ reason: string; pages: number }> => {
      const asked = words(dir, '--seed', page(0), page(5), '--json').map((word) => (word === '12' ? '60' : word));
      const { out } = await run([...asked, '--set', `crawl.stagnationPages=${stagnationPages}`]);
      return (JSON.parse(out) as { crawl: { reason: string; pages: number } }).crawl;
    };
    const [barren, whole] = [await crawled('barren', 3), await crawled('whole', 0)];
    expect([barren.reason, whole.reason]).toEqual(['stagnation', 'frontier-dry']);
    expect(barren.pages).toBeLessThan(whole.pages);
  });

  it('takes first pages from the search service in the environment', async () => {
    const { code, err } = await run(words('service', '--plain'), {
      env: { BINGO_NETWORK_SEARCH_SERVICE: `searxng:${serviceOrigin()}` },
    });
    expect(code).toBe(0);
    expect(err).toContain('Bicycles 3');
    const yaml = readFileSync(join(root, 'service', 'bingo.yaml'), 'utf8');
    for (const n of [3, 6, 9]) expect(yaml).toContain(page(n));
  });

  it('applies the rules of every crawl to pages of a service: no private address', async () => {
    const dir = join(root, 'private');
    const before = web.requests.length;
    const { code, err } = await run([
      ...['find', QUERY, '--keep', dir, '--others', others, '--budget', '5', '--contact', 'me@example.org'],
      ...['--search-service', `searxng:${serviceOrigin()}`, '--set', `network.dnsServers=${web.dnsServer}`],
    ]);
    expect(code).toBe(1);
    expect(err).toContain('None of the first pages could be fetched');
    expect(err).toMatch(/refused .*private/);
    expect(web.requests.length).toBe(before + 1);
  });

  it('makes no workspace without first pages or if no host was reachable', async () => {
    const bare = await run(['find', QUERY, '--keep', join(root, 'none')]);
    expect(bare).toMatchObject({
      code: 2,
      err: expect.stringContaining('with --seed URL, or a search service with --search-service'),
    });
    const open = await run(['find', QUERY, '--keep', join(root, 'none'), '--seed', 'https://www.wikipedia.org/']);
    expect(open).toMatchObject({ code: 2, err: expect.stringContaining('--contact you@example.org') });
    const secret = ['--search-service', 'searxng:http://me:secret@search.example'];
    const named = await run(['find', QUERY, '--keep', join(root, 'none'), ...secret]);
    expect([named.code, named.err]).toEqual([2, expect.stringContaining('are not sent: leave them out')]);
    expect(named.err).not.toContain('secret');
    const wrong = await run(['find', QUERY, '--keep', join(root, 'none'), '--search-service', 'altavista']);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('searxng:URL') });
    const rank = await run(['find', QUERY, '--keep', join(root, 'none'), '--seed', page(0), '--rank', 'luck']);
    expect(rank).toMatchObject({ code: 2, err: expect.stringContaining('cannot be ranked by "luck"') });
    expect(existsSync(join(root, 'none'))).toBe(false);
  });

  it.each([
    ['', [], 'Expected words, got ""'],
    ['the of and', [], 'holds no word to learn from'],
    [QUERY, ['--others', '/nowhere.txt'], 'Cannot read the file /nowhere.txt'],
    [QUERY, ['--keep', ''], 'The folder has no name'],
    [QUERY, ['--keep', import.meta.filename], 'is a file'],
  ])('asks no service where the question or a flag is wrong: %j %j', async (query, flags, wrong) => {
    const before = web.requests.length;
    const service = ['--search-service', `searxng:${serviceOrigin()}`];
    const keep = flags.includes('--keep') ? [] : ['--keep', join(root, 'none')];
    const { err } = await run(['find', query, ...keep, ...service, ...flags]);
    expect(err).toContain(wrong);
    expect([web.requests.length, existsSync(join(root, 'none'))]).toEqual([before, false]);
  });

  it('does not touch a folder with other contents', async () => {
    mkdirSync(join(root, 'mine'));
    writeFileSync(join(root, 'mine', 'thesis.txt'), '');
    expect(await run(words('mine', '--seed', page(0)))).toMatchObject({
      code: 2,
      err: expect.stringContaining('holds other files'),
    });
    const other = await run(['find', 'other words', '--keep', join(root, 'plain')]);
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('workspace without this search') });
  });

  it("stores searches by their words in the user's data folder", async () => {
    const set = words('x').slice(4);
    const { code } = await run(['find', QUERY, ...set, '--seed', page(0), page(5)], { env: { XDG_DATA_HOME: root } });
    expect(code).toBe(0);
    expect(existsSync(join(root, 'bingo', 'find', 'bicycle-touring-saddle', 'bingo.yaml'))).toBe(true);
  });

  it('asks for a folder if the user has no data folder, or it is not writable', async () => {
    const line = [...words('x').slice(4), '--seed', page(0)];
    const homeless = await run(['find', QUERY, ...line], { env: { HOME: '' } });
    expect(homeless).toMatchObject({ code: 2, err: expect.stringMatching(/HOME is not set.\nName one: --keep DIR/) });
    const locked = await run(['find', QUERY, ...line], { env: { XDG_DATA_HOME: others } });
    expect(locked).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot be kept in .*ENOTDIR.*\n.*--keep DIR/),
    });
  });

  it('keeps searches apart whose words give the same folder name', async () => {
    const rest = [...words('x').slice(4), '--json', '--seed', page(0), page(5)];
    const env = { XDG_DATA_HOME: root };
    const folders: unknown[] = [];
    for (const query of ['自転車 サドル', '自転車 旅行']) {
      const { code, out } = await run(['find', query, ...rest], { env });
      expect(code).toBe(0);
      folders.push(JSON.parse(out).workspace);
    }
    expect(folders).toEqual(['search', 'search-2'].map((name) => join(root, 'bingo', 'find', name)));
    const again = await run(['find', '自転車 旅行', ...rest.slice(0, -3)], { env });
    expect(JSON.parse(again.out).workspace).toBe(folders[1]);
  });

  it('counts the pages on the subject by the latest model', async () => {
    const { out } = await run(words('marked', '--seed', page(0), page(5), '--json'));
    const bad: string[] = JSON.parse(out)
      .results.slice(0, 3)
      .map((result: { url: string }) => result.url);
    expect(await run(['mark', join(root, 'marked'), '--bad', ...bad])).toMatchObject({ code: 0 });
    const again = JSON.parse((await run(words('marked', '--json'))).out);
    const stored = JSON.parse((await run(['status', join(root, 'marked'), '--json'])).out);
    expect(stored.relevant).toBeLessThan(JSON.parse(out).crawl.relevant);
    expect(again.crawl.relevant).toBe(stored.relevant);
  });
});

describe('bingo find on a terminal', () => {
  it('asks which pages to learn from, then marks, searches, ranks and crawls on command', async () => {
    const { code, out, err } = await talk(words('talk', '--plain', '--search-service', `searxng:${serviceOrigin()}`), [
      ['q to cancel: ', '1 3'],
      ['> ', 'b 99'],
      ['> ', 'good 1 2 bad 3'],
      ['> ', 'rank confidence'],
      ['> ', 'preview 1'],
      ['> ', 'search derailleur'],
      ['> ', 'p 1'],
      ['> ', 'crawl'],
      ['> ', 'dance'],
      ['> ', 'more'],
      ['> ', 'q'],
    ]);
    expect(code).toBe(0);
    const yaml = readFileSync(join(root, 'talk', 'bingo.yaml'), 'utf8');
    expect([page(3), page(9)].every((url) => yaml.includes(url))).toBe(true);
    expect(yaml).not.toContain(page(6));
    expect(err).toContain('Unknown answer "99"');
    expect(err).toMatch(/Learned and judged again in \d/);
    expect(out).toMatch(/\[\d\.\d\d\] = \d\.\d\d confidence/);
    expect(out).toContain('*derailleur*');
    expect(err).toContain('No more answers. Try other words');
    expect(err).toContain('24 in all');
    expect(err).toContain('Unknown command: dance.');
  });

  it('ends with its input, keeps everything, and learns nothing from no pages', async () => {
    const { code, err } = await talk(words('talk', '--plain'), [
      ['> ', 'good'],
      ['> ', 'good 1 bad 1'],
      ['> ', 'search planet telescope'],
      ['> ', undefined],
    ]);
    expect(code).toBe(0);
    expect(err).toMatch(
      /No accepted page has these words[^\n]*\n\d+ pages? that (was|were) not accepted .*'planet telescope' --all/,
    );
    expect(err).toContain('good which?');
    expect(err).toContain('1 cannot be good and bad');
    expect(err).toContain('Everything is kept in');
  });
});

describe('readOrder', () => {
  it('accepts abbreviated commands, and places with commas or blanks', () => {
    expect(readOrder('g 1,3  b 2', 5)).toEqual({ kind: 'mark', good: [1, 3], bad: [2] });
    expect(readOrder('  BAD 4', 5)).toEqual({ kind: 'mark', good: [], bad: [4] });
    expect(readOrder('s  media recovery', 5)).toEqual({ kind: 'search', text: 'media recovery' });
    expect(readOrder('?', 5)).toEqual({ kind: 'help' });
    expect(readOrder('p 2', 5)).toEqual({ kind: 'preview', places: [2] });
    expect(readOrder(' more ', 5)).toEqual({ kind: 'more' });
  });

  it('reports input that it does not understand', () => {
    expect(() => readOrder('open', 5)).toThrow('open which?');
    expect(() => readOrder('crawl 200', 5)).toThrow('crawl takes no argument, got "200".');
  });
});

/** The address of the service: its own port under a name that resolves everywhere. */
function serviceOrigin(): string {
  web.handle('127.0.0.1', (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://x');
    const pages = searchParams.get('q')?.includes('bicycle') ? [3, 6, 9] : [];
    const results = pages.map((n) => ({ url: page(n), title: `Bicycles ${n}` }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
  });
  return `http://127.0.0.1:${web.port}`;
}

/** Runs a command line in a terminal. Types each answer once its prompt appears; `undefined` ends the input. */
async function talk(
  line: readonly string[],
  answers: readonly (readonly [string, string | undefined])[],
): Promise<Outcome> {
  const stdin = new PassThrough();
  const left = [...answers];
  const terminal = { stdin, stdinIsTerminal: true, stdoutIsTerminal: true, stderrIsTerminal: true };
  const kept = capturedIo({ ...terminal, env: { NO_COLOR: '1' } });
  const err = (text: string): void => {
    kept.io.err(text);
    const [next] = left;
    if (next === undefined || !text.endsWith(next[0])) return;
    left.shift();
    setImmediate(() => (next[1] === undefined ? stdin.end() : stdin.write(`${next[1]}\n`)));
  };
  const code = await main(line, { ...kept.io, err });
  return { code, out: kept.out(), err: kept.err() };
}
