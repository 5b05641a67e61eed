import { relative, sep } from 'node:path';
import { stringify } from 'yaml';
import type { Example, TopicSpec } from '../../core/index.ts';
import { wrap } from '../words/terminal.ts';
import { describeSetting, SECTIONS, SETTINGS, type Section, type Setting } from './settings.ts';

/** What `bingo init` writes down. */
export interface WorkspaceDraft {
  readonly topics: readonly TopicSpec[];
  readonly others: readonly Example[];
  /** Settings that differ from their defaults, checked, by key. */
  readonly values?: ReadonlyMap<string, unknown>;
}

const HEAD = `# A Bingo workspace: the topics, their examples, and every setting.
# Edit it as you like; "bingo crawl" checks it and tells mistakes with their lines.
# A setting may also come from the environment (BINGO_NETWORK_CONTACT) or a flag (--set network.delayMs=500);
# a flag beats the environment, the environment beats this file.

# A topic has
#   name        free of "/"
#   examples    typical pages: URLs, or "- file: PATH" for a local document; two or three are enough to begin
#   query       words that serve as one more example
#   seeds       pages to start from; without them the crawl starts at the examples
#   budget      pages to fetch for it and the topics within it at the most; without it crawl.maxPagesPerTopic counts
#   lockedHosts hosts that are never visited
#   topics      topics within it, written the same way
#   good        false: pages of it are not what you are after, it only leads to its subtopics
#   others      what its subtopics are set against, besides each other
`;

const OTHERS_HEAD = `
# OTHERS: pages of everyday subjects. They are fetched once and teach Bingo what you do not want.
`;

/** The text of bingo.yaml. `folder` is what the paths of local files are written relative to. */
export function renderWorkspace(draft: WorkspaceDraft, folder: string): string {
  return [
    HEAD,
    'topics:\n',
    ...draft.topics.map((topic) => `${renderTopic(topic, folder, '  ')}\n`),
    OTHERS_HEAD,
    draft.others.length === 0 ? 'others: []\n' : `others:\n${renderExamples(draft.others, folder, '  ')}\n`,
    ...(Object.keys(SECTIONS) as Section[]).map((section) => `\n${renderSection(section, draft.values ?? new Map())}`),
  ].join('');
}

function renderTopic(topic: TopicSpec, folder: string, indent: string): string {
  const inner = `${indent}  `;
  const lines = [`${indent}- name: ${scalar(topic.name)}`];
  if (topic.good !== undefined) lines.push(`${inner}good: ${topic.good}`);
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

function renderSection(section: Section, values: ReadonlyMap<string, unknown>): string {
  const settings = SETTINGS.filter((setting) => setting.section === section);
  return [`# ${SECTIONS[section]}`, `${section}:`, ...settings.flatMap((s) => renderSetting(s, values)), ''].join('\n');
}

function renderSetting(setting: Setting, values: ReadonlyMap<string, unknown>): string[] {
  const value = values.has(setting.key) ? values.get(setting.key) : setting.default;
  const comment = `${setting.help} (${describeSetting(setting)})`;
  return [...wrap(comment, 112).map((line) => `  # ${line}`), `  ${setting.name}: ${setting.rule.write(value)}`];
}

function scalar(text: string): string {
  return stringify(text, { lineWidth: 0, defaultStringType: 'PLAIN', blockQuote: false }).trimEnd();
}
