import { ROOT, type TopicId, type TopicTree } from '../../core/index.ts';
import { escapeMarkup, webAddress } from '../markup.ts';

/** A page in an outline. */
export interface OutlinedPage {
  readonly title: string;
  readonly finalUrl: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/** Yields pages of one topic, without its subtopics. */
export type PagesOfTopic = (topic: TopicId) => AsyncIterable<OutlinedPage>;

/** One step of a walk through a topic tree and its pages. */
type Step =
  | { readonly kind: 'begin'; readonly name: string; readonly depth: number }
  | { readonly kind: 'page'; readonly page: OutlinedPage; readonly address: string; readonly depth: number }
  | { readonly kind: 'end'; readonly depth: number };

/**
 * Yields a topic tree with its pages as a Netscape bookmark file, which browsers import, line by line.
 * @param more topics of pages that are no longer in the tree
 */
export async function* bookmarkLines(
  tree: TopicTree,
  pagesOf: PagesOfTopic,
  { title, more = [] }: { readonly title: string; readonly more?: readonly TopicId[] },
): AsyncGenerator<string> {
  yield '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n';
  yield '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n';
  yield `<TITLE>${escapeMarkup(title)}</TITLE>\n<H1>${escapeMarkup(title)}</H1>\n<DL><p>\n`;
  for await (const step of walk(tree, pagesOf, more)) {
    const indent = '    '.repeat(step.depth);
    if (step.kind === 'begin') yield `${indent}<DT><H3>${escapeMarkup(step.name)}</H3>\n${indent}<DL><p>\n`;
    else if (step.kind === 'end') yield `${indent}</DL><p>\n`;
    else {
      const { page, address } = step;
      const seconds = Math.floor(page.fetchedAt / 1000);
      yield `${indent}<DT><A HREF="${escapeMarkup(address)}" ADD_DATE="${seconds}">${nameOf(page, address)}</A>\n`;
    }
  }
  yield '</DL><p>\n';
}

/** Yields the same as OPML 2.0, which outliners and feed readers import. */
export async function* opmlLines(
  tree: TopicTree,
  pagesOf: PagesOfTopic,
  { title, more = [] }: { readonly title: string; readonly more?: readonly TopicId[] },
): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n';
  yield `<head><title>${escapeMarkup(title)}</title></head>\n<body>\n`;
  for await (const step of walk(tree, pagesOf, more)) {
    const indent = '  '.repeat(step.depth);
    if (step.kind === 'begin') yield `${indent}<outline text="${escapeMarkup(step.name)}">\n`;
    else if (step.kind === 'end') yield `${indent}</outline>\n`;
    else
      yield `${indent}<outline type="link" text="${nameOf(step.page, step.address)}" url="${escapeMarkup(step.address)}"/>\n`;
  }
  yield '</body>\n</opml>\n';
}

async function* walk(tree: TopicTree, pagesOf: PagesOfTopic, more: readonly TopicId[]): AsyncGenerator<Step> {
  const children = (id: TopicId): readonly TopicId[] => tree.nodes.get(id)?.children ?? [];
  async function* visit(id: TopicId, name: string, depth: number): AsyncGenerator<Step> {
    yield { kind: 'begin', name, depth };
    for await (const page of pagesOf(id)) {
      const address = webAddress(page.finalUrl);
      if (address !== undefined) yield { kind: 'page', page, address, depth: depth + 1 };
    }
    for (const child of children(id)) yield* visit(child, tree.nodes.get(child)!.name, depth + 1);
    yield { kind: 'end', depth };
  }
  for (const id of children(ROOT)) yield* visit(id, tree.nodes.get(id)!.name, 1);
  for (const id of more) yield* visit(id, id, 1);
}

function nameOf({ title }: OutlinedPage, address: string): string {
  return escapeMarkup(title) || escapeMarkup(address);
}
