import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { endOf } from '../../src/cli/review/review-lines.ts';
import { parseTopicId } from '../../src/core/index.ts';
import { type FeedbackSession, withFeedback } from '../../src/workbench/judging/apply-feedback.ts';
import type { Change } from '../../src/workbench/judging/feedback.ts';
import { ReviewSession } from '../../src/workbench/review/review-session.ts';
import { loadWorkspace } from '../../src/workbench/workspace/workspace.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { capturedIo, run } from './support/captured-io.ts';

let web: TinyWeb;
let folder: string;
let dir: string;
let copies = 0;

async function training(): Promise<Map<string, string>> {
  const query = 'select example, origin from training where round = (select max(sequence) from round)';
  const { out } = await run(['sql', dir, '--json', query]);
  return new Map(JSON.parse(out).map((row: { example: string; origin: string }) => [row.example, row.origin]));
}

interface Row {
  topic: string;
  page: string;
  origin: string;
  decision: string;
  to: string;
  without: string;
  paragraphs: number;
  terms: string;
  text: string;
}

async function exported(): Promise<Row[]> {
  const file = join(dir, 'review.json');
  await run(['review', dir, '--export', file]);
  return JSON.parse(readFileSync(file, 'utf8'));
}

beforeAll(async () => {
  web = await startBikeWeb();
  folder = mkdtempSync(join(tmpdir(), 'bingo-review-'));
  dir = join(folder, 'crawled');
  cpSync(mkdtempSync(join(tmpdir(), 'bingo-empty-')), dir, { recursive: true });
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  const { code, err } = await run(['crawl', dir, '--budget', '16', '--learn', '8', '--plain']);
  expect(code, err).toBe(0);
});

beforeEach(() => {
  const copy = join(folder, `copy${++copies}`);
  cpSync(join(folder, 'crawled'), copy, { recursive: true });
  dir = copy;
});

