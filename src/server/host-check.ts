/**
 * Whether a request on loopback used this machine's own name. Rejects foreign names that resolve to loopback (DNS
 * rebinding).
 */
export function isOwnName(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? '');
}
