import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace } from '../../../src/workbench/library.ts';
import type { TinyWeb } from '../../support/tiny-web.ts';
import { bikeFolder, FOOD, page, prose, startBikeWeb } from '../support/bike-web.ts';
import { run } from '../support/captured-io.ts';

/** Pages without a relevant one that raise the question. */
const WINDOW = 4;

let web: TinyWeb;
let root: string;

beforeAll(async () => {
  web = await startBikeWeb();
  // Ten relevant pages lead to a long row of others.
  web.handle('stars.test', (request, response) => {
    const n = Number(request.url?.slice(1));
    response.writeHead(n < 90 ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(n < 90 ? page(`Row ${n}`, prose(FOOD, n), [`/${n + 1}`]) : '');
  });
  root = mkdtempSync(join(tmpdir(), 'bingo-barren-'));
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

function workspace(name: string): string {
  const settings = `crawl: {budget: 80, learn: 2, ordering: confidence, stagnationPages: ${WINDOW}}\n`;
  return bikeFolder(root, name, web, settings);
}

function jsonLines(text: string): Record<string, unknown>[] {
  const lines = text.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A terminal with a keyboard, on which a user types these lines, as soon as each is asked for. */
const keyboard = (...lines: readonly string[]) => ({
  ...{ stdin: Readable.from(typed(lines)), stdinIsTerminal: true, stderrIsTerminal: true, stdoutIsTerminal: true },
});
async function* typed(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) {
    yield `${line}\n`;
    await sleep(50);
  }
}
/** Slow enough for an answer: the question is asked between two requests. */
const SLOWLY = ['--plain', '--ask', '0', '--set', 'network.delayMs=100ms'];
const QUESTION = /None of the last 4 pages is relevant; expect \d+ at most in the \d+ left\. Continue or stop\?/;
const PROMPT = 'Type c and Enter to continue, s and Enter to stop.';

describe('a crawl that finds nothing any more', () => {
  it('raises one question and stops after three windows, without a terminal', async () => {
    const { code, out, err } = await run(['crawl', workspace('unattended'), '--json']);
    expect(code).toBe(0);
    expect(err).not.toContain(PROMPT);
    const lines = jsonLines(out);
    const pages = lines.filter(({ kind, role }) => kind === 'page' && role === 'crawled');
    expect(lines.at(-1)).toMatchObject({ reason: 'stagnation', pages: pages.length });
    // The last windows hold no relevant page; the window before them does.
    const topics = pages.map(({ topic }) => topic);
    expect(topics.slice(-3 * WINDOW)).toEqual(Array(3 * WINDOW).fill(null));
    expect(topics.at(-3 * WINDOW - 1)).toBe('cycling');
    const asked = lines.filter(({ code: alarm }) => alarm === 'barren');
    expect(asked).toMatchObject([{ message: expect.stringMatching(/^None of the last 4 pages is relevant; /) }]);
  });

  it('names the reason and how to continue in its summary; the same command continues', async () => {
    const dir = workspace('continued');
    const { err } = await run(['crawl', dir]);
    expect(err).toMatch(QUESTION);
    expect(err).not.toContain(PROMPT);
    expect(err).toContain('No new relevant pages. ');
    expect(err).toMatch(/Next:[\s\S]*\n {2}bingo crawl \S+\n {6}continue anyway, .*seeds/);
    const again = jsonLines((await run(['crawl', dir, '--json'])).out).at(-1);
    expect(again).toMatchObject({ reason: expect.stringMatching(/^(stagnation|frontier-dry)$/) });
    expect(again?.fetchedNow).toBeGreaterThanOrEqual(WINDOW);
  });

  it('never stops if the rule is off', async () => {
    const { out } = await run(['crawl', workspace('off'), '--json', '--set', 'crawl.stagnationPages=0']);
    expect(jsonLines(out).at(-1)).toMatchObject({ reason: 'budget' });
    expect(out).not.toContain('"barren"');
  });

  it('asks on a terminal, repeats the question after a wrong answer, and stops at once if told so', async () => {
    const dir = workspace('stopped');
    const { code, err } = await run(['crawl', dir, ...SLOWLY], keyboard('what', 's'));
    expect(code).toBe(0);
    expect(err.split(PROMPT)).toHaveLength(3);
    expect(err).toContain('No new relevant pages. ');
    const rows = jsonLines((await run(['export', dir])).out).filter(({ role }) => role === 'crawled');
    const barren = rows.length - 1 - rows.findLastIndex(({ topic }) => topic !== null);
    expect(barren).toBeGreaterThanOrEqual(WINDOW);
    expect(barren).toBeLessThan(3 * WINDOW);
  });

  it('continues if the user says so, and asks again after as many pages', async () => {
    const dir = workspace('answered');
    const { err } = await run(['crawl', dir, ...SLOWLY], keyboard('c', 's'));
    expect(err).toContain('changed by hand: the crawl continues');
    const steers = await run([
      'sql',
      dir,
      '--json',
      "select count(*) as n from steer where command like '%continue-barren%'",
    ]);
    expect(JSON.parse(steers.out)).toEqual([{ n: 1 }]);
    expect(err.split(PROMPT)).toHaveLength(3);
  });

  it('asks a program by an event, which answers by a command', async () => {
    const place = await openWorkspace(workspace('library'));
    const crawl = place.crawl();
    let asked = 0;
    for await (const event of crawl) {
      if (event.kind !== 'alarm' || event.code !== 'barren') continue;
      asked++;
      if (asked === 1) crawl.steer({ kind: 'continue-barren' });
      else crawl.stop();
    }
    expect([asked, (await crawl.summary).reason]).toEqual([2, 'stopped']);
    await place.close();
  });
});
