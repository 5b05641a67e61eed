import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { decodeText } from '../../analyze/index.ts';
import { canonicalize } from '../../core/index.ts';
import { Draft } from '../workspace/topic-draft.ts';
import { type Bookmarks, NO_FOLDER } from './bookmarks.ts';

/** Deeper outlines are counted but not named: topics cannot be nested this deep. */
const MAX_NAMED = 50;

/**
 * Parses OPML, the export format of outliners and feed readers: an `<outline>` with a URL is a page, one that
 * contains others is a folder. For a feed, takes its site (`htmlUrl`), or the feed itself if no site is named: it is
 * read as a page of its entries. Reads tags without building a tree: missing end tags and any depth are harmless.
 */
export function parseOpml(xml: string): Bookmarks {
  const draft = new Draft();
  const folders: string[] = [];
  let unnamed = 0;
  const count = { kept: 0, notWeb: 0 };
  scanOutlines(xml, {
    begins: (attributes, hasContent) => {
      const address = ['htmlurl', 'url', 'xmlurl']
        .map((name) => attributes.get(name))
        .find((value) => (value ?? '').trim() !== '');
      const url = address === undefined ? undefined : canonicalize(address);
      if (url !== undefined) {
        count.kept++;
        draft.add(folders, { kind: 'url', url }, NO_FOLDER);
      } else if (address !== undefined) count.notWeb++;
      if (!hasContent) return;
      if (folders.length < MAX_NAMED) folders.push(attributes.get('text') ?? attributes.get('title') ?? '');
      else unnamed++;
    },
    ends: () => {
      if (unnamed > 0) unnamed--;
      else folders.pop();
    },
  });
  return { topics: draft.topics(), kept: count.kept - draft.repeated, notWeb: count.notWeb, repeated: draft.repeated };
}

interface OutlineListener {
  /** `hasContent`: an end tag follows later. Attribute names are in lower case. */
  begins(attributes: ReadonlyMap<string, string>, hasContent: boolean): void;
  ends(): void;
}

function scanOutlines(xml: string, listener: OutlineListener): void {
  let tag = '';
  let name = '';
  let value = '';
  let attributes = new Map<string, string>();
  const isOutline = (text: string): boolean => text.toLowerCase() === 'outline';
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      tag = xml.slice(start, end);
      attributes = new Map();
    },
    onattribname: (start, end) => {
      name = xml.slice(start, end).toLowerCase();
      value = '';
    },
    onattribdata: (start, end) => {
      value += xml.slice(start, end);
    },
    onattribentity: () => {},
    onattribend: () => {
      if (!attributes.has(name)) attributes.set(name, decodeText(value));
    },
    onopentagend: () => {
      if (isOutline(tag)) listener.begins(attributes, true);
    },
    onselfclosingtag: () => {
      if (isOutline(tag)) listener.begins(attributes, false);
    },
    onclosetag: (start, end) => {
      if (isOutline(xml.slice(start, end))) listener.ends();
    },
    ontext: () => {},
    ontextentity: () => {},
    oncdata: () => {},
    oncomment: () => {},
    ondeclaration: () => {},
    onprocessinginstruction: () => {},
    onend: () => {},
  };
  // Entities are decoded here: the tokenizer only knows the five of XML, and many programs write those of HTML.
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: false }, callbacks);
  tokenizer.write(xml);
  tokenizer.end();
}