afterAll(async () => {
  await web.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a review in a file', () => {
  test('shows a topic that was renamed in bingo.yaml and not learned again under its new name', async () => {
    const before = await exported();
    expect((await run(['topic', 'rename', dir, 'cycling', 'velo'])).code).toBe(0);
    const renamed = before.map((row) => ({ ...row, topic: row.topic === 'cycling' ? 'velo' : row.topic }));
    expect(await exported()).toEqual(renamed);
    const { out } = await run(['review', dir, '--proposals', '--json']);
    expect(out).not.toContain('learned from 0 pages');
  });

  test('proposes another crawl for a topic added to bingo.yaml since the last training', async () => {
    const yaml = join(dir, 'bingo.yaml');
    const star = `${web.origin('stars.test')}/9`;
    writeFileSync(
      yaml,
      readFileSync(yaml, 'utf8').replace('others:', `  - name: stars\n    examples: ["${star}"]\nothers:`),
    );
    const { out } = await run(['review', dir, '--proposals', '--topic', 'stars', '--json']);
    expect(JSON.parse(out)).toMatchObject([
      {
        ...{ topic: 'stars', how: expect.stringMatching(/^bingo crawl /) },
        what: '"stars" is not learned yet: the next crawl learns it from its examples in bingo.yaml.',
      },
    ]);
  });

  test('lists candidates and training pages with their reasons', async () => {
    const rows = await exported();
    expect(rows.map((row) => row.origin)).toContain('yours');
    const candidate = rows.find((row) => /^(authority|confidence|both)$/.test(row.origin))!;
    // Terms are spelt as in the page, not as in the index.
    for (const term of candidate.terms.split(' ')) expect(candidate.text).toMatch(new RegExp(`\\b${term}\\b`, 'i'));
    expect(rows.map(({ terms }) => terms).join(' ')).toMatch(/\b(saddle|bicycle|cycling|handlebar)\b/);
    expect(candidate).toMatchObject({ topic: 'cycling', decision: '', text: expect.stringContaining('pedal') });
    expect(rows.map((row) => row.page)).toContain(`${web.origin('bikes.test')}/5`);
  });

  test('lists the pages of OTHERS with their origin, and drops or keeps them', async () => {
    const rows = (await exported()).filter((row) => row.topic === 'OTHERS');
    expect(new Set(rows.map((row) => row.origin))).toEqual(new Set(['yours']));
    const [given, other, near] = rows;
    const decided = [
      { ...given, decision: 'reject' },
      { ...other, decision: 'accept' },
      { ...near, decision: 'move', to: 'cycling' },
    ];
    const file = join(dir, 'others.json');
    writeFileSync(file, JSON.stringify(decided));
    const { code, err } = await run(['review', dir, '--apply', file]);
    expect(code, err).toBe(0);
    const after = await training();
    expect([after.get(given!.page), after.get(other!.page), after.get(near!.page)]).toEqual([
      undefined,
      'feedback-others',
      'feedback',
    ]);
    const undecided = join(dir, 'undecided.json');
    writeFileSync(undecided, JSON.stringify([{ ...given, decision: '' }]));
    const nothing = await run(['review', dir, '--apply', undecided, '--json']);
    expect([nothing.code, JSON.parse(nothing.out)]).toMatchObject([0, { decisions: [], changed: 0 }]);
    const again = await run(['review', dir, '--apply', file]);
    expect(again).toMatchObject({ code: 0, out: '', err: 'Already decided: 3 pages. Nothing was changed.\n' });
    writeFileSync(file, JSON.stringify([decided[0], { ...other, decision: 'reject' }]));
    expect((await run(['review', dir, '--apply', file])).err).toMatch(
      /^Already decided: 1 page\.\n1 decision applied\./,
    );
  });

  test('can cover OTHERS only', async () => {
    const file = join(dir, 'others.json');
    const { code, err } = await run(['review', dir, '--topic', 'OTHERS', '--export', file]);
    expect(code, err).toBe(0);
    const rows = JSON.parse(readFileSync(file, 'utf8')) as Row[];
    expect(new Set(rows.map((row) => row.topic))).toEqual(new Set(['OTHERS']));
    expect((await run(['review', dir, '--topic', 'food/OTHERS', '--export', file])).code).toBe(2);
  });

  test.each(['csv', 'json'])('is applied as filled in, from .%s', async (format) => {
    const file = join(dir, `review.${format}`);
    await run(['review', dir, '--export', file]);
    const rows = await exported();
    const [good, bad] = rows.filter((row) => !/yours|§/.test(row.origin));
    const decide = (text: string, page: string, decision: string): string =>
      format === 'csv'
        ? text.replace(
            new RegExp(`(^[^\\n]*${page.replaceAll('.', '\\.')},[^\\n]*?),,,,(\\d)`, 'm'),
            `$1,${decision},,,$2`,
          )
        : text.replace(new RegExp(`("page":"${page}".*?"decision":)""`), `$1"${decision}"`);
    writeFileSync(file, decide(decide(readFileSync(file, 'utf8'), good!.page, 'accept'), bad!.page, 'others'));
    const { code, out, err } = await run(['review', dir, '--apply', file, '--json']);
    expect(code, err).toBe(0);
    expect(JSON.parse(out).decisions).toHaveLength(2);
    const after = await training();
    expect([after.get(good!.page), after.get(bad!.page)]).toEqual(['feedback', 'feedback-others']);
  });

  test('keeps its meaning if a topic was renamed after it was filled in', async () => {
    const [good] = (await exported()).filter((row) => !/yours|§/.test(row.origin));
    const file = join(dir, 'decided.json');
    writeFileSync(file, JSON.stringify([{ ...good, decision: 'move', to: 'cycling' }]));
    expect((await run(['topic', 'rename', dir, 'cycling', 'velo'])).code).toBe(0);
    const { code, out, err } = await run(['review', dir, '--apply', file, '--json']);
    expect(code, err).toBe(0);
    expect(JSON.parse(out).decisions).toMatchObject([{ page: good!.page, topic: 'velo' }]);
  });

  test('finishes interrupted judging if it is applied again', async () => {
    const rows = await exported();
    const good = rows.find((row) => !/yours|§/.test(row.origin))!;
    const file = join(dir, 'filled.json');
    writeFileSync(file, JSON.stringify([{ ...good, decision: 'accept' }]));
    expect((await run(['review', dir, '--apply', file])).code).toBe(0);
    const marksOf = async (): Promise<number> => {
      const { out } = await run([
        'sql',
        dir,
        '--json',
        `select command from steer where command like '%reclassified%'`,
      ]);
      return JSON.parse(out).length;
    };
    const rounds = async (): Promise<string> => (await run(['sql', dir, 'select count(*) from round'])).out;
    const [before, trained] = [await marksOf(), await rounds()];
    // Simulates a kill before the end of judging: the final journal record is missing.
    const store = new DatabaseSync(join(dir, 'store.db'));
    for (const table of ['steer', 'journal'])
      store.exec(`delete from ${table} where sequence = (select max(sequence) from journal)`);
    store.close();
    expect(await marksOf()).toBe(before - 1);
    const { code, err } = await run(['review', dir, '--apply', file]);
    expect([code, err]).toEqual([0, expect.stringContaining('Already decided: 1 page.')]);
    expect(err).not.toContain('Nothing was changed');
    expect(await marksOf()).toBe(before);
    // The model of the interrupted command is used.
    expect(await rounds()).toBe(trained);
    expect((await run(['review', dir, '--apply', file])).err).toContain('Nothing was changed');
  });

  test('reports every wrong line and applies nothing', async () => {
    const before = await training();
    const url = `${web.origin('bikes.test')}/5`;
    const file = join(dir, 'wrong.csv');
    const lines = [
      'topic;page;decision;to;without',
      `cycling;${url};accept;;99`,
      'cycling;http://x.test/;reject;;',
      '',
      `cycling;${web.origin('bikes.test')}/0;burn;;`,
      `cycling;${web.origin('bikes.test')}/0;move;"knitting";`,
      `cycling;${web.origin('bikes.test')}/0;reject;;`,
      `cycling;${web.origin('bikes.test')}/0;others;;`,
      `cycling;${url};move;;`,
    ];
    writeFileSync(file, `\uFEFF${lines.join('\r\n')}`);
    const { code, err } = await run(['review', dir, '--apply', file]);
    expect(code).toBe(2);
    expect(err).toMatch(/wrong\.csv:2: No paragraph 99/);
    expect(err).toMatch(/wrong\.csv:3: "http:\/\/x\.test\/" is neither/);
    expect(err).toMatch(/wrong\.csv:5: "burn" is no decision/);
    expect(err).toMatch(/wrong\.csv:6: "knitting" is no topic/);
    expect(err).toMatch(/wrong\.csv:8: Line 7 decides otherwise/);
    expect(err).toMatch(/wrong\.csv:9: "to" names no topic/);
    expect(await training()).toEqual(before);
  });

  test('reads every encoding that spreadsheets write, and marks its own encoding', async () => {
    const file = join(dir, 'review.csv');
    await run(['review', dir, '--export', file]);
    expect([...readFileSync(file).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const page = (await exported()).find(({ decision }) => decision === '')!.page;
    writeFileSync(file, Buffer.from(`\uFEFFpage\tdecision\r\n${page}\treject\r\n`, 'utf16le'));
    expect(await run(['review', dir, '--apply', file])).toMatchObject({ code: 0 });
    expect((await training()).has(page)).toBe(false);
  });

  test.each(['--apply', '--export'])('cannot be a folder: %s', async (flag) => {
    const file = join(dir, 'folder.csv');
    mkdirSync(file, { recursive: true });
    const err = expect.stringContaining(`${file} is a folder; a file is needed.`);
    expect(await run(['review', dir, flag, file])).toMatchObject({ code: 2, err });
  });

  test.each(['csv', 'json'])('with decisions is not overwritten by a new one, as .%s', async (format) => {
    const file = join(dir, `review.${format}`);
    const again = (): ReturnType<typeof run> => run(['review', dir, '--export', file]);
    expect(await again()).toMatchObject({ code: 0 });
    expect(await again()).toMatchObject({ code: 0 });
    writeFileSync(file, '');
    expect(await again()).toMatchObject({ code: 0 });
    const filled = format === 'csv' ? 'page,decision\nx,accept\n' : '[{"page": "x", "decision": "accept"}]';
    for (const text of [filled, filled.slice(0, -3)]) {
      writeFileSync(file, text);
      expect(await again()).toMatchObject({ code: 2, err: expect.stringContaining('overwrite its decisions') });
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  test('that lacks a column is rejected with one message', async () => {
    const file = join(dir, 'other.csv');
    writeFileSync(file, 'name;judgement\na;accept\nb;accept\n');
    const { code, err } = await run(['review', dir, '--apply', file]);
    expect(code).toBe(2);
    expect(err.match(/other\.csv:1: The column "page" or "decision" is missing\./g)).toHaveLength(1);
    writeFileSync(file, 'junk\n');
    expect(await run(['review', dir, '--apply', file])).toMatchObject({ code: 2 });
  });

  test('reports where a table or JSON is broken', async () => {
    const file = join(dir, 'broken.csv');
    writeFileSync(file, 'topic,page,decision\ncycling,"http://x.test/,accept\n');
    expect((await run(['review', dir, '--apply', file])).err).toContain('broken.csv:2: A quote is opened here');
    const json = join(dir, 'broken.json');
    writeFileSync(json, '[\n{"page": 1},\n{"page" 2}]');
    expect((await run(['review', dir, '--apply', json])).err).toMatch(/broken\.json:3: This is not valid JSON/);
  });

  test('needs a name with a known extension', async () => {
    expect(await run(['review', dir, '--export', 'x.xls'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/\.csv/),
    });
    expect(await run(['review', dir, '--apply', join(dir, 'none.csv')])).toMatchObject({ code: 2 });
  });

  test('is applied completely: --topic does not filter it', async () => {
    const { code, err } = await run(['review', dir, '--apply', 'pages.csv', '--topic', 'no such topic']);
    expect([code, err]).toEqual([2, expect.stringContaining('--topic and --apply cannot be combined.')]);
  });
});

describe('groups of rejected pages in a review', () => {
  test('become counter-examples by one line, which undo takes back', async () => {
    const { code, err } = await run(['review', dir, '--rejected', '--plain'], { input: 'x 1\nu\ng\nx 1\nf\ny\nq\n' });
    expect(code, err).toBe(0);
    expect(err).toMatch(/^1 {2}.* pages?$/m);
    expect(err.match(/decisions? about group 1\. f applies, u undoes\./g)).toHaveLength(2);
    expect([...(await training()).values()]).toContain('feedback-others');
  });

  test('become a topic, which the next review can remove', async () => {
    const { code, err } = await run(['review', dir, '--plain'], { input: 'g\nt 9\nt 1 heaped\n' });
    expect(code, err).toBe(0);
    expect(err).toContain('No group 9');
    expect(err).toContain('"heaped" is a topic of bingo.yaml now');
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toContain('name: heaped');
    const { out } = await run(['topic', 'show', dir, 'heaped', '--json']);
    expect(JSON.parse(out).training.length).toBeGreaterThan(0);
    const change = await withFeedback(loadWorkspace(dir, {}), {}, (session) =>
      new ReviewSession(session, { dir }).removeGroupTopic(parseTopicId('heaped')),
    );
    expect(change?.effect.pages).toBeGreaterThan(0);
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).not.toContain('heaped');
  });

  test('have their sites locked, except for sites with accepted pages', async () => {
    const { err } = await run(['review', dir, '--rejected', '--plain'], { input: 'l 1\nf\ny\nq\n' });
    expect(err).toMatch(/decisions? about group 1|also has accepted pages or examples/);
  });

  test('are not combined with a file of decisions', async () => {
    expect(await run(['review', dir, '--rejected', '--proposals'])).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('--rejected and --proposals cannot be combined.') },
    });
  });
});

describe('a review in plain lines', () => {
  test('asks page by page, shows what would change, and applies it on request', async () => {
    const rows = await exported();
    const [first, second] = rows;
    const { code, err } = await run(['review', dir, '--plain'], { input: 'a\nx\nf\ny\n' });
    expect(code, err).toBe(0);
    expect(err).toContain('would go to another topic');
    const after = await training();
    expect([after.get(first!.page), after.get(second!.page)]).toEqual(['feedback', 'feedback-others']);
  });

  test('continues with other candidates after applying, until the user leaves', async () => {
    const before = await training();
    const { code, err } = await run(['review', dir, '--plain'], { input: 'a\nf\ny\nx\nf\ny\nq\n' });
    expect(code, err).toBe(0);
    expect(err.split('1 decision applied. The review continues with other candidates; q leaves.')).toHaveLength(3);
    expect(err).toContain('Next: bingo crawl ');
    // The new round also chooses rejected pages by itself.
    const decided = [...(await training())].filter(([, origin]) => origin.startsWith('feedback'));
    const changed = decided.filter(([key, origin]) => before.get(key) !== origin);
    expect(changed.map(([, origin]) => origin).sort()).toEqual(['feedback', 'feedback-others']);
  });

  test('wraps lines between words, except for commands and addresses', async () => {
    const { err } = await run(['review', dir, '--plain'], { input: 'v\n?\nq\n' });
    expect(err).toContain('m TOPIC move it there');
    const lines = err.replaceAll('decide (? help) > ', '\n').split('\n');
    const long = lines.filter((line) => line.length > 80 && !/bingo |https?:/.test(line));
    expect(long).toEqual([]);
  });

  test('removes paragraphs like a file does: only existing ones, and never all', async () => {
    const [first] = await exported();
    const input = `t 99\nt 1-${first!.paragraphs}\nq\n`;
    const { err } = await run(['review', dir, '--plain'], { input });
    expect(err).toContain(`No paragraph 99: the page has ${first!.paragraphs}.`);
    expect(err).toContain('Nothing would be left of the page. Reject it instead.');
    expect(err).not.toContain('Left out');
  });

  test.each([
    ['the answer is no', 'a\nf\nn\n'],
    ['the input ends', 'a\n'],
    ['all was taken back', 'a\nu\nf\n'],
    ['all that was accepted at once was taken back', 's\ns\nA\nu\nf\ny\n'],
  ])('changes nothing when %s', async (_, input) => {
    const before = await training();
    const { code, err } = await run(['review', dir, '--plain'], { input });
    expect(code).toBe(0);
    expect(err).toContain('Nothing was changed');
    expect(await training()).toEqual(before);
  });
});

test('a review stopped by Ctrl-C while judging says how many pages are left', () => {
  const { io, err } = capturedIo();
  const change = { effect: { pages: 400, of: 999 } } as Change;
  const end = (isCrawlRunning: boolean) =>
    endOf({ io, dir: 'bikes', review: { session: { isCrawlRunning } as FeedbackSession } }, change);
  expect(end(true)).toBe('applied');
  expect(err()).toBe('');
  expect(end(false)).toBe('stopped');
  expect(err()).toMatch(/^Stopped: 599 pages are still to be judged\./);
});

test('a crawl with a review stops between its phases, and harvests in the next run', async () => {
  dir = join(folder, 'reviewed');
  cpSync(mkdtempSync(join(tmpdir(), 'bingo-empty-')), dir, { recursive: true });
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  const { code, err } = await run(['crawl', dir, '--budget', '16', '--learn', '6', '--review', '--plain']);
  expect(code).toBe(0);
  expect(err).toContain(`bingo review ${dir} --export review.csv`);
  expect(err).toContain(`bingo crawl ${dir} --budget 16 --learn 6\n`);
  const phases = async () => JSON.parse((await run(['sql', dir, '--json', 'select phase from phase'])).out);
  expect(await phases()).toEqual([{ phase: 'learning' }]);
  const drop = `${web.origin('bikes.test')}/5`;
  await run(['mark', dir, '--drop', drop]);
  expect((await run(['crawl', dir, '--budget', '16', '--learn', '6', '--plain'])).code).toBe(0);
  expect(await phases()).toEqual([{ phase: 'learning' }, { phase: 'harvesting' }]);
  expect((await training()).has(drop)).toBe(false);
});

test('a crawl that does not learn has nothing to review', async () => {
  const { code, err } = await run(['crawl', dir, '--review', '--only', 'harvest', '--plain']);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('--review requires learning; it cannot be combined with --only harvest.'),
  ]);
});

