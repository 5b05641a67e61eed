import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { allValues, type CanonicalUrl, decodeBody, redirectTarget } from '../core/index.ts';
import type { Resource } from './browser/page-requests.ts';
import { NotNowError, type Trouble } from './fetch-error.ts';
import type { Asker } from './http-client.ts';

/** Redirects that are followed. Each hop is checked like the first request. */
const REDIRECTS = 5;
/** Pause before a busy address is asked again. */
const BUSY_MS = 200;
/** Fields that describe the transfer, or would leave state behind; policies would keep out the page's own scripts. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-encoding', 'content-length', 'upgrade', 'trailer'],
  ...['set-cookie', 'strict-transport-security', 'clear-site-data', 'alt-svc', 'link', 'refresh', 'nel', 'report-to'],
]);

export interface ResourcePorts {
  readonly asker: Asker;
  /** Returns why a URL must not be requested: its robots.txt. */
  readonly forbidden: (url: CanonicalUrl) => Promise<Trouble | undefined>;
  /** Returns why its host must not be requested. */
  readonly objectionTo: (url: CanonicalUrl) => Trouble | undefined;
  /** Reserves the next turn of the host. @returns the wait until then, in ms */
  readonly reserve: (url: CanonicalUrl) => number;
  readonly maxBytes: number;
}

/**
 * Requests what a rendered page asks for: a script, or data. Every hop obeys robots.txt, blocked hosts, the address
 * rules, the host's pace and the size limit. `undefined` if it is refused, fails, or is too late.
 */
export async function requestResource(
  start: CanonicalUrl,
  ports: ResourcePorts,
  signal: AbortSignal,
): Promise<Resource | undefined> {
  let url: CanonicalUrl = start;
  for (let hops = 0; hops <= REDIRECTS && !signal.aborted; hops++) {
    if ((await ports.forbidden(url)) !== undefined || ports.objectionTo(url) !== undefined) return undefined;
    const raw = await askInTurn(url, ports, signal);
    if (raw === undefined) return undefined;
    const target = redirectTarget(url, raw.status, raw.headers);
    if (target === undefined) return await resourceOf(raw, ports.maxBytes);
    url = target;
  }
  return undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function askInTurn(
  url: CanonicalUrl,
  { asker, reserve, maxBytes }: ResourcePorts,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  let waitMs = reserve(url);
  for (;;) {
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const { raw } = await asker.ask(url, { wish: () => ({ bytes: maxBytes, partial: false }) });
    if (raw.kind === 'response') return raw.cut && raw.status < 300 ? undefined : raw;
    if (!(raw.error instanceof NotNowError)) return undefined;
    waitMs = BUSY_MS;
  }
}

async function resourceOf({ status, headers, body }: Answer, maxBytes: number): Promise<Resource | undefined> {
  const decoded = await decodeBody(body, allValues(headers['content-encoding']), maxBytes);
  if (decoded.kind !== 'decoded') return undefined;
  return { status, fields: keptFields(headers), body: Buffer.from(decoded.body) };
}

/** Returns the fields of a response that scripts may see. */
export function keptFields(headers: IncomingHttpHeaders): Resource['fields'] {
  const fields = Object.entries(headers).filter(([name]) => !DROPPED.has(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, allValues(value)]));
}
