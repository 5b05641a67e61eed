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
/** Limits on what a page says about itself; longer values are cut. */
const MAX_SAID = 200;
const MAX_NAME_CHARS = 60;
const MAX_VALUE_CHARS = 4_000;

/** Records a name and its value, up to the limits. */
export function takeSaid({ said }: PageMeta, name: string, value: string): void {
  if (value !== '' && name.length <= MAX_NAME_CHARS && said.length < MAX_SAID)
    said.push({ name, value: value.slice(0, MAX_VALUE_CHARS) });
}

/**
 * Records the content of a `<meta>`, and returns its redirect if any. @param reader the crawler's name in `<meta
 * name="…">`
 */
export function readMetaTag(attributes: TagAttributes, meta: PageMeta, reader: RobotsReader): Refresh | undefined {
  const name = attributes.value('name') || attributes.value('property') || attributes.value('http-equiv');
  const content = attributes.value('content');
  if (name !== '') takeSaid(meta, name, content);
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