test('a crawl that ends before the review proposes to run again with a review', async () => {
  dir = join(folder, 'ended-early');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  const { code, err } = await run(['crawl', dir, '--time', '1ms', '--review', '--plain']);
  expect(code).toBe(0);
  expect(err).toContain(`Next:\n  bingo crawl ${dir} --time 1ms --review\n      continue the crawl\n`);
});

test('a crawl with a review that ends while learning does not call learning finished', async () => {
  dir = join(folder, 'still-learning');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  const { code, err } = await run(['crawl', dir, '--budget', '2', '--learn', '6', '--review', '--plain']);
  expect(code).toBe(0);
  expect(err).not.toContain('Learning has ended');
  expect(err).toContain(`Next:
  bingo crawl ${dir} --learn 6 --review --budget 4
      fetch more
`);
});

test('a topic that a review marks good counts from then on, and all topics are trained again', async () => {
  dir = join(folder, 'marked');
  cpSync(mkdtempSync(join(tmpdir(), 'bingo-empty-')), dir, { recursive: true });
  const food = `  - name: food\n    good: false\n    examples: [${web.origin('food.test')}/3]\nothers`;
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web).replace('others', food));
  await run(['crawl', dir, '--budget', '8', '--plain']);
  const change = await withFeedback(loadWorkspace(dir, { env: {} }), {}, (session) =>
    session.setGood(parseTopicId('food'), true),
  );
  expect(change?.trial.round.estimates.map(({ topic }) => topic)).toContain('food');
  const rows = JSON.parse(
    (await run(['sql', dir, '--json', "select kind, count(*) as n from journal where kind = 'steer' group by kind"]))
      .out,
  );
  expect(rows).toEqual([{ kind: 'steer', n: 2 }]);
  const again = await run(['crawl', dir, '--budget', '18', '--json']);
  expect(again.code, again.err).toBe(0);
  expect(again.out).toContain('"topic":"food"');
});

