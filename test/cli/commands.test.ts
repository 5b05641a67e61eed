import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockWorkspace, openStore } from '../../src/store/index.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, page, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-commands-'));
  dir = workspace('bikes', bikeWorkspace(web));
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

function workspace(name: string, text: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'bingo.yaml'), text);
  return folder;
}

function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('bingo crawl', () => {
  it('prints every page and phase as JSON lines, and the summary last', async () => {
    const { code, out, err } = await run(['crawl', dir, '--budget', '8', '--learn', '4', '--json']);
    expect([code, err]).toEqual([0, '']);
    const lines = jsonLines(out);
    expect(lines.filter((line) => line.kind === 'phase').map((line) => line.phase)).toEqual(['learning', 'harvesting']);
    expect(lines.filter((line) => line.kind === 'page' && line.role === 'crawled')).toHaveLength(8);
    expect(lines.at(-1)).toMatchObject({ kind: 'summary', reason: 'budget', pages: 8, fetchedNow: 8 });
  });

  it('accepts from two similar examples all pages of their subject and no others', async () => {
    const own = await startBikeWeb();
    try {
      const { out } = await run(['crawl', workspace('alike', bikeWorkspace(own)), '--budget', '20', '--json']);
      const accepted = jsonLines(out).filter(({ role, topic }) => role === 'crawled' && topic === 'cycling');
      const paths = accepted.map(({ url }) => (url as string).slice(own.origin('bikes.test').length));
      expect(paths.toSorted()).toEqual(['/1', '/10', '/11', '/2', '/3', '/4', '/6', '/7', '/8', '/9']);
    } finally {
      await own.close();
    }
  });

  it('skips unreadable example files with one message, and continues with the others', async () => {
    const broken = Array.from({ length: 7 }, (_, i) => `broken${i}.txt`);
    const named = ['rides.txt', ...broken].map((name) => `{ file: ${name} }`).join(', ');
    const folder = workspace('some-files', bikeWorkspace(web).replace('examples: [', `examples: [${named}, `));
    writeFileSync(join(folder, 'rides.txt'), 'bicycle wheel pedal chain saddle ride brake gear '.repeat(20));
    for (const name of broken) writeFileSync(join(folder, name), '');
    const { code, out } = await run(['crawl', folder, '--budget', '2', '--learn', '0', '--json']);
    expect(code).toBe(0);
    const told = jsonLines(out).filter((line) => line.code === 'document-left-out');
    expect(told).toMatchObject([
      {
        message: expect.stringMatching(
          /^7 documents of bingo.yaml cannot be read and are left out: broken0.txt \(the body is empty\), .* and 2 more documents\.$/,
        ),
      },
    ]);
    const { out: training } = await run([
      'sql',
      folder,
      '--json',
      "select example from training where origin = 'user'",
    ]);
    expect(JSON.parse(training).map((row: { example: string }) => row.example)).toContain('rides.txt');
  });

  it('explains for each example file why it is unreadable, if all are, before any fetch', async () => {
    const text = bikeWorkspace(web).replace('examples: [', 'examples: [{ file: empty.txt }, { file: no.pdf }, ');
    const folder = workspace('files', text);
    writeFileSync(join(folder, 'empty.txt'), '');
    writeFileSync(join(folder, 'no.pdf'), Buffer.from([0, 1, 2, 3]));
    const { code, err } = await run(['crawl', folder]);
    expect(code).toBe(2);
    expect(err).toContain('  empty.txt: Cannot be read: the body is empty\n');
    expect(err).toContain('  no.pdf: Cannot be read: sent as application/pdf, but not text\n');
  });

  it('does not blame sites for unreachable name servers', async () => {
    const before = (await run(['status', dir, '--json'])).out;
    const { code, err } = await run(['crawl', dir, '--budget', '9', '--set', 'network.dnsServers=127.0.0.1:1']);
    expect([code, err]).toEqual([1, expect.stringContaining('No name server answers: 127.0.0.1:1.')]);
    expect((await run(['status', dir, '--json'])).out).toBe(before);
  });

  it('does not blame sites for an unreachable proxy', async () => {
    const before = (await run(['status', dir, '--json'])).out;
    const { code, err } = await run(['crawl', dir, '--budget', '9', '--proxy', 'http://me:secret@127.0.0.1:1']);
    expect([code, err]).toEqual([1, expect.stringContaining('The proxy http://127.0.0.1:1 does not answer: ')]);
    expect((await run(['status', dir, '--json'])).out).toBe(before);
  });

  it('continues where the last run stopped, and fetches nothing twice', async () => {
    const before = web.requests.length;
    const { code, err } = await run(['crawl', dir, '--budget', '14', '--learn', '4']);
    expect(code).toBe(0);
    expect(err).toContain('The budget is spent. 6 pages');
    expect(err).toContain(`bingo search ${dir} "words"`);
    const asked = web.requests.slice(before).filter((path) => !path.endsWith('/robots.txt'));
    expect(new Set([...web.requests.slice(0, before), ...asked]).size).toBeGreaterThanOrEqual(asked.length);
    expect(asked.filter((path) => web.requests.slice(0, before).includes(path))).toEqual([]);
  });

  it('reports a workspace that is in use, and changes nothing', async () => {
    const lock = lockWorkspace(dir);
    const { code, err } = await run(['crawl', dir, '--budget', '20']);
    lock.release();
    expect(code).toBe(1);
    expect(err).toContain(`in use by another process (pid ${process.pid})`);
  });

  it('requires a contact before crawling the open web', async () => {
    const open = workspace(
      'open',
      'topics:\n  - name: a\n    examples: [https://www.wikipedia.org/]\nothers: [https://nasa.gov/]\n',
    );
    const { code, err } = await run(['crawl', open]);
    expect(code).toBe(2);
    expect(err).toContain('--contact you@example.org');
    const far = await run(['crawl', open, '--proxy', 'http://proxy.example.org:3128']);
    expect(far).toMatchObject({ code: 2, err });
    // A proxy on this machine may replay a frozen web.
    const own = await run(['crawl', open, '--proxy', 'http://127.0.0.1:1']);
    expect(own).toMatchObject({ code: 1, err: expect.stringMatching(/No contact is set.*\n.*does not answer/) });
  });

  it('requires a contact even if private addresses are allowed or only OTHERS is on the web', async () => {
    const text = (example: string, other: string): string =>
      `topics:\n  - name: a\n    examples: [${example}]\nothers: [${other}]\n`;
    const [near, far] = ['http://127.0.0.1:1/', 'https://www.wikipedia.org/'];
    const intranet = ['--set', 'network.allowPrivate=true'];
    const refused = { code: 2, err: expect.stringContaining('--contact you@example.org') };
    expect(await run(['crawl', workspace('far', text(far, near)), ...intranet])).toMatchObject(refused);
    expect(await run(['crawl', workspace('far-others', text(near, far)), ...intranet])).toMatchObject(refused);
    const inside = await run(['crawl', workspace('near', text(near, 'http://127.0.0.1:1/other')), ...intranet]);
    expect(inside).toMatchObject({ code: 1, err: expect.not.stringContaining('contact') });
  });

  it('says that it starts from scratch if the store is an empty file', async () => {
    const folder = workspace('emptied', bikeWorkspace(web, 'crawl: {budget: 1}\n'));
    writeFileSync(join(folder, 'store.db'), '');
    expect((await run(['crawl', folder])).err).toMatch(/^store\.db is empty .*restore a copy/);
    expect((await run(['crawl', folder])).err).not.toContain('is empty');
  });

  it('stops at Ctrl-C with code 130, saves, and says how to resume', async () => {
    const folder = workspace('stopped', bikeWorkspace(web, 'crawl: {budget: 30}\n'));
    let press = (): void => {};
    web.handle('stars.test', (_request, response) => {
      press();
      response.writeHead(404).end();
    });
    const { code, err } = await run(['crawl', folder], {
      onInterrupt: (listener) => {
        let pressed = false;
        press = () => {
          if (!pressed) listener();
          pressed = true;
        };
        return () => {};
      },
    });
    expect(code).toBe(130);
    expect(err).toContain('Stopping: finishing');
    expect(err).toContain(`bingo crawl ${folder}\n      continue the crawl`);
  });

  it('stops at Ctrl-C before learning, and learns in the next run', async () => {
    const missing = `examples: [${web.origin('bikes.test')}/missing, `;
    const text = bikeWorkspace(web, 'crawl: {budget: 6}\n').replace('examples: [', missing);
    const folder = workspace('untaught', text);
    const rounds = async (): Promise<unknown> => {
      const { out } = await run(['sql', folder, '--json', 'select count(*) as rounds from round']);
      return JSON.parse(out);
    };
    let press = (): void => {};
    let told = '';
    const first = await run(['crawl', folder, '--plain'], {
      onInterrupt: (listener) => {
        press = listener;
        return () => {};
      },
      // Printed once all training pages have arrived or failed: training begins next.
      err: (line) => {
        told += line;
        if (line.includes('could not be used')) press();
      },
    });
    expect([first.code, told, await rounds()]).toEqual([130, expect.stringContaining('Stopped;'), [{ rounds: 0 }]]);
    const again = await run(['crawl', folder, '--plain']);
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('round 1: trained on')]);
  });

  it('says plainly that no page of a topic could be fetched', async () => {
    const text = bikeWorkspace(web).replace(
      /examples: .*/,
      `examples: [${web.origin('gone.test')}/, ${web.origin('bikes.test')}/missing]`,
    );
    const { code, err } = await run(['crawl', workspace('unreachable', text), '--json']);
    expect(code).toBe(1);
    const { error } = JSON.parse(err.trim().split('\n').at(-1)!) as { error: { message: string; hint: string } };
    expect(error.message).toMatch(/cycling/);
    expect(error.hint).not.toBe('');
  });
});

