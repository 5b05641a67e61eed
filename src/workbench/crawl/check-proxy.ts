import { BingoError, type Config } from '../../core/index.ts';
import { knock } from '../../fetch/index.ts';

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'socks5:': 1080 };

/**
 * Connects to the proxy. Without this check, a missing proxy would make every site seem silent.
 * @throws BingoError `PROXY_SILENT` if there is no connection
 */
export async function checkProxy({ proxy, connectTimeoutMs }: Config['network']): Promise<void> {
  if (proxy === '') return;
  const url = new URL(proxy);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || PORTS[url.protocol] || 80;
  await knock(host, port, connectTimeoutMs).catch((cause: Error) => {
    throw new BingoError({
      code: 'PROXY_SILENT',
      message: `The proxy ${url.protocol}//${url.host} does not answer: ${cause.message}.`,
      hint: 'Start it, or correct network.proxy. Nothing was fetched, and nothing is lost.',
      cause,
    });
  });
}
