import { UsageError } from '../core/index.ts';
import { integer } from '../workbench/index.ts';

/**
 * Parses a flag with a count.
 * @throws UsageError if it is not an integer in range
 */
export function readCount(
  flag: string,
  text: string | undefined,
  fallback: number,
  bounds: { readonly min?: number; readonly max?: number } = {},
): number {
  if (text === undefined) return fallback;
  const rule = integer({ min: 1, ...bounds });
  const read = rule.read(text);
  if (read.ok) return read.value;
  throw new UsageError(`${flag} takes ${rule.expects}, got "${text}".`);
}

const MAX_PORT = 65_535;

/**
 * Parses a flag with a port; 0 means any free port.
 * @throws UsageError if it is not a port
 */
export function readPort(flag: string, text: string | undefined): number {
  return readCount(flag, text, 0, { min: 0, max: MAX_PORT });
}
