import { canonicalize, UsageError } from '../../core/index.ts';
import type { OutsideLink } from '../../store/index.ts';
import { readTextFile } from '../sources/local-file.ts';

/**
 * Reads links from pages outside: two addresses per line, separated by a tab, a comma or spaces. Lines that begin
 * with `#`, and a first line of column names, are skipped.
 * @throws UsageError that names the first wrong line
 */
export function readBacklinks(file: string): readonly OutsideLink[] {
  const links = readTextFile(file)
    .split(/\r?\n/)
    .flatMap((line, i): OutsideLink[] => {
      const text = line.trim();
      if (text === '' || text.startsWith('#')) return [];
      const cells = text.split(/[\t, ]+/).map((cell) => canonicalize(cell.replace(/^"(.*)"$/, '$1')));
      const [from, to] = cells;
      if (cells.length === 2 && from !== undefined && to !== undefined) return [{ from, to }];
      if (i === 0 && !text.includes('://')) return [];
      throw new UsageError(
        `${file}, line ${i + 1}: expected two web addresses.`,
        'The page that links, then the page that it links to, separated by a tab, a comma or a space.',
      );
    });
  if (links.length > 0) return links;
  throw new UsageError(
    `${file} has no link.`,
    'Write two web addresses per line: the page that links, and its target.',
  );
}
