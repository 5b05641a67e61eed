import { foldLine } from '../fold.ts';
import type { TagAttributes } from './attributes.ts';
import {
  type PageMeta,
  type Refresh,
  type RobotsReader,
  readRefresh,
  robotsDirectives,
  stricter,
} from './page-meta.ts';

const MAX_TITLE_CHARS = 1_000;

/**
 * Records the content of a `<meta>`, and returns its redirect if any. @param reader the crawler's name in `<meta
 * name="…">`
 */
export function readMetaTag(attributes: TagAttributes, meta: PageMeta, reader: RobotsReader): Refresh | undefined {
  const name = attributes.value('name') || attributes.value('property') || attributes.value('http-equiv');
  const content = attributes.value('content');
  switch (name.trim().toLowerCase()) {
    case 'robots':
    case reader.robot:
      Object.assign(meta, stricter(meta, robotsDirectives(content, reader)));
      return undefined;
    case 'description':
    case 'og:description':
      meta.description ||= foldLine(content);
      return undefined;
    case 'og:title':
      meta.sharedTitle ||= foldLine(content.slice(0, MAX_TITLE_CHARS));
      return undefined;
    case 'content-language':
      meta.language ||= content;
      return undefined;
    case 'refresh':
      return readRefresh(content);
    default:
      return undefined;
  }
}
