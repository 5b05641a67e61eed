import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BINGO, fastCrawlWords, inATerminal, keys, shows, terminal, workspace } from './support/terminals.ts';

inATerminal(() => {
  test('a crawl stops for a review, and harvests with its decisions', async () => {
    terminal('crawl', 80, 24, fastCrawlWords('--review'));
    const review = await shows('crawl', /review · railways[\s\S]*strongest terms: \w/);
    expect(review).toMatch(/› .* (authority|confidence|both|near) /);
    expect(review.split('\n').every((line) => line.length <= 80)).toBe(true);
    keys('crawl', 'a');
    await shows('crawl', /1 decided\n.*held-out .*pages would move/);
    keys('crawl', 'r');
    await shows('crawl', /– .*rejected/);
    keys('crawl', 'u');
    await shows('crawl', /1 decided/);
    keys('crawl', 'End');
    keys('crawl', 'm');
    await shows('crawl', /move to which topic/);
    keys('crawl', 'q');
    await shows('crawl', /training pages/);
    keys('crawl', 's');
    await shows('crawl', /Apply 1 decision\?[\s\S]*y yes/);
    keys('crawl', 'y');
    await shows('crawl', /1 decision applied; \d+ pages? changed topic\. q leaves\./);
    keys('crawl', 'q');
    // The harvest may be over before a screen of it is seen.
    await shows('crawl', /harvesting phase|The budget is spent\. \d+ pages/);
    await shows('crawl', /ended with 0/);
    const query = "select count(*) from training where origin = 'feedback'";
    const sql = spawnSync(process.execPath, [BINGO, 'sql', workspace(), '--json', query], { encoding: 'utf8' });
    expect(sql.stdout).toMatch(/[1-9]/);
  });

  test('leaving a review changes nothing, and asks if there are decisions', async () => {
    terminal('crawl', 80, 24, fastCrawlWords('--plain'));
    await shows('crawl', /ended with 0/);
    terminal('review', 120, 40, ['review', workspace()], 'NO_COLOR=1');
    await shows('review', /review · railways[\s\S]*strongest terms: \w/);
    keys('review', 'x', 'q');
    await shows('review', /Leave\? 1 decision will be kept/);
    keys('review', 'd');
    expect(await shows('review', /ended with 0/)).toMatch(/Nothing was changed\./);
    expect(existsSync(join(workspace(), 'review-draft.json'))).toBe(false);
  });

  test('leaving ends the review during any count or search', async () => {
    terminal('crawl', 80, 24, fastCrawlWords('--plain'));
    await shows('crawl', /ended with 0/);
    terminal('review', 120, 40, ['review', workspace()], 'NO_COLOR=1');
    await shows('review', /review · railways[\s\S]*strongest terms: \w/);
    keys('review', 'p');
    keys('review', 'C-c');
    await shows('review', /ended with 0/);
  });

  test('unapplied decisions are in the next review, however the last one ended', async () => {
    terminal('crawl', 80, 24, fastCrawlWords('--plain'));
    await shows('crawl', /ended with 0/);
    terminal('killed', 120, 40, ['review', workspace()], 'NO_COLOR=1');
    await shows('killed', /review · railways[\s\S]*strongest terms: \w/);
    keys('killed', 'x');
    await shows('killed', /1 decided/);
    spawnSync('pkill', ['-9', '-f', `bingo.js review ${workspace()}`]);
    await shows('killed', /ended with 137/);

    terminal('left', 120, 40, ['review', workspace()], 'NO_COLOR=1');
    await shows('left', /1 decision of an earlier review, not applied yet/);
    await shows('left', /1 decided\n.*pages would move/);
    keys('left', 'Down', 'r', 'q');
    await shows('left', /Leave\? 2 decisions will be kept/);
    keys('left', 'y');
    expect(await shows('left', /ended with 0/)).toMatch(/2 decisions kept, not applied\. Next: bingo review /);

    terminal('applied', 120, 40, ['review', workspace()], 'NO_COLOR=1');
    await shows('applied', /2 decided\n.*pages would move/);
    keys('applied', 's');
    await shows('applied', /Apply 2 decisions\?/);
    keys('applied', 'y');
    await shows('applied', /2 decisions applied; \d+ pages? changed topic/);
    keys('applied', 'q');
    expect(await shows('applied', /ended with 0/)).toContain('2 decisions applied.');
    expect(existsSync(join(workspace(), 'review-draft.json'))).toBe(false);
  });
});
