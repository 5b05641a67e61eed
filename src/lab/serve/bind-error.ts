import { BingoError } from '../../core/index.ts';

/** Turns a failure to listen on an address into an error with a hint. */
export function bindError(cause: unknown, host: string, port: number, what: string): BingoError {
  if (cause instanceof BingoError) return cause;
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  return new BingoError({
    code: 'CANNOT_LISTEN',
    message: `Cannot listen on ${host}:${port} for ${what}: ${(cause as Error).message}`,
    hint: HINTS[code] ?? 'Choose another address or port.',
    cause,
  });
}

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program uses this port; stop it, or choose another port (0 = any free one).',
  EACCES: 'Ports below 1024 need privileges on this system; choose a higher port.',
  EADDRNOTAVAIL:
    'This machine has no such address. On macOS, loopback addresses beyond 127.0.0.1 are added by `sudo ifconfig lo0 alias ADDRESS`.',
};
