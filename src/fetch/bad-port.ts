import type { CanonicalUrl } from '../core/index.ts';

/**
 * Ports of services that could mistake an HTTP request for their own protocol, mail servers above all. Browsers block
 * them too (WHATWG Fetch §2.9, "bad port"). Also port 0, which is never in use.
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
  ],
  ...[532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060],
  ...[5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** Thrown for a URL whose port is blocked. */
export class BadPortError extends Error {
  constructor(port: number) {
    super(`port ${port} belongs to a service other than the web; browsers block it`);
  }
}

/** Returns the error for a URL with a blocked port. */
export function badPortOf(url: CanonicalUrl): BadPortError | undefined {
  const port = /^https?:\/\/[^/]*:(\d+)\//.exec(url)?.[1];
  return port !== undefined && BAD_PORTS.has(Number(port)) ? new BadPortError(Number(port)) : undefined;
}
