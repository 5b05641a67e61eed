import { type Config, type CrawlEvent, type TopicTree, UsageError } from '../../core/index.ts';
import { isPublicAddress } from '../../fetch/index.ts';
import { isOffline } from './open-fetcher.ts';

/** Name endings that are reserved for private use (RFC 6761, RFC 6762, RFC 9476). */
const LOCAL_NAMES = /(^|\.)(localhost|local|test|example|invalid|internal|lan|home\.arpa)$/;

/**
 * Requires a contact address before other people's sites are crawled. Only prints a warning if the web may be an
 * archived copy: replayed by a proxy on this machine, or by a local name server that may return private addresses.
 * @param again the command line that lacks the contact
 * @throws UsageError if no contact is set and the crawl would start on the open web, or fetch its examples there
 */
export function checkContact(config: Config, tree: TopicTree, again: string, say: (text: string) => void): void {
  if (config.network.contact !== '' || isOffline(config) || !startsOnOpenWeb(tree)) return;
  const replay = ownReplay(config);
  if (replay === undefined)
    throw new UsageError(
      'The sites you crawl cannot reach you: network.contact is empty.',
      `Put an e-mail address or a web page into it (in bingo.yaml), or:  ${again} --contact you@example.org`,
    );
  say(`No contact is set. Set network.contact first if the ${replay} to the open web, and not to a replayed one.\n`);
}

/**
 * Returns a function that raises one alarm if a crawl without a contact leaves private addresses for the open web.
 * @returns for each event an alarm, or `undefined`
 */
export function leavingIntranet(config: Config): (event: CrawlEvent) => CrawlEvent | undefined {
  const { contact, allowPrivate } = config.network;
  let isDue = !isOffline(config) && allowPrivate && contact === '' && ownReplay(config) === undefined;
  return (event) => {
    if (!isDue || event.kind !== 'page' || !isOpenHost(URL.parse(event.record.finalUrl)?.hostname ?? ''))
      return undefined;
    isDue = false;
    return {
      kind: 'alarm',
      code: 'no-contact',
      message: `The crawl has come to the open web (${event.record.host}), and its sites cannot reach you: network.contact is empty.`,
      remedy: 'Stop it, and put an e-mail address or a web page into network.contact.',
    };
  };
}

/** Names the setting that directs the crawl to this machine, so that the web may be an archived copy. */
function ownReplay({ network }: Config): string | undefined {
  const { allowPrivate, proxy, dnsServers } = network;
  if (isOwnHost(URL.parse(proxy)?.hostname ?? '')) return 'proxy leads';
  return allowPrivate && dnsServers.length > 0 && dnsServers.every(isOwnServer) ? 'name servers lead' : undefined;
}

function isOwnServer(server: string): boolean {
  return isOwnHost(/^(?:\[[^\]]+\]|[\d.]+)/.exec(server)?.[0] ?? server);
}

function isOwnHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127\./.test(host);
}

function startsOnOpenWeb(tree: TopicTree): boolean {
  return namedPages(tree).some((url) => isOpenHost(URL.parse(url)?.hostname ?? ''));
}

/** URLs of seeds, examples and counter-examples: all of them are fetched. */
export function namedPages(tree: TopicTree): readonly string[] {
  return [...tree.nodes.values()].flatMap(({ seeds, examples, others }) => [
    ...seeds,
    ...[...examples, ...others].flatMap((example) => (example.kind === 'url' ? [example.url] : [])),
  ]);
}

function isOpenHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (/^[\d.]+$/.test(bare) || bare.includes(':')) return isPublicAddress(bare);
  return bare.includes('.') && !LOCAL_NAMES.test(bare);
}
