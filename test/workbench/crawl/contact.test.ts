import { expect, test } from 'vitest';
import { type Config, type CrawlEvent, DEFAULTS, topicTree } from '../../../src/core/index.ts';
import { checkContact, leavingIntranet } from '../../../src/workbench/crawl/contact.ts';

const INTRANET: Partial<Config['network']> = { allowPrivate: true };

/** The alarms of a crawl that fetches these pages. */
function alarmsOf(urls: readonly string[], network: Partial<Config['network']>): string[] {
  const alarmOf = leavingIntranet(configWith(network));
  return urls.flatMap((finalUrl) => {
    const event = { kind: 'page', record: { finalUrl, host: URL.parse(finalUrl)!.host } } as unknown as CrawlEvent;
    const alarm = alarmOf(event);
    return alarm?.kind === 'alarm' ? [alarm.message] : [];
  });
}

const configWith = (network: Partial<Config['network']>): Config => ({
  ...DEFAULTS,
  network: { ...DEFAULTS.network, ...network },
});

test('a missing contact is only a warning if local name servers may replay a web', () => {
  const url = (address: string) => ({ kind: 'url' as const, url: address });
  const tree = topicTree([{ name: 'a', examples: [url('https://www.wikipedia.org/')] }], [url('http://10.1.2.3/')]);
  const told: string[] = [];
  const check = (network: Partial<Config['network']>): void =>
    checkContact(configWith(network), tree, 'bingo crawl x', (text) => void told.push(text));
  check({ ...INTRANET, dnsServers: ['127.0.0.1:5353', '[::1]:53', '::1'] });
  expect(told).toEqual([expect.stringMatching(/^No contact is set.*name servers lead to the open web/)]);
  // That of the system is often on this machine, too.
  expect(() => check({ dnsServers: ['127.0.0.53'] })).toThrow('network.contact is empty');
  expect(() => check({ ...INTRANET, dnsServers: ['127.0.0.1', '192.0.2.1'] })).toThrow('network.contact is empty');
});

test('a crawl of an intranet that reaches the open web without a contact warns once', () => {
  const pages = ['http://10.1.2.3/', 'http://wiki.internal/', 'https://a.example.org/', 'https://b.example.org/'];
  expect(alarmsOf(pages, INTRANET)).toEqual([
    'The crawl has come to the open web (a.example.org), and its sites cannot reach you: network.contact is empty.',
  ]);
  expect(alarmsOf(pages.slice(0, 2), INTRANET)).toEqual([]);
  expect(alarmsOf(pages, { ...INTRANET, contact: 'me@example.org' })).toEqual([]);
});

test.each([
  ['a proxy on this machine', { ...INTRANET, proxy: 'http://127.0.0.1:8080' }],
  ['a name server on this machine', { ...INTRANET, dnsServers: ['[::1]:5353'] }],
])('no alarm about a web that %s may replay', (_, network) => {
  expect(alarmsOf(['https://a.example.org/'], network)).toEqual([]);
});
