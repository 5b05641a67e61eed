import { expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/core/index.ts';
import { LinkGate, type LinkGatePorts } from '../../../src/engine/state/link-gate.ts';

/** A gate of which only limits and locks matter. */
function gate(limits: Partial<LinkGatePorts['limits']>, locked: readonly string[] = []): LinkGate {
  const ports = { limits: { ...DEFAULTS.crawl, ...limits }, hosts: { isBad: () => false } };
  return new LinkGate(ports as unknown as LinkGatePorts, locked);
}

test('a lock holds for a host on all its ports, and for the hosts below its name', () => {
  const locks = gate({}, ['a.test', '[::1]']);
  const locked = ['a.test', 'a.test:8080', 'www.a.test:8080', '[::1]:81'].map((host) => locks.isLocked(host));
  expect(locked).toEqual([true, true, true, true]);
  expect(['aa.test', 'test', '[::2]'].map((host) => locks.isLocked(host))).toEqual([false, false, false]);
});

test('a lock with a port holds on that port alone', () => {
  const locks = gate({}, ['a.test:8080']);
  expect(['a.test:8080', 'a.test', 'a.test:81'].map((host) => locks.isLocked(host))).toEqual([true, false, false]);
});

test('a port is no part of the name whose length is limited', () => {
  const short = gate({ maxHostChars: 6 });
  expect(short.isAdmissible('http://a.test:8080/', 'a.test:8080')).toBe(true);
  expect(short.isAdmissible('http://aa.test/', 'aa.test')).toBe(false);
});
