import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/core/index.ts';
import { openScout } from '../../../src/workbench/find/scout.ts';
import { BIKE, type BikeWeb, startBikeWeb } from '../../cli/support/bike-web.ts';

let web: BikeWeb;
beforeEach(async () => {
  web = await startBikeWeb();
});
afterEach(() => web.close());

const network = (more: object = {}) => ({
  ...DEFAULTS,
  network: { ...DEFAULTS.network, dnsServers: [web.dnsServer], allowPrivate: true, ...more },
});

test('a scout reports what each example says, or why it cannot be one', async () => {
  const page = `${web.origin('bikes.test')}/1`;
  const missing = `${web.origin('bikes.test')}/999`;
  const looks = await openScout(network()).look([page, missing, 'mailto:a@b.example'], 'me@example.org');
  expect(looks[0]).toMatchObject({ url: page, title: `${BIKE[0]} page 1`, language: 'en' });
  expect(looks[0]?.words).toBeGreaterThan(50);
  expect(looks[0]?.passage).toContain('derailleur');
  expect(looks[1]).toMatchObject({ url: missing, problem: expect.stringContaining('404') });
  expect(looks[2]).toMatchObject({ problem: 'This is not a web address.' });
  expect(web.headers[0]?.['user-agent']).toContain('me@example.org');
});

test('a scout fetches nothing from a private address', async () => {
  const [look] = await openScout(network({ allowPrivate: false })).look([`${web.origin('bikes.test')}/1`], '');
  expect(look?.problem).toMatch(/private|address/);
  expect(web.requests).toEqual([]);
});

test('a scout reads no file of this machine', async () => {
  const [look] = await openScout().look(['/etc/passwd'], '');
  expect(look?.problem).toBe('This is not a web address.');
});
