import { ENDINGS, type Mistake } from '../../core/index.ts';
import { withoutMark } from '../../kit/index.ts';
import { Draft } from '../workspace/topic-draft.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';
import { csvRows, UNCLOSED_QUOTE } from './csv-rows.ts';
import { parseUrlList, type UrlList } from './url-list.ts';

/** One page of a list of pages. */
interface ListedPage {
  readonly line: number;
  readonly url: string;
  /** Topic path; `''` if none is named. */
  readonly topic: string;
  /** The page was gone or had moved when it was listed, or this is another URL of a page. */
  readonly isPast: boolean;
}

/**
 * Parses a list of pages: JSON lines or CSV from `bingo export`, also re-saved by a spreadsheet, with the columns
 * `url` and `topic`; or one URL per line. Leaves out pages that were gone, and other URLs of a page: they add nothing
 * to training.
 * @param topic for pages that name none; rejected pages, whose topic is empty in an export, are left out
 */
export function parsePageList(text: string, file: string, topic: string): UrlList {
  const content = withoutMark(text);
  const mistakes: Mistake[] = [];
  const first = content.trimStart();
  if (first.startsWith('{')) return listOf(readJsonLines(content, file, mistakes), file, topic, mistakes);
  const [row] = csvRows(content);
  const head = row?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  if (head.length < 2 || !head.includes('url')) return parseUrlList(text, file, topic);
  return listOf(readTable(content, head, { file, mistakes }), file, topic, mistakes);
}

function listOf(pages: readonly ListedPage[], file: string, topic: string, mistakes: Mistake[]): UrlList {
  const draft = new Draft();
  const urls: string[] = [];
  const namesTopics = pages.some((page) => page.topic !== '');
  let past = 0;
  for (const { line, url, topic: path, isPast } of pages) {
    const wrong = whyBadUrl(url);
    if (wrong !== undefined)
      mistakes.push({ file, line, message: `${JSON.stringify(url)} is not a web address.`, hint: wrong });
    else if (path !== '' || !namesTopics) {
      if (isPast) {
        past++;
        continue;
      }
      urls.push(url);
      const names = path.split('/').filter((name) => name.trim() !== '');
      draft.add(names, { kind: 'url', url }, topic);
    }
  }
  return { topics: draft.topics(), urls, mistakes, repeated: draft.repeated, past };
}

function readJsonLines(text: string, file: string, mistakes: Mistake[]): readonly ListedPage[] {
  const pages: ListedPage[] = [];
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') continue;
    const row = parseObject(line);
    if (row === undefined || typeof row.url !== 'string')
      mistakes.push({ file, line: i + 1, message: 'Expected a JSON object with a "url".' });
    else {
      const isPast = isOver(row.ending, row.duplicateOf);
      pages.push({ line: i + 1, url: row.url, topic: typeof row.topic === 'string' ? row.topic : '', isPast });
    }
  }
  return pages;
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function readTable(
  text: string,
  head: readonly string[],
  { file, mistakes }: { readonly file: string; readonly mistakes: Mistake[] },
): readonly ListedPage[] {
  const [url, topic, ending, copied] = ['url', 'topic', 'ending', 'duplicateof'].map((name) => head.indexOf(name));
  const pages: ListedPage[] = [];
  const [, ...rows] = csvRows(text);
  for (const { line, cells, unclosed } of rows) {
    if (unclosed !== undefined) mistakes.push({ file, line: unclosed, ...UNCLOSED_QUOTE });
    else if (cells.length > 1 || cells[0] !== '')
      pages.push({
        line,
        url: cells[url!] ?? '',
        topic: cells[topic!] ?? '',
        isPast: isOver(cells[ending!], cells[copied!]),
      });
  }
  return pages;
}

function isOver(ending: unknown, duplicateOf: unknown): boolean {
  return ENDINGS.some((one) => one === ending) || (typeof duplicateOf === 'string' && duplicateOf !== '');
}
