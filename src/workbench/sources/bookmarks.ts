import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { canonicalize, type TopicSpec } from '../../core/index.ts';
import { Draft } from '../workspace/topic-draft.ts';

/** Contents of a bookmark file. */
export interface Bookmarks {
  readonly topics: readonly TopicSpec[];
  /** Bookmarks that became examples. */
  readonly kept: number;
  /** Bookmarks left out: scripts, browser pages, other schemes. */
  readonly notWeb: number;
  /** Bookmarks left out because they repeat a page. */
  readonly repeated: number;
}

/** Topic of bookmarks that are not in a folder. */
export const NO_FOLDER = 'unsorted';
/**
 * Attributes of a browser's built-in folders, in any language (the last is Safari's reading list). They contain
 * bookmarks outside the user's own folders, and do not become topics.
 */
const BROWSERS_OWN = new Set([
  'personal_toolbar_folder=true',
  'unfiled_bookmarks_folder=true',
  'id=com.apple.readinglist',
]);

/** Identifies a Safari file by its reading list: Safari does not mark its other built-in folders. */
const SAFARI = /\bid="?com\.apple\.readinglist/i;
/**
 * English name of Safari's second built-in folder. In other languages it counts as the user's folder, and is usually
 * empty.
 */
const SAFARI_MENU = 'Bookmarks Menu';

/**
 * Parses a Netscape bookmark file, the format that all browsers export: `<H3>` names a folder, the following `<DL>`
 * contains its items, `<A HREF>` is a bookmark. Reads tags without building a tree: missing end tags and any depth
 * are harmless.
 */
export function parseBookmarks(html: string): Bookmarks {
  const draft = new Draft();
  const folders: (string | undefined)[] = [];
  const count = { kept: 0, notWeb: 0 };
  let heading: string | undefined;
  // The favourites are always the first folder, in any language.
  let isFavourites = SAFARI.test(html);
  const isSafaris = isFavourites;
  scanTags(html, {
    heading: (text, isBrowsersOwn) => {
      const isMenu = isSafaris && folders.length === 0 && text === SAFARI_MENU;
      heading = isBrowsersOwn || isFavourites || isMenu ? undefined : text;
      isFavourites = false;
    },
    listBegins: () => {
      folders.push(heading);
      heading = undefined;
    },
    listEnds: () => {
      folders.pop();
      heading = undefined;
    },
    link: (href) => {
      const url = canonicalize(href);
      if (url === undefined) count.notWeb++;
      else {
        count.kept++;
        const path = folders.filter((folder) => folder !== undefined);
        draft.add(path, { kind: 'url', url }, NO_FOLDER);
      }
    },
  });
  return { topics: draft.topics(), kept: count.kept - draft.repeated, notWeb: count.notWeb, repeated: draft.repeated };
}

interface TagListener {
  heading(text: string, isBrowsersOwn: boolean): void;
  listBegins(): void;
  listEnds(): void;
  link(href: string): void;
}

function scanTags(html: string, listener: TagListener): void {
  let tag = '';
  let attribute = '';
  let href: string | undefined;
  let isBrowsersOwn = false;
  let value = '';
  let heading: string | undefined;
  const endHeading = (): void => {
    if (heading !== undefined) listener.heading(heading.trim(), isBrowsersOwn);
    heading = undefined;
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      tag = html.slice(start, end).toLowerCase();
      href = undefined;
      if (tag === 'h3') isBrowsersOwn = false;
      else endHeading();
    },
    onattribname: (start, end) => {
      attribute = html.slice(start, end).toLowerCase();
      value = '';
    },
    onattribdata: (start, end) => {
      value += html.slice(start, end);
    },
    onattribentity: (codepoint) => {
      value += String.fromCodePoint(codepoint);
    },
    onattribend: () => {
      if (attribute === 'href') href ??= value;
      if (tag === 'h3' && BROWSERS_OWN.has(`${attribute}=${value.toLowerCase()}`)) isBrowsersOwn = true;
    },
    onopentagend: () => {
      if (tag === 'h3') heading = '';
      if (tag === 'dl') listener.listBegins();
      if (tag === 'a' && href !== undefined) listener.link(href);
    },
    onselfclosingtag: () => {},
    onclosetag: (start, end) => {
      const name = html.slice(start, end).toLowerCase();
      endHeading();
      if (name === 'dl') listener.listEnds();
    },
    ontext: (start, end) => {
      if (heading !== undefined) heading += html.slice(start, end);
    },
    ontextentity: (codepoint) => {
      if (heading !== undefined) heading += String.fromCodePoint(codepoint);
    },
    oncdata: () => {},
    oncomment: () => {},
    ondeclaration: () => {},
    onprocessinginstruction: () => {},
    onend: endHeading,
  };
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
}
