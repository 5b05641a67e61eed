import { UsageError } from '../core/index.ts';
import { integer } from './workspace/rules.ts';

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
