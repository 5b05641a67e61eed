import { UsageError } from '../../core/index.ts';

/** Quotes a path so that it can be pasted into a shell. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Advice with the workspace that it is about in place of the word DIR: the parts that give it do not know what the person called it. */
export function adviceFor(dir: string, advice: string): string {
  return advice.replaceAll(/\bDIR\b/g, () => quoted(dir));
}

/**
 * Reads `KEY=VALUE`.
 * @throws UsageError when it is something else
 */
export function splitAssignment(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw new UsageError(
    `Expected --set KEY=VALUE, got "${text}".`,
    'For example --set network.delayMs=1s; docs/settings.md lists the keys.',
  );
}
