import type { promises as dns } from 'node:dns';

/** What a name stands for. Failures are values: names that do not exist are everyday matters. */
export type Resolution =
  | { readonly kind: 'resolved'; readonly addresses: readonly string[] }
  /** `temporary`: no server gave an answer; else the name does not exist or has no address. */
  | { readonly kind: 'unresolved'; readonly temporary: boolean; readonly code: string };

export interface Answer {
  readonly resolution: Resolution;
  readonly ttlMs: number;
}

/** Shorter TTLs are stretched to this: politeness to name servers. Rebinding is met by dialling what was checked. */
const MIN_TTL_MS = 10_000;
/** Negative answers (RFC 2308 lets them live longer), and silence or SERVFAIL, which may pass soon. */
const NEGATIVE_TTL_MS = 60_000;
const TROUBLE_TTL_MS = 5_000;
/** Codes by which a server says for certain that there is no such name, or no address. */
const DEFINITE: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Asks for IPv4 addresses, and for IPv6 ones when there are none. Never rejects. */
export async function ask(resolver: dns.Resolver, name: string): Promise<Answer> {
  try {
    return fromRecords(await resolver.resolve4(name, { ttl: true }));
  } catch (error) {
    if (codeOf(error) !== 'ENODATA') return unresolved(codeOf(error));
  }
  try {
    return fromRecords(await resolver.resolve6(name, { ttl: true }));
  } catch (error) {
    return unresolved(codeOf(error));
  }
}

/** True when a server gave it: it knows the name, or knows that there is none. */
export function isDefinite({ resolution }: Answer): boolean {
  return resolution.kind === 'resolved' || !resolution.temporary;
}

export function resolved(addresses: readonly string[], ttlMs: number): Answer {
  return { resolution: { kind: 'resolved', addresses }, ttlMs };
}

export function unresolved(code: string): Answer {
  const temporary = !DEFINITE.has(code);
  return { resolution: { kind: 'unresolved', temporary, code }, ttlMs: temporary ? TROUBLE_TTL_MS : NEGATIVE_TTL_MS };
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'EUNKNOWN';
}

function fromRecords(records: readonly { readonly address: string; readonly ttl: number }[]): Answer {
  if (records.length === 0) return unresolved('ENODATA');
  const ttlSeconds = records.reduce((least, record) => Math.min(least, record.ttl), Number.POSITIVE_INFINITY);
  return resolved(
    records.map((record) => record.address),
    Math.max(MIN_TTL_MS, ttlSeconds * 1000),
  );
}
