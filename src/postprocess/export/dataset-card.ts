import type { Bibliography } from '../../core/index.ts';
import { count, counted, sanitizeForTerminal } from '../../kit/index.ts';

/** How the pages were found, for the card. */
export interface CardFacts {
  readonly title: string;
  readonly topics: readonly { readonly name: string; readonly examples: number }[];
  readonly seeds: number;
  /** Settings that decide what is crawled and accepted, by name. */
  readonly settings: Readonly<Record<string, string>>;
  readonly rounds: number;
  readonly fetched: number;
  readonly version: string;
  /** The selection of pages in words; `''` for all. */
  readonly selection: string;
  /** `network.siteRights`: reservations of whole sites are looked up while crawling. */
  readonly siteRights: boolean;
}

const MAX_ROWS = 50;

/** A page, as the card counts it. */
export interface CountedPage {
  readonly topic: string;
  readonly language: string;
  readonly tokens: number;
  readonly fetchedAt: number;
  readonly bibliography: Bibliography | undefined;
}

/** Counts what a dataset contains. Memory is bounded by the number of distinct values, which is limited. */
export class DatasetCounts {
  pages = 0;
  tokens = 0;
  first: number = Number.POSITIVE_INFINITY;
  last = 0;
  readonly topics: Map<string, number> = new Map();
  readonly languages: Map<string, number> = new Map();
  readonly licences: Map<string, number> = new Map();
  readonly reservations: Map<string, number> = new Map();
  readonly #groups = new Map<number, number>();

  add(page: CountedPage, group: number): void {
    this.pages++;
    this.tokens += page.tokens;
    this.first = Math.min(this.first, page.fetchedAt);
    this.last = Math.max(this.last, page.fetchedAt);
    addTo(this.topics, page.topic);
    addTo(this.languages, page.language || 'unknown');
    addTo(this.licences, page.bibliography?.licence ?? 'not stated');
    addTo(this.reservations, page.bibliography?.reservation ?? 'none found');
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + 1);
  }

  /** Groups of two pages or more, and the pages beyond the first of each. */
  get duplicates(): { readonly groups: number; readonly pages: number } {
    const several = [...this.#groups.values()].filter((size) => size > 1);
    return { groups: several.length, pages: several.reduce((sum, size) => sum + size - 1, 0) };
  }
}

const MAX_VALUES = 10_000;

function addTo(counts: Map<string, number>, value: string): void {
  const name = counts.has(value) || counts.size < MAX_VALUES ? value : 'other';
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Returns the card of a dataset, with the head that dataset hubs read. Text from pages cannot become markup. */
export function datasetCard(
  counts: DatasetCounts,
  facts: CardFacts,
  columns: readonly { readonly name: string; readonly type: string; readonly help: string }[],
): string {
  const { groups, pages } = counts.duplicates;
  const languages = [...counts.languages.keys()].filter((code) => /^[a-z]{2,3}$/.test(code)).sort();
  const time = counts.pages === 0 ? '' : `, fetched from ${dayOf(counts.first)} to ${dayOf(counts.last)}`;
  const title = plain(facts.title);
  return [
    '---',
    `pretty_name: ${JSON.stringify(title)}`,
    `language: [${languages.map((code) => `"${code}"`).join(', ')}]`,
    'license: other',
    'configs: [{ config_name: default, data_files: pages.parquet }]',
    '---',
    '',
    `# ${title}`,
    '',
    `${counted(counts.pages, 'web page')} with ${counted(counts.tokens, 'word')}${time}. ${facts.selection}`.trim(),
    '',
    '## Columns of pages.parquet',
    '',
    ...table(
      ['column', 'type', 'content'],
      columns.map(({ name, type, help }) => [name, type.toLowerCase(), help]),
    ),
    '',
    '## Topics',
    '',
    ...countTable('topic', counts.topics),
    '',
    '## Languages',
    '',
    ...countTable('language', counts.languages),
    '',
    '## Near duplicates',
    '',
    `Groups of pages with nearly the same text (fingerprints that differ in at most 3 of 64 bits): ${count(groups)}. Keeping the first page of each leaves out ${counted(pages, 'page')}: select rows with \`duplicate_group = id\`.`,
    '',
    '## Licences and rights',
    '',
    'The texts belong to their authors. A licence is listed as the page states it; it was not checked.',
    '',
    ...countTable('licence', counts.licences),
    '',
    'Reservations against text and data mining, or against training, that the pages state (`robots` with `noai` or `noimageai`, `tdm-reservation`). ' +
      siteRightsLine(facts),
    '',
    ...countTable('reservation', counts.reservations),
    '',
    '## How it was made',
    '',
    `Bingo ${facts.version}, a focused crawler, began at ${counted(facts.seeds, 'page')} besides the examples and fetched ${counted(facts.fetched, 'page')}. Classifiers trained on example pages decided which belong to a topic, in ${counted(facts.rounds, 'round')} of training.`,
    '',
    ...table(
      ['topic', 'examples by the user'],
      facts.topics.map(({ name, examples }) => [name, count(examples)]),
    ),
    '',
    ...table(['setting', 'value'], Object.entries(facts.settings)),
    '',
    'Topics and relevance are decisions of a program and contain errors. Texts are main texts without navigation; tables and source code lose their layout.',
    '',
    '## Citation',
    '',
    `Cite the pages themselves (\`url\`, \`authors\`, \`published\`). Cite the collection as: *${title}*. ${counted(counts.pages, 'web page')} collected with Bingo ${facts.version}${counts.pages === 0 ? '' : `, ${dayOf(counts.last)}`}.`,
    '',
  ].join('\n');
}

function countTable(name: string, counts: ReadonlyMap<string, number>): readonly string[] {
  const rows = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const rest = rows.slice(MAX_ROWS).reduce((sum, [, pages]) => sum + pages, 0);
  const shown = rows.slice(0, MAX_ROWS).map(([value, pages]) => [value, count(pages)]);
  return table([name, 'pages'], rest === 0 ? shown : [...shown, ['others', count(rest)]]);
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  return [line(titles), `|${' --- |'.repeat(titles.length)}`, ...rows.map(line)];
}

function plain(text: string): string {
  return sanitizeForTerminal(text).replace(/[\\`*[\]<>|]/g, '\\$&');
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function siteRightsLine({ siteRights }: CardFacts): string {
  return siteRights
    ? 'Reservations of whole sites (`tdmrep.json` as `tdm`, `ai.txt` as `noai`) were looked up (`network.siteRights`).'
    : 'Reservations of whole sites (`tdmrep.json`, `ai.txt`) were not looked up.';
}
