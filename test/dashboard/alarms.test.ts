import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../src/core/index.ts';
import { shownAlarms, urgentAlarms } from '../../src/dashboard/alarms.ts';
import type { DashboardEvent } from '../../src/dashboard/index.ts';
import {
  emptyState,
  fold,
  pageEvent,
  pageEvents,
  phaseEvent,
  rejected,
  roundEvent,
  statusOf,
  visitEvent,
} from './support/events.ts';

const status = (parts = {}): DashboardEvent => ({ kind: 'status', status: statusOf(parts) });

function codes(...events: readonly DashboardEvent[]): string[] {
  return fold(emptyState(), phaseEvent('harvesting'), ...events, status()).alarms.map((alarm) => alarm.code);
}

describe('alarms', () => {
  test('a healthy crawl has no alarms', () => {
    expect(codes(...pageEvents(1, 300), roundEvent())).toEqual([]);
  });

  test('stagnation: the last pages are far worse than the whole crawl', () => {
    expect(codes(...pageEvents(1, 200), ...pageEvents(201, 95, rejected))).toEqual(['stagnation']);
    expect(codes(...pageEvents(1, 200), ...pageEvents(201, 60, rejected))).toEqual([]);
  });

  test('barren: asks until it is answered, before all other alarms, and says what more pages promise', () => {
    const barren = { pages: 200, relevant: 1, left: 800, atMost: 23, endsIn: 400 };
    const news = { kind: 'alarm', code: 'drift', message: 'Off.', remedy: 'r' } as const;
    const asked = fold(emptyState(), phaseEvent('harvesting'), news, status({ barren }));
    expect(urgentAlarms(asked).map(({ code }) => code)).toEqual(['barren', 'drift']);
    expect(urgentAlarms(asked)[0]).toMatchObject({
      message: '1 of the last 200 pages is relevant; expect 23 at most in the 800 left.',
      remedy: 'Continue (c) or stop (q)? Without an answer, the crawl ends after 400 more pages.',
    });
    const answered = fold(asked, { kind: 'asked', command: { kind: 'continue-barren' } });
    expect(urgentAlarms(answered).map(({ code }) => code)).toEqual(['drift']);
    expect(urgentAlarms(fold(emptyState({ ownsCrawl: false }), status({ barren })))[0]?.remedy).toMatch(
      /^Continue \(c\)\? /,
    );
  });

  test('stagnation is not reported for a crawl that has just begun', () => {
    expect(codes(...pageEvents(1, 140, rejected))).toEqual([]);
  });

  test('rolled-back: the last round was rolled back; only the help lists it', () => {
    const undone = roundEvent({ undone: true, reason: 'drift: the examples of "mining" fell' });
    expect(codes(undone)).toEqual(['rolled-back']);
    expect(urgentAlarms(fold(emptyState(), undone, status()))).toEqual([]);
    expect(codes(undone, roundEvent())).toEqual([]);
  });

  test.each([
    ['timeout', 0, 'check the network'],
    ['http', 404, 'are dead'],
    ['http', 503, 'check the network'],
  ])('errors: half of the last fetches failed with %s %i', (reason, code, remedy) => {
    const failures = Array.from({ length: 25 }, (_, i) => visitEvent(100 + i, { reason, status: code }));
    const state = fold(emptyState(), ...pageEvents(1, 30), ...failures, status());
    expect(state.alarms.map((alarm) => alarm.code)).toEqual(['errors']);
    expect(state.alarms[0]!.message).toMatch(/^25 of the last 40 fetches gave no page/);
    expect(state.alarms[0]!.remedy).toContain(remedy);
  });

  test('redirects and duplicates are not errors', () => {
    const redirects = Array.from({ length: 60 }, (_, i) =>
      visitEvent(i, { result: 'redirected', reason: 'permanent' }),
    );
    expect(codes(...redirects)).toEqual([]);
  });

  test('trap: one host has most of the last pages, and none of them is relevant', () => {
    const trap = Array.from({ length: 50 }, (_, i) =>
      pageEvent(200 + i, { ...rejected, url: `http://trap.example/${i}` }),
    );
    const state = fold(emptyState(), ...pageEvents(1, 60), ...trap, status());
    expect(state.alarms[0]).toMatchObject({
      code: 'trap',
      message: expect.stringContaining('from trap.example, 0 of them'),
    });
  });

  test('a host with the relevant pages is no trap: blocking it would end the crawl', () => {
    const home = (n: number, parts: object) => pageEvent(n, { ...parts, url: `http://home.example/${n}` });
    const found = Array.from({ length: 40 }, (_, i) => home(1 + i, {}));
    const others = Array.from({ length: 80 }, (_, i) => home(100 + i, rejected));
    expect(codes(...found, ...others)).toEqual([]);
  });

  test.each<[Refusal, string]>([
    ['size', 'network.maxBodyBytes'],
    ['private-address', 'network.allowPrivate'],
    ['type', 'Nothing needs to be done'],
  ])('errors: fetches that were refused by a rule (%s) have nothing to do with the network', (reason, remedy) => {
    const failures = Array.from({ length: 25 }, (_, i) => visitEvent(100 + i, { result: 'refused', reason }));
    const [alarm] = fold(emptyState(), ...pageEvents(1, 30), ...failures, status()).alarms;
    expect(alarm!.remedy).toContain(remedy);
    expect(alarm!.remedy).not.toContain('check the network');
  });

  test('dry: mentions links that rules excluded', () => {
    const queues = [{ ...statusOf().queues[0]!, incoming: 1, outgoing: 2 }];
    const leftOut = [{ rule: 'crawl.lockedHosts', addresses: 7 }] as const;
    const [alarm] = fold(emptyState(), phaseEvent('harvesting'), status({ queues, inFlight: 0, leftOut })).alarms;
    expect(alarm!.remedy).toContain('7 addresses that rules keep out');
  });

  test('alarms of the crawl itself come first for a minute', () => {
    const undone = roundEvent({ undone: true, reason: 'drift' });
    const told = { kind: 'alarm', code: 'told', message: 'm', remedy: 'r' } as const;
    const at = (now: number): string[] =>
      shownAlarms(fold(emptyState({ now: 5000 }), undone, told, { kind: 'tick', now }, status())).map(
        ({ code }) => code,
      );
    expect(at(64_000)).toEqual(['told', 'rolled-back']);
    expect(at(66_000)).toEqual(['rolled-back', 'told']);
  });

  test('dry: hardly any link waits, and much of the budget is left', () => {
    const queues = [{ ...statusOf().queues[0]!, incoming: 1, outgoing: 2 }];
    const dry = { queues, inFlight: 0 };
    const told = (parts: object): string[] =>
      fold(emptyState(), phaseEvent('harvesting'), status({ ...dry, ...parts })).alarms.map((alarm) => alarm.code);
    expect(told({})).toEqual(['dry']);
    expect(told({ inFlight: 20 })).toEqual([]);
    expect(told({ budget: 255 })).toEqual([]);
    expect(told({ phase: 'done' })).toEqual([]);
  });

  test('alarms of the crawl itself are kept, newest first', () => {
    const alarm = (n: number): DashboardEvent => ({
      kind: 'alarm',
      code: `c${n}`,
      message: `\u001b[31mm${n}`,
      remedy: 'r',
    });
    const { told } = fold(emptyState(), ...[1, 2, 3, 4, 5, 6].map(alarm));
    expect(told.map((a) => a.message)).toEqual(['m6', 'm5', 'm4', 'm3', 'm2']);
  });

  test('an alarm about recent pages shows its time', () => {
    const data = { fetched: 1674, rate: 0, saturation: 0.9, topics: [], hosts: [] };
    const event = { kind: 'alarm', code: 'stagnation', message: 'Nothing relevant.', remedy: 'r', data } as const;
    expect(fold(emptyState(), event).told.map((a) => a.message)).toEqual(['Page 1,674: Nothing relevant.']);
  });
});