test('topic good marks a topic in bingo.yaml, trains, and judges stored pages again', async () => {
  dir = join(folder, 'topic-good');
  mkdirSync(dir);
  const food = `  - name: food\n    good: false\n    examples: [${web.origin('food.test')}/3]\nothers`;
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web).replace('others', food));
  const early = await run(['topic', 'good', dir, 'food', '--json']);
  expect(JSON.parse(early.out)).toEqual({ topic: 'food', good: true, isNew: true, effect: 'later' });
  expect((await run(['topic', 'good', dir, 'food', '--off'])).err).toContain('"food" is no longer good. ');
  await run(['crawl', dir, '--budget', '8', '--plain']);
  const { code, out, err } = await run(['topic', 'good', dir, 'food', '--json']);
  expect(code, err).toBe(0);
  const { effect, change } = JSON.parse(out) as { effect: string; change: { pages: number; of: number } };
  expect(effect).toBe('judged');
  expect(change.pages).toBe(change.of);
  expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toContain('good: true');
  expect((await run(['topic', 'good', dir, 'food'])).err).toContain('"food" is good already. Nothing was changed.');
  const again = await run(['crawl', dir, '--budget', '18', '--plain']);
  expect(again.err).toContain('since the last run: topics.food.good false → true');
  const only = await run(['topic', 'good', dir, 'cycling', '--off']).then(() =>
    run(['topic', 'good', dir, 'food', '--off']),
  );
  expect(only.code).toBe(2);
  expect(only.err).toContain('"food" is the only good topic: a crawl needs one.');
});

test('proposals are listed as text and as JSON', async () => {
  const { code, out } = await run(['review', dir, '--proposals', '--json']);
  expect(code).toBe(0);
  const proposals = JSON.parse(out) as { kind: string; what: string; how: string }[];
  expect(proposals.map(({ kind }) => kind)).toContain('few-examples');
  const { out: text } = await run(['review', dir, '--proposals']);
  for (const { how } of proposals) expect(text).toContain(how);
});
