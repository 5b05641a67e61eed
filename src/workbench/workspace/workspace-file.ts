import { relative, sep } from 'node:path';
import { stringify } from 'yaml';
import type { Example, TopicSpec } from '../../core/index.ts';
import { EVERYDAY, everydayPages } from './default-counter-examples.ts';
import { SECTIONS, SETTINGS, type Section, type Setting } from './settings.ts';
import { examplePages } from './topic-draft.ts';

/** Content of a workspace file that `bingo init` writes. */
export interface WorkspaceDraft {
  readonly topics: readonly TopicSpec[];
  readonly others: readonly Example[];
  /** Settings that differ from their defaults, checked, by key. */
  readonly values?: ReadonlyMap<string, unknown>;
}

const HEAD = `# A Bingo workspace. Edit it as you like: "bingo crawl" checks it and reports mistakes with their lines.
# Two or three typical pages for each topic are enough. What else a topic may have: bingo help topic-tree
`;

const OTHERS_HEAD = `
# Counter-examples: pages that you do not want. "everyday" stands for some fifty pages of everyday subjects.
`;

const SETTINGS_HEAD = `
# Other settings have their defaults. "bingo settings" shows them, "bingo settings set KEY VALUE" changes one.
`;

/** Maximum width of a line with a comment. */
const COLUMNS = 110;

/** Settings that are always written to the file. */
const ALWAYS = ['crawl.budget', 'network.contact'];

/** Returns the text of bingo.yaml. Paths of local files are written relative to `folder`. */
export function renderWorkspace(draft: WorkspaceDraft, folder: string): string {
  return [
    HEAD,
    'topics:\n',
    ...draft.topics.map((topic) => `${renderTopic(topic, folder, '  ')}\n`),
    OTHERS_HEAD,
    renderOthers(draft, folder),
    SETTINGS_HEAD,
    ...(Object.keys(SECTIONS) as Section[]).flatMap((section) => renderSection(section, draft.values ?? new Map())),
  ].join('');
}

function renderOthers({ topics, others }: WorkspaceDraft, folder: string): string {
  if (others.length === 0) return 'others: []\n';
  if (isEveryday(topics, others)) return `others: ${EVERYDAY}\n`;
  return `others:\n${renderExamples(others, folder, '  ')}\n`;
}

/** Whether the counter-examples are the built-in list, without pages that are examples of topics. */
function isEveryday(topics: readonly TopicSpec[], others: readonly Example[]): boolean {
  const examples = new Set(topics.flatMap(examplePages));
  const pages = everydayPages().filter((url) => !examples.has(url));
  return pages.length === others.length && others.every((other, i) => other.kind === 'url' && other.url === pages[i]);
}

function renderTopic(topic: TopicSpec, folder: string, indent: string): string {
  const inner = `${indent}  `;
  const lines = [`${indent}- name: ${scalar(topic.name)}`];
  for (const key of ['good', 'follow', 'shown'] as const)
    if (topic[key] !== undefined) lines.push(`${inner}${key}: ${topic[key]}`);
  const query = topic.examples?.find((example) => example.kind === 'text');
  if (query !== undefined) lines.push(`${inner}query: ${scalar(query.text)}`);
  const pages = (topic.examples ?? []).filter((example) => example.kind !== 'text');
  if (pages.length > 0) lines.push(`${inner}examples:`, renderExamples(pages, folder, `${inner}  `));
  if (topic.budget !== undefined) lines.push(`${inner}budget: ${topic.budget}`);
  for (const key of ['seeds', 'lockedHosts'] as const) {
    const values = topic[key] ?? [];
    if (values.length > 0) lines.push(`${inner}${key}:`, ...values.map((value) => `${inner}  - ${scalar(value)}`));
  }
  const others = topic.others ?? [];
  if (others.length > 0) lines.push(`${inner}others:`, renderExamples(others, folder, `${inner}  `));
  const topics = topic.topics ?? [];
  if (topics.length > 0) lines.push(`${inner}topics:`, ...topics.map((t) => renderTopic(t, folder, `${inner}  `)));
  return lines.join('\n');
}

function renderExamples(examples: readonly Example[], folder: string, indent: string): string {
  return examples.map((example) => `${indent}- ${renderExample(example, folder)}`).join('\n');
}

function renderExample(example: Example, folder: string): string {
  if (example.kind === 'url') return scalar(example.url);
  if (example.kind === 'text') return scalar(example.text);
  return `file: ${scalar(relative(folder, example.path).split(sep).join('/'))}`;
}

function renderSection(section: Section, values: ReadonlyMap<string, unknown>): string[] {
  const settings = SETTINGS.filter(
    (one) => one.section === section && (values.has(one.key) || ALWAYS.includes(one.key)),
  );
  if (settings.length === 0) return [];
  return [`${section}:\n`, ...settings.map((setting) => `${renderSetting(setting, values)}\n`)];
}

function renderSetting(setting: Setting, values: ReadonlyMap<string, unknown>): string {
  const value = values.has(setting.key) ? values.get(setting.key) : setting.default;
  const line = `  ${setting.name}: ${setting.rule.write(value)}`;
  const explained = `${line} # ${setting.help}`;
  return explained.length > COLUMNS ? line : explained;
}

function scalar(text: string): string {
  return stringify(text, { lineWidth: 0, defaultStringType: 'PLAIN', blockQuote: false }).trimEnd();
}
