import { connect } from 'node:net';
import { BingoError, type Config } from '../../core/index.ts';

/**
 * Knocks at the proxy: behind one that is not there every site seems silent, and each would be blamed for it.
 * @throws BingoError `PROXY_SILENT` when nobody listens there
 */
export async function checkProxy({ proxy, connectTimeoutMs }: Config['network']): Promise<void> {
  if (proxy === '') return;
  const url = new URL(proxy);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port, timeout: connectTimeoutMs }, () => {
      socket.destroy();
      resolve();
    });
    const fail = (why: string, cause?: Error): void => {
      socket.destroy();
      reject(
        new BingoError({
          code: 'PROXY_SILENT',
          message: `The proxy ${url.protocol}//${url.host} does not answer: ${why}.`,
          hint: 'Start it, or correct network.proxy. Nothing was fetched, and nothing is lost.',
          cause,
        }),
      );
    };
    socket.once('timeout', () => fail(`no connection within ${connectTimeoutMs} ms`));
    socket.once('error', (error) => fail(error.message, error));
  });
}
