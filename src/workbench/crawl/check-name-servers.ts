import { BingoError, type Config, type TopicTree } from '../../core/index.ts';
import { readSettings, settingAt } from '../../engine/index.ts';
import { Resolver } from '../../fetch/index.ts';
import type { Store } from '../../store/index.ts';
import { namedPages } from './contact.ts';

/** Error codes that mean no server answered. Any other answer, even a refusal, comes from a server. */
const SILENT: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECONNREFUSED']);
/** Number of the crawl's host names to look up: a working server may be slow for one of them. */
const NAMES = 3;

/**
 * Checks that the configured name servers answer. Without a server, each site would be blamed, or a resumed crawl
 * would wait for ever. Servers that worked in the previous run are not checked: they exist, and an outage may be
 * temporary.
 * @throws BingoError `NAME_SERVERS_SILENT` if none of them answers
 */
export async function checkNameServers(
  network: Config['network'],
  tree: TopicTree,
  store: Partial<Pick<Store, 'lastRun'>>,
): Promise<void> {
  const { dnsServers, proxy } = network;
  const names = namesOf(tree);
  if (dnsServers.length === 0 || proxy !== '' || names.length === 0) return;
  const before = settingAt(readSettings((await store.lastRun?.())?.settings ?? ''), 'network.dnsServers');
  if (JSON.stringify(before) === JSON.stringify(dnsServers)) return;
  const resolvers = dnsServers.map((server) => new Resolver({ ...network, dnsServers: [server] }));
  try {
    await Promise.any(resolvers.flatMap((resolver) => names.map((name) => hear(resolver, name))));
  } catch (cause) {
    throw new BingoError({
      code: 'NAME_SERVERS_SILENT',
      message: `No name server answers: ${dnsServers.join(', ')}.`,
      hint: 'Start one, or correct network.dnsServers. Nothing was fetched, and nothing is lost.',
      cause,
    });
  } finally {
    for (const resolver of resolvers) resolver.close();
  }
}

/** Rejects if the server does not answer. */
async function hear(resolver: Resolver, name: string): Promise<void> {
  const resolution = await resolver.resolve(name);
  if (resolution.kind === 'unresolved' && SILENT.has(resolution.code)) return Promise.reject(resolution.code);
}

/** The first host names that the crawl will look up, without IP addresses. */
function namesOf(tree: TopicTree): readonly string[] {
  const hosts = namedPages(tree).map((url) => URL.parse(url)?.hostname ?? '');
  return [...new Set(hosts)].filter((host) => /^[^[]*[a-z]/.test(host)).slice(0, NAMES);
}
