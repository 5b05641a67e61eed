import { describe, expect, it, vi } from 'vitest';
import { makeReporter } from '../../../src/cli/crawl/crawl-reporter.ts';
import { drawView, EMPTY_VIEW, foldEvent, progressLine, stoppingLine } from '../../../src/cli/crawl/crawl-view.ts';
import type { CrawlEvent, CrawlStatus, PageRecord } from '../../../src/core/index.ts';
import { displayWidth, paint } from '../../../src/workbench/words/terminal.ts';
import { capturedIo } from '../support/captured-io.ts';

const STATUS: CrawlStatus = {
  phase: 'harvesting',
  fetched: 250,
  budget: 1000,
  relevant: 100,
  failed: 3,
  refused: 2,
  duplicates: 1,
  pagesPerSecond: 12.34,
  recentHarvestRate: 0.5,
  queues: [
    {
      topic: 'cycling',
      incoming: 1200,
      outgoing: 34,
      accepted: 100,
      meanConfidence: 0.5,
      archetypes: 4,
      xiAlphaPrecision: 0.9,
    },
  ],
  hosts: { active: 3, slow: 1, bad: 0, named: [] },
  inFlight: 7,
  paused: false,
  ordering: 'bingo',
  elapsedMs: 95_000,
};

function pageEvent(sequence: number, title: string, others = false): CrawlEvent {
  const record = {
    kind: 'page',
    sequence,
    url: 'https://bikes.example/a',
    document: { title },
    assignment: { topic: others ? '' : 'cycling', others, relevance: 0.87, confidence: 0.4 },
    origin: { depth: 1, tunnelDepth: 0, from: '' },
    fetchedAt: 0,
  };
  return { kind: 'page', record: record as unknown as PageRecord };
}

const fold = (...events: CrawlEvent[]) => events.reduce((state, event) => foldEvent(state, event), EMPTY_VIEW);

