import { UsageError } from '../core/index.ts';
import { integer } from '../workbench/index.ts';

/**
 * Reads a flag that counts something.
 * @throws UsageError when it is no whole number in range
 */
export function readCount(
  flag: string,
  text: string | undefined,
  fallback: number,
  bounds: { min?: number; max?: number } = {},
): number {
  if (text === undefined) return fallback;
  const rule = integer({ min: 1, ...bounds });
  const read = rule.read(text);
  if (read.ok) return read.value;
  throw new UsageError(`${flag} takes ${rule.expects}, got "${text}".`);
}

const MAX_PORT = 65_535;

/**
 * Reads a flag that names a port; 0 is any that is free.
 * @throws UsageError when it is none
 */
export function readPort(flag: string, text: string | undefined): number {
  return readCount(flag, text, 0, { min: 0, max: MAX_PORT });
}
