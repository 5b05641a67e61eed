import type { promises as dns, RecordWithTtl } from 'node:dns';

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

/** So long a known IPv4 address waits for the IPv6 ones (RFC 8305 §3, the other way round): some servers never tell these. */
const RESOLUTION_DELAY_MS = 50;

/** Asks for IPv4 and IPv6 addresses at once; the answer has the IPv4 ones first. Never rejects. */
export async function ask(resolver: dns.Resolver, name: string): Promise<Answer> {
  const asking = recordsOf(resolver.resolve6(name, { ttl: true }));
  const v4 = await recordsOf(resolver.resolve4(name, { ttl: true }));
  const timer = v4.code === 'ENODATA' ? undefined : setTimeout(() => resolver.cancel(), RESOLUTION_DELAY_MS);
  const v6 = await asking;
  clearTimeout(timer);
  // A server in trouble says nothing of IPv4, which many machines have alone.
  if (v4.code !== '' && v4.code !== 'ENODATA') return unresolved(v4.code);
  const records = [...v4.records, ...v6.records];
  return records.length === 0 ? unresolved(v6.code) : fromRecords(records);
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

interface Found {
  readonly records: readonly RecordWithTtl[];
  /** Why there are none; else `''`. */
  readonly code: string;
}

async function recordsOf(question: Promise<readonly RecordWithTtl[]>): Promise<Found> {
  try {
    const records = await question;
    return { records, code: records.length === 0 ? 'ENODATA' : '' };
  } catch (error) {
    return { records: [], code: codeOf(error) };
  }
}

function fromRecords(records: readonly RecordWithTtl[]): Answer {
  const ttlSeconds = records.reduce((least, record) => Math.min(least, record.ttl), Number.POSITIVE_INFINITY);
  return resolved(
    records.map((record) => record.address),
    Math.max(MIN_TTL_MS, ttlSeconds * 1000),
  );
}
