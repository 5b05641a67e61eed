import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CanonicalUrl, canonicalize, InputError, type Mistake } from '../../core/index.ts';
import type { Backlinks } from '../../engine/index.ts';
import { withoutMark } from '../../kit/index.ts';
import { FILE_LIMITS, isTooLarge, readBounded } from './bounded-file.ts';
import type { Workspace } from './workspace.ts';

/** Maximum number of pages that link to one page; the first are used. */
export const MAX_SOURCES = 50;
/** Mistakes that are listed. */
const MAX_MISTAKES = 10;

/**
 * Reads the file `crawl.backlinks` of a workspace: links from elsewhere, such as those of a web graph or a backlink
 * service. `undefined` if none is named.
 * @throws InputError as {@link parseBacklinks}
 */
export function readBacklinks({ dir, config }: Pick<Workspace, 'dir' | 'config'>): Backlinks | undefined {
  const name = config.crawl.backlinks;
  return name === '' ? undefined : parseBacklinks(textOf(resolve(dir, name), name), name);
}

/** Returns the text of such a file; `undefined` if it does not exist. */
export function readBacklinksFile(dir: string, name: string): string | undefined {
  const path = resolve(dir, name);
  return existsSync(path) ? textOf(path, name) : undefined;
}

/**
 * Parses a list of links from elsewhere: FROM TO per line, separated by a tab, a comma or blanks, with or without
 * quotes. Skips comments (`#`) and column names. Keeps the first 50 pages that link to a page.
 * @param file its name in messages
 * @throws InputError that lists lines that are no links
 */
export function parseBacklinks(text: string, file: string): Backlinks {
  const sources = new Map<string, string[]>();
  const mistakes: Mistake[] = [];
  let isFirst = true;
  for (const [index, raw] of withoutMark(text)
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = raw.replaceAll('"', '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const areNames = isFirst && !line.includes('://');
    isFirst = false;
    if (areNames) continue;
    const [from, to, ...more] = line.split(/[\s,]+(?=https?:)/i).map(addressOf);
    if (from === undefined || to === undefined || more.length > 0) {
      if (mistakes.push(mistake(file, index + 1, line)) >= MAX_MISTAKES) break;
      continue;
    }
    const known = sources.get(to);
    if (known === undefined) sources.set(to, [from]);
    else if (known.length < MAX_SOURCES && !known.includes(from)) known.push(from);
  }
  if (mistakes.length > 0) throw new InputError('The list of backlinks has mistakes', mistakes);
  return { sources, digest: createHash('sha256').update(text).digest('hex').slice(0, 32) };
}

function addressOf(word: string): CanonicalUrl | undefined {
  return /\s/.test(word) ? undefined : canonicalize(word);
}

function mistake(file: string, line: number, text: string): Mistake {
  return {
    ...{ file, line },
    message: `Expected two web addresses, FROM and TO, got ${JSON.stringify(text.slice(0, 80))}.`,
    hint: 'Write https://links.example/ https://linked.example/',
  };
}

function textOf(path: string, shown: string): string {
  try {
    return readBounded(path, FILE_LIMITS.list, shown).toString('utf8');
  } catch (error) {
    if (isTooLarge(error) || !(error instanceof Error)) throw error;
    throw new InputError('The file of crawl.backlinks cannot be read', [
      { file: shown, message: error.message, hint: 'Correct crawl.backlinks in bingo.yaml, or remove it.' },
    ]);
  }
}
