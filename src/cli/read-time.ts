import { UsageError } from '../core/index.ts';

/**
 * What the flag `--time` says, to be read as a setting. In bingo.yaml a bare number is milliseconds; nobody who types `--time 90` means
 * a tenth of a second.
 * @throws UsageError for a number without a unit; 0, which is no limit, needs none
 */
export function withUnit(time: string): string {
  if (!/^\s*\d+(\.\d+)?\s*$/.test(time) || Number(time) === 0) return time;
  const number = time.trim();
  throw new UsageError(
    `--time takes a time with its unit, got "${time}".`,
    `Write ${number}s, ${number}m or ${number}h.`,
  );
}
