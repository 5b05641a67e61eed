import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { UsageError } from '../core/index.ts';
import { FILE_LIMITS, readBounded } from '../workbench/index.ts';
import { SCOPES, type Scope } from './api/operation.ts';

/** Holds the hashes of tokens, in the first workspace of a server. */
export const TOKENS_FILE = 'server-tokens.json';

/** Tokens by what they allow. */
export type Tokens = Readonly<Record<Scope, string>>;

/** Decides what the sender of a request may do. */
export interface Access {
  /** Requests need a token. */
  readonly isTokenWanted: boolean;
  /** Returns what a request may do; nothing without a valid token. */
  scopesOf(authorization: string | undefined): readonly Scope[];
}

/** Everyone on this machine may do everything. */
export const OPEN_ACCESS: Access = { isTokenWanted: false, scopesOf: () => SCOPES };

/**
 * Demands a token. Creates one for each scope if the file does not exist; only their hashes are stored.
 * @returns the new tokens, to be shown once
 * @throws UsageError if the file is damaged
 */
export function tokenAccess(dir: string): { readonly access: Access; readonly tokens: Tokens | undefined } {
  const file = join(dir, TOKENS_FILE);
  const tokens = existsSync(file) ? undefined : newTokens();
  if (tokens !== undefined) {
    const hashes = SCOPES.map((scope) => ({ scope, sha256: hashOf(tokens[scope]).toString('hex') }));
    writeFileSync(file, `${JSON.stringify({ tokens: hashes }, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  }
  const known = readHashes(file);
  const scopesOf = (authorization: string | undefined): readonly Scope[] => {
    const hash = hashOf(tokenIn(authorization) ?? '');
    const found = known.find(({ sha256 }) => timingSafeEqual(sha256, hash));
    return found === undefined ? [] : SCOPES.slice(0, SCOPES.indexOf(found.scope) + 1);
  };
  return { access: { isTokenWanted: true, scopesOf }, tokens };
}

function newTokens(): Tokens {
  const token = (scope: Scope): string => `bingo-${scope}-${randomBytes(32).toString('base64url')}`;
  return { read: token('read'), judge: token('judge'), steer: token('steer') };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Programs send a bearer token; browsers ask for a password. */
function tokenIn(authorization: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(authorization ?? '') ?? [];
  if (/^bearer$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return undefined;
  return Buffer.from(value, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '');
}

/** Content of the file of tokens. */
const HASHES = z.object({
  tokens: z.array(z.object({ scope: z.enum(SCOPES), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});

function readHashes(file: string): readonly { readonly scope: Scope; readonly sha256: Buffer }[] {
  try {
    const { tokens } = HASHES.parse(JSON.parse(readBounded(file, FILE_LIMITS.list).toString('utf8')));
    return tokens.map(({ scope, sha256 }) => ({ scope, sha256: Buffer.from(sha256, 'hex') }));
  } catch {
    throw new UsageError(`${file} is damaged.`, 'Delete it: the next start makes new tokens.');
  }
}
