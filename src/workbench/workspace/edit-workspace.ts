import { type Document, isAlias, isMap, isSeq, type Node, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { ROOT, type TopicId } from '../../core/index.ts';
import { WORKSPACE_FILE } from './workspace.ts';
import { writtenText } from './yaml-reader.ts';

/** Name of the previous version of the file. */
export const BACKUP_FILE: string = `${WORKSPACE_FILE}.bak`;

/** Parses a workspace file to a document that keeps comments. */
export function readDocument(text: string): Document {
  return parseDocument(text.replaceAll('\r\n', '\n'));
}

/**
 * Returns the text of a changed document.
 * @param before the previous text: lists in brackets keep their style, and line ends stay the same
 */
export function written(document: Document, before: string): string {
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] \S/.test(before) });
  return before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** Returns the node of a topic; `undefined` if the file has no such topic. */
export function findTopicNode(document: Document, id: TopicId): YAMLMap | undefined {
  let list = resolved(document, (resolved(document, document.contents) as YAMLMap).get('topics', true));
  let found: YAMLMap | undefined;
  for (const name of id.split('/')) {
    const items: readonly unknown[] = isSeq(list) ? list.items : [list];
    found = items
      .map((item) => resolved(document, item))
      .find((item): item is YAMLMap => isMap(item) && nameOf(document, item) === name);
    if (found === undefined) return undefined;
    list = resolved(document, found.get('topics', true));
  }
  return found;
}

/** Returns the node of a topic that the file has. @throws RangeError */
export function nodeOf(document: Document, topic: TopicId): YAMLMap {
  const node = findTopicNode(document, topic);
  if (node === undefined) throw new RangeError(`Expected a topic of ${WORKSPACE_FILE}, got "${topic}"`);
  return node;
}

/** Returns the map that has the lists of a topic: that of the whole file for the root. */
export function holderOf(document: Document, parent: TopicId): YAMLMap {
  return parent === ROOT ? (resolved(document, document.contents) as YAMLMap) : nodeOf(document, parent);
}

/** Returns the name of a topic as written. */
export function nameOf(document: Document, topic: YAMLMap): string | undefined {
  return writtenText(resolved(document, topic.get('name', true)))?.trim();
}

/** Returns a node, or the node that an alias refers to. */
export function resolved(document: Document, node: unknown): Node | YAMLSeq | YAMLMap | undefined {
  if (isAlias(node)) return node.resolve(document) as Node | undefined;
  return node as Node | undefined;
}