describe('the live view', () => {
  it('shows phase, progress, rates, queues and the last pages', () => {
    const lines = drawView(fold(pageEvent(1, 'A page'), pageEvent(2, 'Off topic', true)), STATUS, 90, paint(false));
    expect(lines).toEqual([
      'harvesting phase        ████████░░░░░░░░░░░░░░░░░░░░░░░░ 250 of 1,000 pages  12.3/s  1m35s',
      'harvest rate 40 %, last 100 50 %  failed 3  refused 2  duplicates 1  in flight 7  slow ho…',
      '',
      'topic    accepted  archetypes  queued',
      'cycling       100           4   1,234',
      '',
      '·  65 %  Off topic  bikes.example',
      '✓  65 %  A page  bikes.example',
    ]);
  });

  it('fits any width', () => {
    const state = fold(pageEvent(1, `${'long '.repeat(50)}東京`));
    for (const width of [20, 40, 80, 200]) {
      for (const line of drawView(state, STATUS, width, paint(false)))
        expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  it('prints titles without terminal control characters', () => {
    const [line] = drawView(fold(pageEvent(1, 'evil\x1b[2J\u202e')), STATUS, 80, paint(false)).slice(-1);
    expect(line).toBe('✓  65 %  evil  bikes.example');
  });

  it('keeps the last five pages and the last three remarks', () => {
    const phase = (n: number): CrawlEvent => ({
      kind: 'phase',
      record: { kind: 'phase', sequence: n, phase: 'learning', reason: `reason ${n}`, at: 0 },
    });
    const state = fold(
      ...Array.from({ length: 9 }, (_, i) => pageEvent(i, `page ${i}`)),
      phase(1),
      phase(2),
      phase(3),
      phase(4),
    );
    expect(state.pages.map((page) => page.document.title)).toEqual(['page 8', 'page 7', 'page 6', 'page 5', 'page 4']);
    expect(state.remarks).toEqual([2, 3, 4].map((n) => `learning phase: reason ${n}`));
  });
});

describe('plain progress', () => {
  it('prints the same in one line', () => {
    expect(progressLine(STATUS)).toBe(
      'harvesting: 250 of 1,000 pages, harvest rate 40 %, 12.3/s, queued 1,234, failed 3, refused 2',
    );
  });

  it('counts the training pages first', () => {
    const status: CrawlStatus = { ...STATUS, phase: 'bootstrap', fetched: 0, training: { settled: 12, all: 53 } };
    expect(progressLine(status)).toBe('fetching training pages: 12 of 53, failed 3, refused 2');
    expect(drawView(EMPTY_VIEW, status, 80, paint(false))[0]).toMatch(/^fetching training pages +█+░+ 12 of 53 pages/);
  });

  it('says that classifiers are being trained if nothing else moves', () => {
    expect(progressLine({ ...STATUS, isTraining: true })).toMatch(/, refused 2, training classifiers$/);
    const status: CrawlStatus = { ...STATUS, phase: 'bootstrap', training: { settled: 53, all: 53 }, isTraining: true };
    expect(progressLine(status)).toBe('fetching training pages: 53 of 53, failed 3, refused 2, training classifiers');
  });

  it('says after a stop that the next run finishes the training', () => {
    expect(stoppingLine({ ...STATUS, inFlight: 2 })).toBe(
      'Stopping: finishing 2 pages in flight and saving. Ctrl-C again stops at once.',
    );
    expect(stoppingLine({ ...STATUS, inFlight: 0, isTraining: true })).toBe(
      'Stopping: finishing 0 pages in flight and saving; the next run trains the classifiers. Ctrl-C again stops at once.',
    );
  });

  it('uses the singular for one page', () => {
    expect(progressLine({ ...STATUS, fetched: 0, budget: 1 })).toContain('0 of 1 page, harvest rate');
  });

  it('appears every two seconds, and only if something changed', () => {
    const { io, err } = capturedIo();
    const reporter = makeReporter(io, false);
    for (const elapsedMs of [1000, 2000, 2500, 4100, 9000])
      reporter.tick({ ...STATUS, elapsedMs, fetched: elapsedMs < 4000 ? 1 : 2 });
    expect(err().trim().split('\n')).toHaveLength(2);
  });

  it('shows every two seconds how much of the journal is read', () => {
    vi.useFakeTimers({ now: 0 });
    const { io, err } = capturedIo();
    const reporter = makeReporter(io, false);
    for (const read of [2500, 5000, 7500, 30_000]) {
      vi.advanceTimersByTime(1500);
      reporter.onEvent({ kind: 'resuming', read, total: 30_000 });
    }
    vi.useRealTimers();
    expect(err().trim().split('\n')).toEqual([
      'resuming: 5,000 of 30,000 records read',
      'resumed: 30,000 records read',
    ]);
  });

  it.each([
    ['lines', false, false],
    ['a view', false, true],
    ['JSON', true, false],
  ])('tells every second how far reading documents is, on stderr alone: %s', (_, json, stderrIsTerminal) => {
    vi.useFakeTimers({ now: 0 });
    const { io, out, err } = capturedIo({ stderrIsTerminal });
    const reporter = makeReporter(io, json);
    for (const read of [900, 1800, 2700, 3000]) {
      vi.advanceTimersByTime(600);
      reporter.onEvent({ kind: 'documents', read, total: 3000 });
    }
    vi.useRealTimers();
    expect(err()).toBe('documents: 1,800 of 3,000 read\ndocuments: 3,000 of 3,000 read\n');
    expect(out()).toBe('');
  });
});

describe('JSON lines', () => {
  it('are written in order, once their page is stored', () => {
    const { io, out } = capturedIo();
    const reporter = makeReporter(io, true);
    reporter.onEvent(pageEvent(1, 'one'));
    reporter.onEvent(pageEvent(2, 'two'));
    expect(out()).toBe('');
    reporter.onEvent({ kind: 'stored', sequence: 1 });
    expect(
      out()
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { title: string }).title),
    ).toEqual(['one']);
    reporter.onEvent({ kind: 'stored', sequence: 5 });
    expect(out().trim().split('\n')).toHaveLength(2);
  });

  it('show an alarm after the page that caused it, with figures in JSON and as a sentence', () => {
    const { io, out, err } = capturedIo();
    const reporter = makeReporter(io, true);
    const data = { fetched: 7, topic: 'cycling', rate: 0.01, saturation: 0.5, topics: [], hosts: [] };
    reporter.onEvent(pageEvent(7, 'seven'));
    reporter.onEvent({ kind: 'alarm', code: 'stagnation', message: 'Nothing new.', remedy: 'Add seeds.', data });
    reporter.onEvent(pageEvent(8, 'eight'));
    expect([out(), err()]).toEqual(['', 'Nothing new. Add seeds.\n']);
    reporter.onEvent({ kind: 'stored', sequence: 7 });
    const lines = out().trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1]!)).toEqual({
      kind: 'alarm',
      code: 'stagnation',
      message: 'Nothing new.',
      remedy: 'Add seeds.',
      data,
      sequence: 7,
    });
  });

  it('immediately show an alarm after a written page, and that the store rejects writes', () => {
    const { io, out } = capturedIo();
    const reporter = makeReporter(io, true);
    const alarm = (code: string) => ({ kind: 'alarm', code, message: 'It waits.', remedy: 'Wait.' }) as const;
    const told = (): string[] =>
      out()
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { code: string }).code);
    reporter.onEvent(pageEvent(7, 'seven'));
    reporter.onEvent({ kind: 'stored', sequence: 7 });
    reporter.onEvent(alarm('offline'));
    expect(told().at(-1)).toBe('offline');
    reporter.onEvent(pageEvent(8, 'eight'));
    reporter.onEvent(alarm('store-waits'));
    expect(told().at(-1)).toBe('store-waits');
    reporter.onEvent(alarm('store-back'));
    reporter.onEvent({ kind: 'stored', sequence: 8 });
    expect(told().slice(-3)).toEqual(['store-waits', undefined, 'store-back']);
  });
});

