import { createRequire } from 'node:module';
import type { Dispatcher, ProxyAgent } from 'undici';

type Undici = typeof import('undici');

/**
 * The parts of undici that send requests. Its main module loads everything, including `fetch`, WebSockets, caches and
 * test mocks:
 * 13 MB that no crawl uses. The version is pinned, so these paths are stable.
 */
const load = createRequire(import.meta.url);

export const Agent: Undici['Agent'] = load('undici/lib/dispatcher/agent.js');
export const Pool: Undici['Pool'] = load('undici/lib/dispatcher/pool.js');
export const makeConnector: Undici['buildConnector'] = load('undici/lib/core/connect.js');
export const errors: Undici['errors'] = load('undici/lib/core/errors.js');

/** Tunnels need more of undici. */
export function proxyAgent(options: ProxyAgent.Options): Dispatcher {
  const undici: Undici = load('undici');
  return new undici.ProxyAgent(options);
}
