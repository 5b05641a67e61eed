import { BingoError, type Config } from '../../core/index.ts';
import { knock } from '../../fetch/index.ts';

/**
 * Connects to the proxy. Without this check, a missing proxy would make every site seem silent.
 * @throws BingoError `PROXY_SILENT` if there is no connection
 */
export async function checkProxy({ proxy, connectTimeoutMs }: Config['network']): Promise<void> {
  if (proxy === '') return;
  const url = new URL(proxy);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  await knock(host, port, connectTimeoutMs).catch((cause: Error) => {
    throw new BingoError({
      code: 'PROXY_SILENT',
      message: `The proxy ${url.protocol}//${url.host} does not answer: ${cause.message}.`,
      hint: 'Start it, or correct network.proxy. Nothing was fetched, and nothing is lost.',
      cause,
    });
  });
}
