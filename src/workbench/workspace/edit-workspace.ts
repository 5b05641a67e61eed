import { join } from 'node:path';
import { type Document, isAlias, isMap, isSeq, type Node, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { type CanonicalUrl, InputError, type TopicId } from '../../core/index.ts';
import { replaceFile } from './replace-file.ts';
import { parseWorkspace, readWorkspaceFile, WORKSPACE_FILE } from './workspace.ts';
import { writtenText } from './yaml-reader.ts';

/** A topic to be put below another. */
export interface Subtopic {
  readonly parent: TopicId;
  readonly name: string;
  /** At least one, none of them named in the file yet. */
  readonly examples: readonly CanonicalUrl[];
}

/** Where the file as it was before lies, beside the new one. */
export const BACKUP_FILE: string = `${WORKSPACE_FILE}.bak`;

/**
 * Adds topics to bingo.yaml with all else, comments included, left as it is. The new file is checked before it takes the
 * place of the old one in one step; the old one is kept as `bingo.yaml.bak`.
 * @throws InputError when the file would be wrong then, such as for a name that is taken
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
 * @param pages at least one, none of them named there yet
 * @throws InputError when the file would be wrong then
 */
export function addExamples(dir: string, topic: TopicId, pages: readonly CanonicalUrl[]): void {
  const content = withExamples(readWorkspaceFile(dir, dir), topic, pages);
  const { mistakes } = parseWorkspace(content, WORKSPACE_FILE, dir);
  if (mistakes.length > 0) throw new InputError(`${WORKSPACE_FILE} cannot take these examples`, mistakes);
  replaceFile(join(dir, WORKSPACE_FILE), content, join(dir, BACKUP_FILE));
}

/** The text of a workspace file with more examples of a topic. */
function withExamples(text: string, topic: TopicId, pages: readonly CanonicalUrl[]): string {
  const document = readDocument(text);
  const node = topicNodeOf(document, topic);
  const examples = resolved(document, node.get('examples', true));
  if (isSeq(examples)) for (const page of pages) examples.add(page);
  else node.set('examples', document.createNode(pages));
  return written(document, text);
}

/** The text of a workspace file with one more topic. */
export function withSubtopic(text: string, { parent, name, examples }: Subtopic): string {
  const document = readDocument(text);
  const topic = topicNodeOf(document, parent);
  const child = document.createNode({ name, examples });
  const topics = resolved(document, topic.get('topics', true));
  if (isSeq(topics)) topics.add(child);
  else topic.set('topics', document.createNode([child]));
  return written(document, text);
}

/** A workspace file as a document that keeps comments. */
export function readDocument(text: string): Document {
  return parseDocument(text.replaceAll('\r\n', '\n'));
}

/**
 * The text of a changed document.
 * @param before the text as it was: lists in brackets stay as narrow, or as wide, as they are, and lines end as they did
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

/** The node of a topic; `undefined` if the file has no such topic. */
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

/** A node, or what an alias refers to. */
export function resolved(document: Document, node: unknown): Node | YAMLSeq | YAMLMap | undefined {
  if (isAlias(node)) return node.resolve(document) as Node | undefined;
  return node as Node | undefined;
}
