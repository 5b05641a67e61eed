import { BingoError, type Config, type TopicTree } from '../../core/index.ts';
import { readSettings, settingAt } from '../../engine/index.ts';
import { Resolver } from '../../fetch/index.ts';
import type { Store } from '../../store/index.ts';
import { namedPages } from './contact.ts';

/** How it shows that nothing came back; any other answer, a refusal too, is that of a server. */
const SILENT: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECONNREFUSED']);
/** Names of the crawl that are asked for: behind a server that is there one of them may be slow. */
const NAMES = 3;

/**
 * Asks the name servers that the settings name: without any, each site would be blamed, or a crawl that goes on would wait for them
 * without end. Those that served the run before are not asked: they are there, and may be away for a while, as the network may be.
 * @throws BingoError `NAME_SERVERS_SILENT` when none of them answers
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

/** Rejects when the server is silent. */
async function hear(resolver: Resolver, name: string): Promise<void> {
  const resolution = await resolver.resolve(name);
  if (resolution.kind === 'unresolved' && SILENT.has(resolution.code)) throw new Error(`${name}: ${resolution.code}`);
}

/** The first names that the crawl will ask for; addresses are none. */
function namesOf(tree: TopicTree): readonly string[] {
  const hosts = namedPages(tree).map((url) => URL.parse(url)?.hostname ?? '');
  return [...new Set(hosts)].filter((host) => /^[^[]*[a-z]/.test(host)).slice(0, NAMES);
}
