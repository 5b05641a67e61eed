import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { canonicalize, type TopicSpec } from '../../core/index.ts';
import { Draft } from '../workspace/draft.ts';

/** What a bookmark file holds. */
export interface Bookmarks {
  readonly topics: readonly TopicSpec[];
  /** Bookmarks that became examples. */
  readonly kept: number;
  /** Bookmarks left out: scripts, browser pages, other schemes. */
  readonly notWeb: number;
  /** Bookmarks left out because their page was there already. */
  readonly repeated: number;
}

/** Topic of bookmarks that lie in no folder. */
export const NO_FOLDER = 'unsorted';
/** Marks of the folders that a browser has of itself, in whatever language (the last one is Safari's reading list): they hold what lies in no folder of the person's, and name no topic. */
const BROWSERS_OWN = new Set([
  'personal_toolbar_folder=true',
  'unfiled_bookmarks_folder=true',
  'id=com.apple.readinglist',
]);

/** By its reading list a file of Safari is known: it gives no marks to the other folders that it has of itself. */
const SAFARI = /\bid="?com\.apple\.readinglist/i;
/** The name that its second one has in English; in other languages it counts as a folder of the person's, and is empty as a rule. */
const SAFARI_MENU = 'Bookmarks Menu';

/**
 * Reads a Netscape bookmark file, the form that all browsers export: `<H3>` names a folder, the `<DL>` behind it holds
 * its content, `<A HREF>` is a bookmark. Tags only, no tree of elements: missing end tags and any depth do no harm.
 */
export function parseBookmarks(html: string): Bookmarks {
  const draft = new Draft();
  const folders: (string | undefined)[] = [];
  const count = { kept: 0, notWeb: 0 };
  let heading: string | undefined;
  // The favourites are the first folder of all, whatever they are called.
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
