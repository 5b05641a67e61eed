import type { Mistake, TopicSpec } from '../../core/index.ts';
import { withoutMark } from '../../kit/index.ts';
import { Draft } from '../workspace/topic-draft.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';

/** Contents of a list of URLs. */
export interface UrlList {
  readonly topics: readonly TopicSpec[];
  readonly urls: readonly string[];
  readonly mistakes: readonly Mistake[];
  /** Lines left out because they repeat a page. */
  readonly repeated: number;
  /** Lines left out because their page was gone when it was listed, or is listed under another URL. */
  readonly past: number;
}

/**
 * Parses a list of URLs, one per line; `#` begins a comment line. After white space, a line may name its topic:
 * `https://www.example.org/<tab>databases/recovery`. URLs contain no blanks, so blanks work as well as a tab.
 * @param topic for lines that name none
 */
export function parseUrlList(text: string, file: string, topic: string): UrlList {
  const draft = new Draft();
  const urls: string[] = [];
  const mistakes: Mistake[] = [];
  for (const [index, raw] of withoutMark(text)
    .split(/\r\n|\r|\n/)
    .entries()) {
    const [, url = '', path = ''] = /^(\S*)\s*(.*)$/.exec(raw.trim()) ?? [];
    if (url === '' || url.startsWith('#')) continue;
    const wrong = whyBadUrl(url);
    if (wrong !== undefined) {
      mistakes.push({ file, line: index + 1, message: `${JSON.stringify(url)} is not a web address.`, hint: wrong });
      continue;
    }
    urls.push(url);
    draft.add(
      path.split('/').filter((name) => name.trim() !== ''),
      { kind: 'url', url },
      topic,
    );
  }
  return { topics: draft.topics(), urls, mistakes, repeated: draft.repeated, past: 0 };
}
