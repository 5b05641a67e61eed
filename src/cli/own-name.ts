/** True when a request on loopback was addressed to this machine: a name that a stranger lets lead here must not read what was found. */
export function isOwnName(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? '');
}
