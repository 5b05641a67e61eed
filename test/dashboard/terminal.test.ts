import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  crawlWords,
  fastCrawlWords,
  inATerminal,
  keys,
  shows,
  terminal,
  tmux,
  workspace,
} from './support/terminals.ts';

inATerminal(() => {
  test('a crawl is watched, paused, given more budget, explained, and stopped with its changes', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /learning phase .*\n[\s\S]*✓ \d\.\d\d railways/);
    keys('crawl', 'p');
    await shows('crawl', /paused/);
    keys('crawl', '+', '+');
    const raised = await shows('crawl', /of 73 pages/);
    expect(
      raised
        .split('\n')
        .slice(0, 24)
        .every((line) => line.length <= 80),
    ).toBe(true);
    keys('crawl', 'Enter');
    await shows('crawl', /Path from a seed:/);
    keys('crawl', 'Escape');
    await shows('crawl', /last pages/);
    keys('crawl', 'q');
    await shows('crawl', /Stop the crawl and save\?/);
    keys('crawl', 's');
    const end = await shows('crawl', /ended with 130/);
    expect(end).toContain('Stopped; pages and frontier are saved.');
    expect(end).toContain('  crawl.budget: 73');
  });

  test('a key starts a review beside the crawl, which then returns the terminal', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /harvesting phase .*[1-9] of 60 pages/);
    keys('crawl', 'p');
    await shows('crawl', /paused/);
    keys('crawl', 'v');
    await shows('crawl', /review · railways[\s\S]*strongest terms: \w/);
    keys('crawl', 'Tab');
    await shows('crawl', /review · OTHERS[\s\S]* pages /);
    // The number of pages listed before the examples depends on the crawl.
    keys('crawl', 'End');
    await shows('crawl', /review · OTHERS[\s\S]* yours/);
    keys('crawl', 'q');
    await shows('crawl', /Back from the review\./);
    await shows('crawl', /paused/);
    keys('crawl', 'q');
    await shows('crawl', /Stop the crawl and save\?/);
    keys('crawl', 's');
    await shows('crawl', /ended with 130/);
  });

  test('a key marks a site once its waiting links are counted, and removes the mark again', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /harvesting phase .*[1-9] of 60 pages/);
    keys('crawl', 'p');
    // An open request would become the selected page when it finishes.
    await shows('crawl', /paused[\s\S]* in flight 0 /);
    keys('crawl', 's');
    await shows('crawl', /[1-9]\d* links wait for \S+, and hosts below it\. Mark it\?/);
    keys('crawl', 'b');
    await shows('crawl', / is a bad site: not fetched again; its pages leave their topics\./);
    await shows('crawl', / waiting: \d+ ordinary, [1-9]\d* aside ─/);
    terminal('beside', 120, 40, ['dashboard', workspace()]);
    await shows('beside', /paused[\s\S]* waiting: .*[1-9] aside ─/);
    keys('beside', 's');
    await shows('beside', /At most [1-9]\d* links wait for \S+, a bad site, and hosts below it\. Mark it\?/);
    keys('beside', 'u');
    await shows('beside', /Asked the crawl\. Removed the mark of \S+/);
    await shows('crawl', /▸ last pages {2}2 next {2}3 best ──/);
    keys('crawl', 'q');
    keys('crawl', 's');
    await shows('crawl', /ended with 130/);
  });

  test('a dashboard that a signal ends restores the terminal: rows wrap', async () => {
    const wraps = (): string => tmux('display-message', '-p', '-t', 'beside', '#{wrap_flag}').trim();
    terminal('crawl', 80, 24, fastCrawlWords('--plain'));
    await shows('crawl', /ended with 0/);
    terminal('beside', 80, 24, ['dashboard', workspace()]);
    await shows('beside', /ended: .* \(read-only\)/);
    expect(wraps()).toBe('0');
    spawnSync('pkill', ['-TERM', '-f', `bingo.js dashboard ${workspace()}`]);
    await shows('beside', /ended with 143/);
    expect(wraps()).toBe('1');
  });

  test('crawl and dashboard survive each other, and the dashboard controls across processes', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /[1-9] of 60 pages/);
    terminal('beside', 120, 40, ['dashboard', workspace()]);
    await shows('beside', /learning phase|harvesting phase/);
    keys('beside', 'p');
    await shows('crawl', /paused/);
    await shows('beside', /paused/);
    keys('beside', 'q');
    await shows('beside', /ended with 0/);
    keys('crawl', 'q');
    await shows('crawl', /d leave; the crawl continues/);
    keys('crawl', 'd');
    await shows('crawl', /You left the dashboard; the crawl continues/);

    terminal('again', 80, 24, ['dashboard', workspace()]);
    await shows('again', /paused/);
    keys('again', 'p');
    await shows('crawl', /ended with 0/);
    await shows('again', /ended: .* \(read-only\) .*60 of 60 pages/);
    keys('again', 'p');
    await shows('again', /No crawl is running in this workspace/);
    keys('again', 'q');
    await shows('again', /ended with 0/);
  });

  test('Ctrl-C stops and saves; the crawl resumes with its past shown, uncoloured if asked', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /[1-9] of 60 pages/);
    keys('crawl', 'C-c');
    expect(await shows('crawl', /ended with 130/)).toContain('Stopped; pages and frontier are saved.');
    terminal('resumed', 80, 24, crawlWords(), 'NO_COLOR=1');
    await shows('resumed', /✓ \d\.\d\d railways/);
    // 39 and 49 are the default colours of the terminal.
    expect(tmux('capture-pane', '-p', '-e', '-t', 'resumed')).not.toMatch(/\u001b\[(3[0-8]|4[0-8]|9\d|10\d)m/);
    tmux('resize-window', '-t', 'resumed', '-x', '120', '-y', '40');
    await shows('resumed', /hosts: relevant\/pages/);
    tmux('resize-window', '-t', 'resumed', '-x', '30', '-y', '8');
    await shows('resumed', /too small/);
    await shows('resumed', /ended with 0/);
  });

  test('a stop before the crawl has begun to read takes effect', async () => {
    terminal('crawl', 80, 24, crawlWords());
    await shows('crawl', /[1-9] of 60 pages/);
    keys('crawl', 'C-c');
    await shows('crawl', /ended with 130/);
    // Begins after the first line. The terminal buffers input until the screen is ready.
    terminal('early', 80, 24, crawlWords(), 'read -r line;');
    keys('early', 'Enter', 'q', 's');
    expect(await shows('early', /ended with/)).toMatch(
      /Stopped while reading the store; nothing was changed\.[\s\S]*ended with 130/,
    );
  });

  test('--plain prints lines without redrawing', async () => {
    terminal('plain', 80, 24, fastCrawlWords('--plain'));
    const text = await shows('plain', /ended with 0/);
    expect(tmux('capture-pane', '-p', '-S', '-200', '-t', 'plain')).toMatch(/learning phase: training pages fetched/);
    expect(text).not.toContain('█');
  });
});
