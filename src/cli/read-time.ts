import { UsageError } from '../core/index.ts';

/**
 * Checks the flag `--time`, before it is read as a setting. In bingo.yaml a plain number is milliseconds; a user who
 * types `--time 90` does not mean a tenth of a second.
 * @throws UsageError for a number without a unit; 0, which means no limit, needs none
 */
export function withUnit(time: string): string {
  if (!/^\s*\d+(\.\d+)?\s*$/.test(time) || Number(time) === 0) return time;
  const number = time.trim();
  throw new UsageError(
    `--time takes a time with its unit, got "${time}".`,
    `Write ${number}s, ${number}m or ${number}h.`,
  );
}