describe('bingo search', () => {
  it('ranks pages with title, address, verdict and a passage', async () => {
    const words = ['search', dir, 'touring saddles', '--limit', '3'];
    const { code, out } = await run(words);
    expect(code).toBe(0);
    expect(out).toMatch(/1 {2}bicycle page \d+\n.*http:\/\/bikes\.test:\d+\/\d+\n.*cycling {2}\[\d\.\d\d\]\n/);
    expect((await run([...words, '--details'])).out).toMatch(/cycling {2}\[\d\.\d\d\] = \d\.\d+ bm25 \+/);
    expect(out).toContain('*touring*');
  });

  it('prints a JSON array', async () => {
    const { out } = await run(['search', dir, 'touring', '--topic', 'cycling', '--limit', '2', '--json']);
    const results = JSON.parse(out) as Record<string, unknown>[];
    expect(results).toHaveLength(2);
    expect(Object.keys(results[0] ?? {})).toEqual(
      expect.arrayContaining(['title', 'url', 'snippet', 'score', 'confidence', 'topic']),
    );
  });

  it('rejects a query of stop words and an unknown topic', async () => {
    expect(await run(['search', dir, 'the of and'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('stop words'),
    });
    expect(await run(['search', dir, 'saddle', '--topic', 'cyclng'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "cycling"?'),
    });
  });

  it('says that nothing matches', async () => {
    expect(await run(['search', dir, 'zeppelin', '--json'])).toMatchObject({ code: 0, out: '[]\n' });
  });

  it('prints titles without terminal control characters', async () => {
    const { out } = await run(['search', dir, 'hyperlink bicycle', '--limit', '30']);
    expect(out).toContain('=HYPERLINK("bikes.test")');
    expect(out).not.toMatch(/\x1b|\u202e/);
  });
});

describe('bingo export', () => {
  it('writes one JSON object per page, with all fields, in fetch order', async () => {
    const rows = jsonLines((await run(['export', dir, '--format', 'jsonl'])).out);
    expect(Object.keys(rows[0] ?? {})).toEqual(
      'url finalUrl title topic confidence relevance depth tunnelDepth sequence fetchedAt status contentType via role duplicateOf ending language ib ir il'.split(
        ' ',
      ),
    );
    expect(rows.map((row) => row.sequence)).toEqual(rows.map((row) => row.sequence as number).sort((a, b) => a - b));
    expect(rows.filter((row) => row.role === 'crawled')).toHaveLength(14);
    expect(rows.find((row) => row.depth === 1)?.via).toMatch(/^http:\/\/bikes\.test:\d+\/\d+$/);
  });

  it('writes CSV that a spreadsheet does not execute, to a file if asked', async () => {
    const file = join(root, 'pages.csv');
    const { code, out } = await run(['export', dir, '--out', file]);
    expect([code, out]).toEqual([0, '']);
    const csv = readFileSync(file, 'utf8');
    expect(csv.startsWith('\uFEFFurl,finalUrl,title,topic,')).toBe(true);
    expect((await run(['export', dir, '--format', 'csv'])).out.startsWith('url,finalUrl,')).toBe(true);
    expect(csv).toContain(`"'=HYPERLINK(""bikes.test"")`);
  });

  it('leaves out OTHERS and training pages if only relevant pages are wanted', async () => {
    const rows = jsonLines((await run(['export', dir, '--relevant'])).out);
    expect(new Set(rows.map((row) => `${row.topic} ${row.role}`))).toEqual(new Set(['cycling crawled']));
  });

  it('accepts two formats', async () => {
    expect(await run(['export', dir, '--format', 'cvs'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "csv"?'),
    });
  });
});

describe('bingo status', () => {
  it('counts pages, topics and failures', async () => {
    const { out } = await run(['status', dir]);
    expect(out).toMatch(/^pages {7}14, and 10 training pages$/m);
    expect(out).toMatch(/^cycling +\d+/m);
    expect(out).toContain('failed http');
  });

  it('prints one JSON object', async () => {
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(JSON.parse((await run(['status', dir, '--json'])).out)).toMatchObject({
      ...{ pages: 14, phase: 'harvesting', sites: expect.any(Number), markedSites: [] },
      ...{ firstFetchedAt: moment, lastFetchedAt: moment },
    });
  });

  it('names parts of sites that reached their limit, and what rules left out in all runs', async () => {
    const folder = workspace('held', bikeWorkspace(web, 'crawl: {budget: 3}\n'));
    await run(['crawl', folder]);
    const store = await openStore({ url: 'sqlite', workspace: folder, batch: 1, flushMs: 1 });
    const { status } = (await store.published())!;
    const leftOut = [
      { rule: 'crawl.lockedHosts', addresses: 7 },
      { rule: 'bad-host', addresses: 2 },
    ] as const;
    await store.publish({ ...status, leftOut, held: [{ part: 'x.test/wiki/…', pages: 420, weight: 1 / 8 }] });
    await store.close();
    expect((await run(['status', folder])).out).toContain(
      '\nheld back   x.test/wiki/…: 420 pages fetched, its other links have 1/8 of their priority (traps.sectionPages)\n',
    );
    expect((await run(['status', folder])).out).toContain(
      '\nleft out    7 addresses on locked hosts; in all runs, by the rules of the last run\n' +
        'left out    2 addresses on hosts skipped after failures\n',
    );
    expect(JSON.parse((await run(['status', folder, '--json'])).out)).toMatchObject({ held: [{ pages: 420 }] });
  });
});

describe('bingo topic show', () => {
  it('ranks the terms by mutual information on request', async () => {
    const plain = await run(['topic', 'show', dir, 'cycling']);
    expect(plain.out).not.toMatch(/rank +term +MI/);
    const { code, out } = await run(['topic', 'show', dir, 'cycling', '--features']);
    expect(code).toBe(0);
    expect(out).toMatch(/rank +term +MI\n.*\n +1 +\S+ +0\.\d{4}\n/);
    const { features } = JSON.parse((await run(['topic', 'show', dir, 'cycling', '--features', '--json'])).out);
    expect(features[0]).toMatchObject({ rank: 1, feature: expect.any(String), information: expect.any(Number) });
  });

  it('shows terms, classifiers, training pages with their votes, and every round', async () => {
    const plain = await run(['topic', 'show', dir, 'cycling']);
    expect(plain.out).toMatch(
      /^Grade: (good|fair|weak|too few examples)\. Trained on \d+ pages of it and \d+ counter-examples\.$/m,
    );
    expect(plain.out).not.toMatch(/xi-alpha|held out/);
    const { code, out } = await run(['topic', 'show', dir, 'cycling', '--details']);
    expect(code).toBe(0);
    expect(out).toMatch(/^cycling, model \d+$/m);
    expect(out).toMatch(/^held out +precision \S+ \(0\.\d\d to 1\.00\), recall .* \(leave-one-out\)$/m);
    expect(out).toMatch(/^for +\w+ \d/m);
    expect(out).toMatch(/^for .*(?:bicycle|saddle) \d/m);
    expect(out).toMatch(/^terms +\d+/m);
    expect(out).toMatch(/bikes\.test.* user .*terms yes, naive-bayes yes/);
    expect(out).toMatch(/food\.test.* others .*terms no/);
    expect(out).toMatch(/^1 +first training/m);
  });

  it('fits the width of the terminal, and keeps a term and its figure on one line', async () => {
    const { out } = await run(['topic', 'show', dir, 'cycling'], { columns: () => 60 });
    const [about = ''] = out.split(/^classif/m);
    expect(about.split('\n').filter((line) => line.length > 60)).toEqual([]);
    expect(about).toMatch(/^for {6}\w+ \d.*,\n {9}\w+ \d/m);
    expect(about).not.toMatch(/^ *-?\d/m);
  });

  it('lists the pages of the topic before its counter-examples', async () => {
    const { out } = await run(['topic', 'show', dir, 'cycling', '--json']);
    const { training } = JSON.parse(out) as { training: { origin: string }[] };
    const origins = training.map((page) => page.origin);
    expect(origins.lastIndexOf('user')).toBeLessThan(origins.indexOf('others'));
    expect(origins[0]).toBe('user');
  });

  it('prints one JSON object', async () => {
    const { out } = await run(['topic', 'show', dir, 'cycling', '--json']);
    const answer = JSON.parse(out) as {
      rounds: { before: unknown; after: unknown }[];
      training: { votes: unknown[] }[];
    };
    expect(answer).toMatchObject({
      topic: 'cycling',
      good: true,
      estimate: { heldOutMethod: 'leave-one-out', heldOutRecallRange: { high: 1 } },
      classifiers: [{ space: 'terms+lead' }],
    });
    expect(answer.training.every((page) => page.votes.length === 2)).toBe(true);
    expect(answer.rounds[0]).toMatchObject({ model: 1, before: null, after: { positives: 2, negatives: 8 } });
  });

  it('says that a topic added to bingo.yaml since the last training is not learned yet', async () => {
    const wider = join(root, 'wider');
    cpSync(dir, wider, { recursive: true });
    const stars = `  - name: stars\n    examples: [${web.origin('stars.test')}/3]\n`;
    writeFileSync(join(wider, 'bingo.yaml'), bikeWorkspace(web).replace('others:', `${stars}others:`));
    const { out } = await run(['topic', 'show', wider, 'stars']);
    expect(out).toContain('\nbingo.yaml names it since the last training. The next bingo crawl learns it.\n');
    expect(out).not.toContain('No page exemplifies it');
  });

  it('shows ten counter-examples and the number of the others', async () => {
    const own = await startBikeWeb();
    const pages = [1, 2, 3, 4, 5, 6, 7].flatMap((n) =>
      ['food', 'stars'].map((host) => `${own.origin(`${host}.test`)}/${n}`),
    );
    const text = bikeWorkspace(own).replace(/^others: .*$/m, `others: [${pages.join(', ')}]`);
    const many = workspace('many-others', text);
    await run(['crawl', many, '--budget', '2', '--learn', '0']);
    await own.close();
    const { out } = await run(['topic', 'show', many]);
    expect(out.match(/ others {2,}\S/g)).toHaveLength(10);
    expect(out).toContain('\n… and 4 more counter-examples (--json has all)\n');
  });

  it('shows the least certain of hundreds of training pages, and the number of the others', async () => {
    const own = await startBikeWeb();
    const names = Array.from({ length: 60 }, (_, i) => `ride${i}.txt`);
    const examples = names.map((name) => `{file: ${name}}`).join(', ');
    const many = workspace(
      'many-examples',
      bikeWorkspace(own).replace(/examples: \[(.*)\]/, `examples: [$1, ${examples}]`),
    );
    const [bike, dinner] = ['bicycle wheel pedal chain saddle ride brake gear ', 'recipe oven butter flour dinner '];
    for (const [i, name] of names.entries())
      writeFileSync(join(many, name), `${i === 59 ? dinner.repeat(20) : bike.repeat(20)} part${i}`);
    await run(['crawl', many, '--budget', '2', '--learn', '0']);
    await own.close();
    const { out } = await run(['topic', 'show', many]);
    expect(out.match(/ user {2,}\S/g)).toHaveLength(50);
    expect(out).toMatch(/confidence .*\n─.*\n[^\n]*ride59\.txt/);
    expect(out).toContain('\n… and 12 more pages that it is surer of (--json has all)\n');
    const { training } = JSON.parse((await run(['topic', 'show', many, '--json'])).out) as { training: unknown[] };
    expect(training).toHaveLength(70);
  });

  it('needs no topic name if there is only one topic', async () => {
    expect((await run(['topic', 'show', dir])).out).toBe((await run(['topic', 'show', dir, 'cycling'])).out);
  });

  it('lists the known topics', async () => {
    expect(await run(['topic', 'show', dir, 'cyclign'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "cycling"?'),
    });
    expect((await run(['topic', 'show', dir, 'x'])).err).toContain('There are: cycling.');
  });
});

describe('bingo why', () => {
  const why = async (url: string) =>
    JSON.parse((await run(['why', dir, url, '--json'])).out) as Record<string, unknown>;
  const found = async () => jsonLines((await run(['export', dir])).out).find((row) => row.depth === 2)!;

  it('shows the path from a seed, the verdict, and the terms that decided', async () => {
    const { url } = await found();
    const { code, out } = await run(['why', dir, String(url)]);
    expect(code).toBe(0);
    expect(out).toMatch(/Path from a seed:\n {2}1\. .*\(seed.*\n {2}2\. .*\n {2}3\. /);
    expect(out).toMatch(/^ {2}for {6}\w+ 0\.\d+/m);
    expect(await why(String(url))).toMatchObject({ state: 'fetched', path: [{ via: 'seed' }, {}, { url }] });
  });

  it('wraps the terms to fit a narrow terminal', async () => {
    const { out } = await run(['why', dir, String((await found()).url)], { columns: () => 24 });
    const lines = out.slice(out.indexOf('  for ')).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(2);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(24);
    expect(lines[1]).toMatch(/^ {11}\S/);
  });

  it('explains why a page could not be stored', async () => {
    expect(await why(`${web.origin('bikes.test')}/missing`)).toMatchObject({
      state: 'not-stored',
      reason: expect.stringContaining('HTTP 404'),
    });
  });

  it('names the pages that link to a page that was never fetched', async () => {
    const { out } = await run([
      'sql',
      dir,
      '--json',
      'select url from unvisited_links_of_top_hubs union select url from url where id in (select target from link) and id not in (select url_id from alias) and id not in (select url_id from visit)',
    ]);
    const [waiting] = JSON.parse(out) as { url: string }[];
    expect(await why(waiting!.url)).toMatchObject({
      state: 'not-fetched',
      linkedFrom: expect.arrayContaining([expect.objectContaining({ url: expect.stringContaining('.test') })]),
    });
  });

  it('shows the scores of the competing topics of a page', async () => {
    const { url } = await found();
    expect(await why(String(url))).toMatchObject({ scores: [{ topic: 'cycling', won: true }], waiting: null });
    const { code, out } = await run(['why', dir, String(url), '--topic', 'cycling']);
    expect(code).toBe(0);
    expect(out).toMatch(/^topic +relevance +confidence +naive Bayes +cosine\n[─ ]+\ncycling accepted +\d/m);
    expect(await run(['why', dir, String(url), '--topic', 'cyclign'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "cycling"?'),
    });
  });

  it('shows where a link waits: queue, priority, tries and rank', async () => {
    const sql = 'select distinct u.url from link l join url u on u.id = l.target';
    const { out } = await run(['sql', dir, '--json', sql]);
    const rows = await Promise.all((JSON.parse(out) as { url: string }[]).map(({ url }) => why(url)));
    const places = rows.flatMap(({ waiting }) =>
      waiting === null ? [] : [waiting as { before: number; waiting: number }],
    );
    expect(places.length).toBeGreaterThan(0);
    expect(places).toHaveLength(places[0]!.waiting);
    expect(places.map(({ before }) => before).sort((a, b) => a - b)).toEqual([...places.keys()]);
    const first = rows.find(({ waiting }) => (waiting as { before: number } | null)?.before === 0)!;
    const { out: text } = await run(['why', dir, String(first.url)], { columns: () => 200 });
    expect(text).toMatch(/^queue {7}cycling, outgoing: 0 links of \d+ before it; priority -?\d+\.\d{3}, never tried$/m);
  });

  it('says that it does not know a page', async () => {
    expect(await why('http://bikes.test:1/never')).toMatchObject({ state: 'unknown' });
  });

  it('shows for a page that forbids storing whether its links were followed, and its path', async () => {
    web.handle('hidden.test', (request, response) => {
      const content = request.url === '/open' ? 'noindex' : 'none';
      response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': content });
      response.end(page('hidden', 'hidden words', [`${web.origin('bikes.test')}/${content === 'none' ? 8 : 9}`]));
    });
    const [open, shut] = ['open', 'shut'].map((path) => `${web.origin('hidden.test')}/${path}`);
    const text = bikeWorkspace(web).replace('    examples:', `    seeds: [${open}, ${shut}]\n    examples:`);
    const hidden = workspace('hidden', text);
    await run(['crawl', hidden, '--budget', '1', '--learn', '0']);
    const told = async (url: string): Promise<string> => (await run(['why', hidden, url], { columns: () => 200 })).out;
    expect(await told(open!)).toContain('It asks not to be stored');
    expect(await told(open!)).toContain('Its links are followed all the same.');
    expect(await told(shut!)).toContain('Its links are not followed.');
    expect(await told(`${web.origin('bikes.test')}/9`)).toMatch(
      /hidden\.test:\d+\/open {2}\(seed; noindex: links-followed\)/,
    );
    const { out } = await run(['search', hidden, 'hidden', '--json']);
    expect(out).not.toContain('hidden');
  });

  it('shows for a redirect without a page what happened to its target', async () => {
    const moved = (path: string): string => `${web.origin('moved.test')}/${path}`;
    web.handle('moved.test', (request, response) => {
      const way: Record<string, string> = { '/a': '/b', '/b': '/lost', '/c': '/d', '/d': '/c' };
      const location = way[request.url ?? ''];
      response.writeHead(location === undefined ? 404 : 302, location === undefined ? {} : { location }).end();
    });
    const text = bikeWorkspace(web).replace(
      '    examples:',
      `    seeds: [${moved('a')}, ${moved('c')}]\n    examples:`,
    );
    const dir = workspace('moved', text);
    await run(['crawl', dir, '--budget', '1', '--learn', '0']);
    const told = async (url: string): Promise<string> => (await run(['why', dir, url], { columns: () => 400 })).out;
    expect(await told(moved('a'))).toContain(
      `It redirects to ${moved('b')}, and in the end to ${moved('lost')}. There: Fetching it failed (http, HTTP 404): HTTP status 404.`,
    );
    expect(await told(moved('c'))).toContain(`It redirects in a circle, first to ${moved('d')}.`);
  });

  it('finds a page by its address without the scheme, or with the other one', async () => {
    const { url } = await found();
    for (const typed of [String(url).replace('http://', ''), String(url).replace('http:', 'https:')])
      expect(await why(typed), typed).toMatchObject({ url, state: 'fetched' });
    const unknown = 'https://bikes.test/nowhere/at/all';
    expect(await why(unknown)).toMatchObject({ url: unknown, state: 'unknown' });
  });

  it('rejects invalid URLs', async () => {
    expect(await run(['why', dir, 'bikes.test/1'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('https://bikes.test/1'),
    });
  });
});

describe('bingo sql', () => {
  it('prints a table, a JSON array or CSV', async () => {
    const query = "select 'a,b' as x, 1 as y";
    expect((await run(['sql', dir, query])).out).toBe('x    y\n───  ─\na,b  1\n');
    expect(JSON.parse((await run(['sql', dir, query, '--json'])).out)).toEqual([{ x: 'a,b', y: 1 }]);
    expect((await run(['sql', dir, query, '--csv'])).out).toBe('x,y\r\n"a,b",1\r\n');
  });

  it('keeps both values of two columns with the same name in JSON', async () => {
    const { out } = await run(['sql', dir, "select 'a' as url, 'b' as url, 'c' as url", '--json']);
    expect(JSON.parse(out)).toEqual([{ url: 'a', 'url:1': 'b', 'url:2': 'c' }]);
  });

  it('reads statements from stdin, and handles semicolons in quotes', async () => {
    const { out } = await run(['sql', dir, '--csv'], { input: "select ';' as a; -- not; this\nselect 2 as b;" });
    expect(out).toBe('a\r\n;\r\nb\r\n2\r\n');
  });

  it('reads characters that arrive in pieces on stdin, and a byte order mark', async () => {
    const bytes = Buffer.from("\ufeffselect 'ä' as a");
    const { out } = await run(['sql', dir, '--csv'], {
      stdin: Readable.from([...bytes].map((byte) => Buffer.of(byte))),
    });
    expect(out).toBe('a\r\nä\r\n');
  });

  it('has the ready-made views', async () => {
    expect((await run(['sql', dir, 'select * from census'])).out).toContain('cycling');
  });

  it('never writes to the store', async () => {
    expect(await run(['sql', dir, 'delete from page'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('only reads'),
    });
    expect(await run(['status', dir, '--json'])).toMatchObject({ code: 0, out: expect.stringContaining('"pages":14') });
  });

  it('truncates long answers and says so', async () => {
    const { out, err } = await run(['sql', dir, 'select url from url', '--limit', '2', '--csv']);
    expect(out.trim().split('\r\n')).toHaveLength(3);
    expect(err).toContain('first 2 rows');
  });
});

describe('a workspace whose training documents are missing', () => {
  it('can be queried, and names the missing documents if it is crawled', async () => {
    const folder = workspace('copied', bikeWorkspace(web).replace('examples: [', 'examples: [{ file: rides.txt }, '));
    writeFileSync(join(folder, 'rides.txt'), 'bicycle wheel pedal chain saddle ride brake gear '.repeat(20));
    expect((await run(['crawl', folder, '--budget', '2', '--learn', '0', '--plain'])).code).toBe(0);
    rmSync(join(folder, 'rides.txt'));
    for (const words of [
      ['status', folder],
      ['search', folder, 'saddle'],
      ['export', folder],
      ['why', folder, `${web.origin('bikes.test')}/0`],
      ['topic', 'show', folder],
      ['distill', folder],
      ['reclassify', folder],
      ['sql', folder, 'select 1'],
    ]) {
      const { code, err } = await run(words);
      expect([words[0], code, err.includes('rides.txt')]).toEqual([words[0], 0, false]);
    }
    const { code, err } = await run(['crawl', folder, '--budget', '4', '--plain']);
    expect([code, err]).toEqual([2, expect.stringContaining('Cannot read the file "rides.txt".')]);
  });
});

describe('a workspace that was never crawled', () => {
  it('is distinguished from an empty one by every reading command', async () => {
    const fresh = workspace('fresh', bikeWorkspace(web));
    for (const words of [
      ['search', fresh, 'saddle'],
      ['export', fresh],
      ['status', fresh],
      ['sql', fresh, 'select 1'],
      ['topic', 'show', fresh, 'cycling'],
    ]) {
      const { code, err } = await run(words);
      expect([words[0], code]).toEqual([words[0], 1]);
      expect(err).toMatch(/crawl/);
    }
  });
});

describe('bingo lab traps --score', () => {
  it('reports a list without an address, and a missing list', async () => {
    const list = join(root, 'fetched.txt');
    writeFileSync(list, '\n# nothing yet\n');
    const empty = await run(['lab', 'traps', '--score', list]);
    expect(empty).toMatchObject({ code: 2, out: '', err: expect.stringContaining('fetched.txt has no address') });
    const missing = await run(['lab', 'traps', '--score', join(root, 'none.txt')]);
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('one per line') });
  });
});

describe('bingo lab traps', () => {
  it.each([
    [['--serve', '--score', 'x'], '--score and --serve cannot be combined.'],
    [['--serve', '--set', 'traps.enabled=false'], '--serve and --set cannot be combined.'],
    [['--dns-port', '0'], '--dns-port requires --serve.'],
  ])('refuses flags that change nothing: %j', async (flags, message) => {
    expect(await run(['lab', 'traps', ...flags])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it('crawls its own traps, whatever web the environment names', async () => {
    const env = { BINGO_NETWORK_PROXY: 'http://127.0.0.1:1', BINGO_STORE_URL: 'mysql://nobody@127.0.0.1:1/none' };
    const { code, out } = await run(['lab', 'traps', '--budget', '5', '--json'], { env });
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ requests: 5, reason: 'budget' })]);
  });

  it('serves the traps to other crawlers, and prints address and score as JSON', async () => {
    const flags = ['--serve', '--dns-port', '0', '--json'];
    const onInterrupt = (listener: () => void): (() => void) => {
      setImmediate(listener);
      return () => {};
    };
    const { code, out } = await run(['lab', 'traps', ...flags], { onInterrupt });
    const [where, score] = jsonLines(out);
    const local = expect.stringMatching(/127\.0\.0\.1:\d+$/);
    expect([code, where, score]).toEqual([
      0,
      expect.objectContaining({ proxy: local, dns: local, seeds: ['http://start.test/'] }),
      expect.objectContaining({ requests: 0, relevant: 200 }),
    ]);
  });
});
