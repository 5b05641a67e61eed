import { UsageError } from '../../core/index.ts';

/** Quotes a path so that it can be pasted into a shell. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Replaces the word DIR in advice by the workspace's path as the user typed it, which the callers do not know. */
export function adviceFor(dir: string, advice: string): string {
  return advice.replaceAll(/\bDIR\b/g, () => quoted(dir));
}

/**
 * Splits `KEY=VALUE`.
 * @throws UsageError if the text has another form
 */
export function splitAssignment(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw new UsageError(
    `Expected --set KEY=VALUE, got "${text}".`,
    'For example --set network.delayMs=1s; docs/settings.md lists the keys.',
  );
}
