import { join } from 'node:path';
import { type Document, isAlias, isMap, isSeq, type Node, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { type CanonicalUrl, InputError, type TopicId } from '../../core/index.ts';
import { replaceFile } from './replace-file.ts';
import { parseWorkspace, readWorkspaceFile, WORKSPACE_FILE } from './workspace.ts';
import { writtenText } from './yaml-reader.ts';

/** A topic to be added below another. */
export interface Subtopic {
  readonly parent: TopicId;
  readonly name: string;
  /** At least one, none of them in the file yet. */
  readonly examples: readonly CanonicalUrl[];
}

/** Name of the previous version of the file. */
export const BACKUP_FILE: string = `${WORKSPACE_FILE}.bak`;

/**
 * Adds topics to bingo.yaml; everything else stays, including comments. Checks the new file, then replaces the old
 * one atomically and keeps it as `bingo.yaml.bak`.
 * @throws InputError if the file would become invalid, for example by a duplicate name
 */
export function addSubtopics(dir: string, subtopics: readonly Subtopic[]): void {
  const path = join(dir, WORKSPACE_FILE);
  let content = readWorkspaceFile(dir, dir);
  for (const subtopic of subtopics) {
    content = withSubtopic(content, subtopic);
    const { mistakes } = parseWorkspace(content, WORKSPACE_FILE, dir);
    if (mistakes.length === 0) continue;
    const typed = mistakes.map((mistake) => ({ ...mistake, file: 'command line', line: undefined }));
    throw new InputError(`"${subtopic.name}" cannot become a topic of ${WORKSPACE_FILE}`, typed);
  }
  replaceFile(path, content, join(dir, BACKUP_FILE));
}

/**
 * Adds pages to the examples of a topic, in the same way.
 * @param pages at least one, none of them in the topic yet
 * @throws InputError if the file would become invalid
 */
export function addExamples(dir: string, topic: TopicId, pages: readonly CanonicalUrl[]): void {
  const content = withExamples(readWorkspaceFile(dir, dir), topic, pages);
  const { mistakes } = parseWorkspace(content, WORKSPACE_FILE, dir);
  if (mistakes.length > 0) throw new InputError(`${WORKSPACE_FILE} cannot take these examples`, mistakes);
  replaceFile(join(dir, WORKSPACE_FILE), content, join(dir, BACKUP_FILE));
}

/** Returns the text of a workspace file with examples added to a topic. */
function withExamples(text: string, topic: TopicId, pages: readonly CanonicalUrl[]): string {
  const document = readDocument(text);
  const node = topicNodeOf(document, topic);
  const examples = resolved(document, node.get('examples', true));
  if (isSeq(examples)) for (const page of pages) examples.add(page);
  else node.set('examples', document.createNode(pages));
  return written(document, text);
}

/** Returns the text of a workspace file with a topic added. */
export function withSubtopic(text: string, { parent, name, examples }: Subtopic): string {
  const document = readDocument(text);
  const topic = topicNodeOf(document, parent);
  const child = document.createNode({ name, examples });
  const topics = resolved(document, topic.get('topics', true));
  if (isSeq(topics)) topics.add(child);
  else topic.set('topics', document.createNode([child]));
  return written(document, text);
}

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

function topicNodeOf(document: Document, id: TopicId): YAMLMap {
  const topic = findTopicNode(document, id);
  if (topic === undefined) throw new RangeError(`Expected a topic of ${WORKSPACE_FILE}, got "${id}"`);
  return topic;
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

function nameOf(document: Document, topic: YAMLMap): string | undefined {
  return writtenText(resolved(document, topic.get('name', true)))?.trim();
}

/** Returns a node, or the node that an alias refers to. */
export function resolved(document: Document, node: unknown): Node | YAMLSeq | YAMLMap | undefined {
  if (isAlias(node)) return node.resolve(document) as Node | undefined;
  return node as Node | undefined;
}
