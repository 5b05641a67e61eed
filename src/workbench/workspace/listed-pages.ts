import { type Document, isMap, isSeq, type YAMLMap } from 'yaml';
import { type CanonicalUrl, canonicalize, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import { holderOf, nameOf, nodeOf, readDocument, resolved, written } from './edit-workspace.ts';
import { writtenText } from './yaml-reader.ts';

/** The lists of pages that a topic has in bingo.yaml. */
export type PageList = 'examples' | 'seeds' | 'others';

/** A list of bingo.yaml that names pages. */
export interface ListOfPages {
  /** The root for the counter-examples of the whole tree. */
  readonly topic: TopicId;
  readonly list: PageList;
}

/** An item of such a list: an address, or the path of a local document as written. */
export interface ListedPage {
  readonly url?: CanonicalUrl | undefined;
  readonly path?: string | undefined;
}

/** Returns the text of a workspace file with pages added to a topic. */
export function withPages(text: string, topic: TopicId, list: PageList, pages: readonly CanonicalUrl[]): string {
  const document = readDocument(text);
  const node = holderOf(document, topic);
  const found = resolved(document, node.get(list, true));
  if (isSeq(found)) for (const page of pages) found.add(page);
  else node.set(list, document.createNode([...itemsOf(document, node, list), ...pages]));
  return written(document, text);
}

/**
 * Returns the text of a workspace file without some pages of a topic.
 * @throws UsageError if the topic does not have one of them
 */
export function withoutPages(text: string, topic: TopicId, list: PageList, pages: readonly CanonicalUrl[]): string {
  const document = readDocument(text);
  const urls = itemsOf(document, nodeOf(document, topic), list).map((item) => listedPage(document, item).url);
  const missing = pages.find((page) => !urls.includes(page));
  if (missing !== undefined) throw new UsageError(`${missing} is not among the ${list} of "${topic}".`);
  return withoutListed(text, { topic, list }, ({ url }) => pages.some((page) => page === url));
}

/** Returns the text of a workspace file without the pages of a list that fit. An empty list is removed. */
export function withoutListed(text: string, { topic, list }: ListOfPages, fits: (page: ListedPage) => boolean): string {
  const document = readDocument(text);
  const holder = holderOf(document, topic);
  const found = resolved(document, holder.get(list, true));
  const left = itemsOf(document, holder, list).filter((item) => !fits(listedPage(document, item)));
  if (left.length === 0) holder.delete(list);
  else if (isSeq(found)) found.items = left;
  return written(document, text);
}

/** Returns the lists of a workspace file that have a page that fits, in the order of the file. */
export function listsWith(text: string, fits: (page: ListedPage) => boolean): readonly ListOfPages[] {
  const document = readDocument(text);
  const lists = ['examples', 'seeds', 'others'] as const;
  const within = (topic: TopicId, holder: YAMLMap): readonly ListOfPages[] => [
    ...lists
      .filter((list) => itemsOf(document, holder, list).some((item) => fits(listedPage(document, item))))
      .map((list) => ({ topic, list })),
    ...itemsOf(document, holder, 'topics').flatMap((item) => {
      const below = resolved(document, item);
      if (!isMap(below)) return [];
      const name = nameOf(document, below) ?? '';
      return within((topic === ROOT ? name : `${topic}/${name}`) as TopicId, below);
    }),
  ];
  return within(ROOT, holderOf(document, ROOT));
}

/** Returns the items of a list; a single item is a list of one. */
function itemsOf(document: Document, holder: YAMLMap, key: string): unknown[] {
  const found = resolved(document, holder.get(key, true));
  if (isSeq(found)) return found.items;
  return isMap(found) || writtenText(found) !== undefined ? [found] : [];
}

function listedPage(document: Document, item: unknown): ListedPage {
  const node = resolved(document, item);
  if (isMap(node)) return { path: writtenText(resolved(document, node.get('file', true))) };
  return { url: canonicalize(writtenText(node) ?? '') };
}
