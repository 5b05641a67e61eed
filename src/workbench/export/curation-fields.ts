import { type Document, isMap, isScalar, isSeq, type Node } from 'yaml';
import { ROOT } from '../../core/index.ts';
import { NO_CURATION } from '../../postprocess/index.ts';
import { readDocument, written } from '../workspace/edit-workspace.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { writtenText } from '../workspace/yaml-reader.ts';
import { curationText, saveCuration } from './read-curation.ts';

/** Choices of an editor as the fields of a form; '' if a choice was not made. */
export interface CurationFields {
  readonly title: string;
  /** Empty lines part paragraphs. */
  readonly introduction: string;
  readonly about: string;
  readonly contact: string;
  /** As `#rrggbb`. */
  readonly colour: string;
  readonly theme: string;
  readonly language: string;
  readonly address: string;
  /** In the order shown. */
  readonly sections: readonly string[];
  /** URLs of pages that are not shown. */
  readonly hide: readonly string[];
  /** All topics, as the workspace orders them. */
  readonly topics: readonly TopicFields[];
}

/** Choices for a topic. */
export interface TopicFields {
  readonly topic: string;
  readonly title: string;
  readonly description: string;
  readonly pin: readonly { readonly url: string; readonly note: string }[];
}

const TEXTS = ['title', 'introduction', 'about', 'contact', 'colour', 'theme', 'language', 'address'] as const;
const TOPIC_TEXTS = ['title', 'description'] as const;

/**
 * Returns the choices in a portal.yaml; `undefined` if it cannot be read as YAML.
 * @param text as {@link curationText} returns it
 */
export function curationFields(text: string, workspace: Pick<Workspace, 'tree'>): CurationFields | undefined {
  const document = readDocument(text);
  return document.errors.length > 0 ? undefined : fieldsOf(document, workspace);
}

function fieldsOf(document: Document, workspace: Pick<Workspace, 'tree'>): CurationFields {
  const text = (key: string): string => textOf(document.get(key, true));
  const sections = textsOf(document.get('sections', true));
  return {
    ...(Object.fromEntries(TEXTS.map((key) => [key, text(key)])) as Record<(typeof TEXTS)[number], string>),
    theme: text('theme') || NO_CURATION.theme,
    language: text('language') || NO_CURATION.language,
    sections: sections.length > 0 ? sections : NO_CURATION.sections,
    hide: textsOf(document.get('hide', true)),
    topics: topicsOf(workspace).map((topic) => {
      const own = nodeOfTopic(document, topic);
      const [title, description] = TOPIC_TEXTS.map((key) => textOf(own?.get(key, true))) as [string, string];
      return { topic, title, description, pin: pinsOf(own?.get('pin', true)) };
    }),
  };
}

/**
 * Writes choices into portal.yaml. Other choices, and comments, stay as they are.
 * @throws InputError that lists every mistake with its line
 */
export function saveCurationFields(workspace: Workspace, fields: CurationFields): void {
  const { text } = curationText(workspace);
  const document = readDocument(text);
  if (document.errors.length > 0) {
    saveCuration(workspace, text); // Reports the mistakes.
    return;
  }
  const before = fieldsOf(document, workspace);
  for (const key of TEXTS) if (fields[key] !== before[key]) put(document, [key], fields[key]);
  for (const key of ['sections', 'hide'] as const)
    if (!isSame(fields[key], before[key])) put(document, [key], fields[key]);
  for (const own of fields.topics) {
    const known = before.topics.find(({ topic }) => topic === own.topic);
    for (const key of TOPIC_TEXTS) if (own[key] !== known?.[key]) put(document, ['topics', own.topic, key], own[key]);
    if (isSame(own.pin, known?.pin)) continue;
    const pins = own.pin.map(({ url, note }) => (note === '' ? url : { url, note }));
    put(document, ['topics', own.topic, 'pin'], pins);
  }
  saveCuration(workspace, written(document, text));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Sets a value, and the mappings that lead to it; an empty one is removed. */
function put(document: Document, path: readonly string[], value: string | readonly unknown[]): void {
  if (value.length === 0) {
    if (document.hasIn(path)) document.deleteIn(path);
    return;
  }
  for (let depth = 0; depth < path.length; depth++) {
    const above = path.slice(0, depth);
    const node = depth === 0 ? document.contents : document.getIn(above, true);
    if (isMap(node)) continue;
    const map = document.createNode({});
    // What the file suggests stands behind a key without a value.
    if (isScalar(node)) map.commentBefore = node.comment ?? node.commentBefore ?? null;
    if (depth === 0) document.contents = map;
    else document.setIn(above, map);
  }
  // A plain value keeps the comment of its line.
  document.setIn(path, typeof value === 'string' ? value : document.createNode(value));
}

function topicsOf({ tree }: Pick<Workspace, 'tree'>): readonly string[] {
  return [...tree.nodes.keys()].filter((id) => id !== ROOT);
}

function nodeOfTopic(document: Document, topic: string) {
  const topics = document.get('topics', true);
  const node = isMap(topics) ? topics.get(topic, true) : undefined;
  return isMap(node) ? node : undefined;
}

function textOf(node: unknown): string {
  return isSeq(node) ? textsOf(node).join('\n\n') : (writtenText(node) ?? '').trim();
}

function textsOf(node: unknown): readonly string[] {
  const items = isSeq(node) ? node.items : [node];
  return items.map(textOf).filter((text) => text !== '');
}

function pinsOf(node: unknown): TopicFields['pin'] {
  const items = isSeq(node) ? (node.items as readonly Node[]) : [];
  return items.map((item) =>
    isMap(item)
      ? { url: textOf(item.get('url', true)), note: textOf(item.get('note', true)) }
      : { url: textOf(item), note: '' },
  );
}
