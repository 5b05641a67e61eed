import { isAbsolute, join } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { readBounded } from './bounded-file.ts';

/** A reference to a secret: the name of an environment variable, or of a file. */
export const SECRET: RegExp = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/;

const MAX_BYTES = 64 * 1024;

/**
 * Reads the secret that a setting refers to. It is kept in memory only; no message contains it.
 * @param dir folder that paths are relative to
 * @param key the setting, for messages
 * @throws UsageError if the variable or file is missing or empty
 */
export function readSecret(
  reference: string,
  {
    dir,
    env,
    key,
  }: { readonly dir: string; readonly env: Readonly<Record<string, string | undefined>>; readonly key: string },
): string {
  const [kind = '', name = ''] = [
    reference.slice(0, reference.indexOf(':')),
    reference.slice(reference.indexOf(':') + 1),
  ];
  const value = (kind === 'env' ? env[name] : fileText(isAbsolute(name) ? name : join(dir, name)))?.trim() ?? '';
  if (value !== '') return value;
  const what =
    kind === 'env' ? `the environment variable ${name} is not set` : `the file ${name} cannot be read or is empty`;
  throw new UsageError(`${key} is ${reference}, but ${what}.`, 'Set it, or correct the setting.');
}

function fileText(path: string): string | undefined {
  try {
    return readBounded(path, MAX_BYTES).toString('utf8');
  } catch {
    return undefined;
  }
}
