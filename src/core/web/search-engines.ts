import type { TopicTree } from '../topic-tree.ts';
import { canonicalize, hostOf, sitesOf } from './url.ts';

/**
 * Hosts of general search engines. Their pages are answers to queries and links to everything, so a crawler learns
 * nothing there and most forbid it. Other services of the same companies are on other hosts.
 */
const SEARCH_ENGINES: readonly string[] = [
  ...['www.google.com', 'www.google.co.uk', 'www.google.de', 'www.google.fr', 'www.google.es', 'www.google.it'],
  ...['www.google.co.jp', 'www.google.com.br', 'www.google.ca', 'www.google.co.in', 'www.google.nl', 'www.google.pl'],
  ...['www.bing.com', 'cn.bing.com', 'duckduckgo.com', 'html.duckduckgo.com', 'lite.duckduckgo.com'],
  ...['search.yahoo.com', 'search.yahoo.co.jp', 'yandex.com', 'yandex.ru', 'ya.ru', 'www.baidu.com', 'm.baidu.com'],
  ...['www.sogou.com', 'www.so.com', 'search.naver.com', 'search.daum.net', 'search.seznam.cz', 'www.ask.com'],
  ...['search.brave.com', 'www.startpage.com', 'www.ecosia.org', 'www.qwant.com', 'www.mojeek.com', 'kagi.com'],
  ...['search.aol.com', 'www.dogpile.com', 'search.lycos.com', 'swisscows.com', 'metager.org', 'metager.de'],
];

/** Returns the hosts of search engines, without those that the topic tree names as an example or a seed. */
export function lockedSearchEngines({ nodes }: TopicTree): readonly string[] {
  const named = new Set<string>();
  for (const { examples, seeds } of nodes.values()) {
    const urls = [...seeds, ...examples.flatMap((example) => (example.kind === 'url' ? [example.url] : []))];
    const hosts = urls.flatMap((url) => canonicalize(url) ?? []).map(hostOf);
    for (const host of hosts) for (const site of sitesOf(host)) named.add(site);
  }
  return SEARCH_ENGINES.filter((host) => !named.has(host));
}
