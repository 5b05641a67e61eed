import { readFile } from 'node:fs/promises';
import { type CanonicalUrl, canonicalize, InputError, type Mistake, UnreadableFileError } from '../../core/index.ts';
import { withoutMark } from '../../kit/index.ts';

/** Human labels: topic paths (`A/B/C`) by page. A page without labels is unlabelled. */
export type Labels = ReadonlyMap<CanonicalUrl, readonly string[]>;

/**
 * Reads `labels.tsv`: URL, tab, topic path; a page may have several lines. Used only for scoring.
 * @throws InputError with the invalid lines
 * @throws UnreadableFileError `LABELS_UNREADABLE` if the file cannot be read
 */
export async function readLabels(path: string): Promise<Labels> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new UnreadableFileError({
      code: 'LABELS_UNREADABLE',
      message: `Cannot read the labels ${path}: ${cause.message}`,
      hint: 'A frozen web NAME is two files in one folder: NAME.warc.gz and NAME.labels.tsv.',
      cause,
    });
  });
  return parseLabels(text, path);
}

export function parseLabels(text: string, file: string): Labels {
  const labels = new Map<CanonicalUrl, string[]>();
  const mistakes: Mistake[] = [];
  for (const [i, line] of withoutMark(text).split(/\r?\n/).entries()) {
    if (line === '') continue;
    const [address = '', path = ''] = line.split('\t');
    const url = canonicalize(address);
    if (url === undefined || path === '')
      mistakes.push({ file, line: i + 1, message: `Expected "URL, tab, topic path", got "${line.slice(0, 100)}".` });
    else labels.set(url, [...(labels.get(url) ?? []), path]);
  }
  if (mistakes.length > 0) throw new InputError(`The labels ${file} cannot be used`, mistakes.slice(0, 20));
  return labels;
}

/** Returns true if `label` is one of `paths` or a descendant. */
export function isLabelled(label: string, paths: readonly string[]): boolean {
  return paths.some((path) => label === path || label.startsWith(`${path}/`));
}
