import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { BINGO, crawlWords, inATerminal, keys, shows, terminal, workspace } from './support/terminals.ts';

inATerminal(() => {
  test('a crawl stops for a review, whose decisions it harvests with', async () => {
    terminal('crawl', 80, 24, crawlWords('--review'));
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
    await shows('crawl', /harvesting phase/);
    await shows('crawl', /ended with 0/);
    const query = "select count(*) from training where origin = 'feedback'";
    const sql = spawnSync(process.execPath, [BINGO, 'sql', workspace(), '--json', query], { encoding: 'utf8' });
    expect(sql.stdout).toMatch(/[1-9]/);
  }, 90_000);

  test('leaving a review changes nothing, and asks when something was decided', async () => {
    terminal('crawl', 80, 24, crawlWords('--plain'));
    await shows('crawl', /ended with 0/);
    terminal('review', 120, 40, ['review', workspace()], 'NO_COLOR=1');
    await shows('review', /review · railways[\s\S]*strongest terms: \w/);
    keys('review', 'x', 'q');
    await shows('review', /Leave 1 decision behind\?/);
    keys('review', 'y');
    expect(await shows('review', /ended with 0/)).toContain('Nothing was changed.');
  }, 60_000);
});
