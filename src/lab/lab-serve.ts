import { UsageError } from '../core/index.ts';
import { counted, safeJson } from '../kit/index.ts';
import type { LabIo } from './io.ts';
import { type FaultSettings, NO_FAULTS } from './serve/faults.ts';
import { type FrozenServer, serveFrozenWeb } from './serve/frozen-server.ts';
import { FrozenWeb } from './web/frozen-web.ts';

/** Options of `bingo lab serve`. */
export interface LabServeOptions {
  /** The WARC file. */
  readonly file: string;
  /** Default: a free one; with `bindHosts`, the default port of links, 80. */
  readonly port?: number;
  readonly host?: string;
  readonly dnsPort?: number;
  readonly bindHosts?: boolean;
  readonly faults?: Partial<FaultSettings>;
  /** If true, continues with a truncated or damaged file. */
  readonly skipDamaged?: boolean;
  /** If true, prints the addresses as one JSON object. */
  readonly json?: boolean;
}

/** Port of links without a port. */
const HTTP_PORT = 80;

/** Bytes of decoded pages that a server caches: all of a medium-sized web, so that serving costs almost nothing. */
const SERVE_CACHE_BYTES = 256 * 1024 * 1024;

/**
 * `bingo lab serve`: replays a frozen web until aborted. Resolves with the exit code.
 * @throws BingoError `WARC_CHANGED` if the file changes meanwhile
 */
export async function labServe(options: LabServeOptions, io: LabIo): Promise<number> {
  const { port = options.bindHosts === true ? HTTP_PORT : 0 } = options;
  const faults = { ...NO_FAULTS, ...options.faults };
  checkFaults(faults);
  const onDamage = options.skipDamaged === true ? { onDamage: (e: Error) => io.err(`${e.message}\n`) } : {};
  const web = await FrozenWeb.open(options.file, { cacheBytes: SERVE_CACHE_BYTES, ...onDamage });
  try {
    const server = await serveFrozenWeb({ ...options, port, web, faults });
    io.err(`${web.name}: ${counted(web.size, 'page')} on ${counted(server.addresses.size, 'host')}. Ctrl-C ends.\n`);
    const told = addressesOf(server, options);
    for (const line of options.json === true ? [safeJson(told)] : addressLines(told)) io.out(`${line}\n`);
    if (options.bindHosts === true && port !== HTTP_PORT) io.err(PORT_NOTE);
    try {
      await Promise.race([aborted(io.signal), server.failure]);
    } finally {
      await server.close();
    }
    io.err(`${counted(server.requests, 'request')} answered.\n`);
    return 0;
  } finally {
    web.close();
  }
}

const PORT_NOTE = `Links without a port lead to port ${HTTP_PORT}, which does not answer. Crawl through the proxy, or serve with --port ${HTTP_PORT}.\n`;

/** Addresses of a server: its proxy, its name server if any, and each host with its own address. */
interface Addresses {
  readonly proxy: string;
  readonly dns?: string;
  readonly hosts?: readonly { readonly url: string; readonly address: string }[];
}

function addressesOf({ host, port, dnsPort, addresses }: FrozenServer, { bindHosts }: LabServeOptions): Addresses {
  const at = port === HTTP_PORT ? '' : `:${port}`;
  const hosts = [...addresses].map(([name, address]) => ({ url: `http://${name}${at}/`, address }));
  return {
    proxy: `http://${host}:${port}`,
    ...(dnsPort === undefined ? {} : { dns: `${host}:${dnsPort}` }),
    ...(bindHosts === true ? { hosts } : {}),
  };
}

function addressLines({ proxy, dns, hosts = [] }: Addresses): readonly string[] {
  const names = dns === undefined ? [] : [`dns    ${dns}`];
  return [`proxy  ${proxy}`, ...names, ...hosts.map(({ url, address }) => `host   ${url}  ${address}`)];
}

function checkFaults({ latencyMs, errorRate, timeoutRate }: FaultSettings): void {
  if (!(latencyMs >= 0)) throw new UsageError(`Expected a latency in ms >= 0, got ${latencyMs}.`);
  for (const [name, rate] of Object.entries({ 'error rate': errorRate, 'timeout rate': timeoutRate }))
    if (!(rate >= 0 && rate <= 1)) throw new UsageError(`Expected an ${name} in [0,1], got ${rate}.`);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