describe('settings that changed since the last run', () => {
  const changes = [
    { setting: 'network.maxBodyBytes', before: 20_480, now: 2_097_152, askedAgain: 22 },
    { setting: 'network.dnsTtlMaxMs', before: 60_000, now: 5_400_000, askedAgain: 0 },
    { setting: 'crawl.lockedHosts', before: [], now: ['shop.test'], askedAgain: 0 },
  ];

  it('are printed one per line, with units', () => {
    const { io, err } = capturedIo();
    makeReporter(io, false).onEvent({ kind: 'settings', changes });
    expect(err().trim().split('\n')).toEqual([
      'since the last run: network.maxBodyBytes 20 KiB → 2 MiB; 22 addresses that it had excluded are fetched again',
      'since the last run: network.dnsTtlMaxMs 1m → 1h30m',
      'since the last run: crawl.lockedHosts [] → ["shop.test"]',
    ]);
  });

  it('are printed by their length if they are long lists', () => {
    const { io, err } = capturedIo();
    const now = Array.from({ length: 900 }, (_, i) => `shop${i}.test`);
    makeReporter(io, false).onEvent({
      kind: 'settings',
      changes: [{ setting: 'crawl.exclude', before: ['a.test'], now, askedAgain: 0 }],
    });
    expect(err().trim()).toBe('since the last run: crawl.exclude ["a.test"] → 900 items');
  });

  it('are printed unchanged in JSON', () => {
    const { io, out } = capturedIo();
    const reporter = makeReporter(io, true);
    reporter.onEvent({ kind: 'settings', changes });
    reporter.onEvent({ kind: 'stored', sequence: 1 });
    expect(JSON.parse(out())).toEqual({ kind: 'settings', changes });
  });
});

describe('a terminal', () => {
  it('redraws the view in place', async () => {
    const { io, err } = capturedIo({ stderrIsTerminal: true, env: { NO_COLOR: '1' } });
    const reporter = makeReporter(io, false);
    reporter.tick(STATUS);
    reporter.tick(STATUS);
    await reporter.close(STATUS);
    const frames = err().split('\x1b[6A\r\x1b[J');
    expect(frames).toHaveLength(3);
    expect(new Set(frames).size).toBe(1);
  });
});
