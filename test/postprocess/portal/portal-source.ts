import { tokenize } from '../../../src/analyze/index.ts';
import {
  type PageNews,
  type TopicId,
  type TopicTree,
  type TrainingOrigin,
  topicTree,
} from '../../../src/core/index.ts';
import type { PortalRow, PortalSource } from '../../../src/postprocess/index.ts';
import { packCounts } from '../../support/pack-counts.ts';

/** A title with every attack. */
export const HOSTILE = `<script>alert(1)</script>"'>&amp;\u202Egpj.exe\u0007 </title>`;
const id = (text: string): TopicId => text as TopicId;

/** A page of a topic. */
export function row(sequence: number, topic: string, more: Partial<PortalRow> = {}): PortalRow {
  const url = `https://site${sequence % 2}.example/${sequence}`;
  return {
    ...{ sequence, url, finalUrl: url, title: `Page ${sequence}`, site: `site${sequence % 2}.example` },
    ...{ role: 'crawled', topic: id(topic), others: false, confidence: sequence / 10, relevance: sequence / 20 },
    ...{ fetchedAt: Date.UTC(2026, 0, sequence), via: 'https://start.example/', language: 'en' },
    ...more,
  };
}

const ROWS: readonly PortalRow[] = [
  row(1, 'bikes', { role: 'example', confidence: Number.NaN, relevance: Number.NaN, via: '' }),
  row(2, 'bikes', { title: HOSTILE }),
  row(3, 'bikes/touring', { via: 'javascript:alert(1)' }),
  row(4, 'bikes/touring', { title: '  ' }),
  row(5, 'bikes', { others: true, title: 'Not wanted' }),
  row(6, 'bikes', { finalUrl: 'javascript:alert(1)', title: 'Bad address' }),
  row(7, 'bikes', { role: 'others', others: true, title: 'A negative example' }),
  row(8, 'gone/topic', { title: 'Of a topic that was taken out' }),
  row(9, 'bikes', { site: 'site0.example', language: 'fa' }),
  row(10, 'bikes', { site: 'left.example', title: `Gone ${HOSTILE}` }),
  row(11, 'bikes', { site: 'left.example', title: 'Of another topic now', others: true }),
];

/** Events of some pages: days of February. */
const day = (n: number): number => Date.UTC(2026, 1, n);
const HISTORIES: readonly ({ readonly sequence: number } & PageNews)[] = [
  {
    sequence: 3,
    ...past({ firstAt: ROWS[2]!.fetchedAt, changedAt: day(3), checkedAt: day(9), checks: 4, changes: 2 }),
  },
  { sequence: 4, ...past({ firstAt: ROWS[3]!.fetchedAt, triedAt: day(8), missing: 1 }) },
  { sequence: 8, ...past({ firstAt: ROWS[7]!.fetchedAt, triedAt: day(8) }) },
  {
    sequence: 9,
    ...past({ changedAt: day(5), checks: 1, changes: 1, movedAt: day(5), movedFrom: 'https://old.example/"<9>' }),
  },
  { sequence: 10, ...past({ triedAt: day(6), missing: 3, ending: 'gone', endedAt: day(6) }) },
  { sequence: 11, ...past({ firstAt: day(1), changedAt: day(7), checkedAt: day(7), checks: 1, changes: 1 }) },
];

function past(facts: Partial<PageNews>): PageNews {
  const firstAt = facts.firstAt ?? Date.UTC(2026, 0, 9);
  const changedAt = facts.changedAt ?? firstAt;
  const checkedAt = facts.checkedAt ?? changedAt;
  const times = { firstAt, changedAt, checkedAt, triedAt: checkedAt };
  return {
    ...times,
    checks: 0,
    changes: 0,
    missing: 0,
    movedAt: 0,
    movedFrom: '',
    backAt: 0,
    ending: undefined,
    endedAt: 0,
    target: '',
    ...facts,
  };
}

const TRAINING: readonly { key: string; topic: TopicId; origin: TrainingOrigin }[] = [
  { key: 'https://site0.example/2', topic: id('bikes'), origin: 'archetype-by-authority' },
  { key: 'https://site1.example/1', topic: id('bikes'), origin: 'user' },
  { key: '/home/me/secret.pdf', topic: id('bikes'), origin: 'user' },
  { key: 'https://site1.example/7', topic: id(''), origin: 'others' },
];

const TEXTS: Readonly<Record<number, string>> = {
  2: `Wheels and ${HOSTILE} derailleurs`,
  3: 'Touring with panniers over mountain passes',
};

/** The store interface of a portal: bikes, pages found, and what must not be shown. */
export const source: PortalSource = {
  async *exportPages() {
    yield* ROWS;
  },
  async *histories() {
    yield* HISTORIES;
  },
  scoredPages: async (topic) =>
    topic === 'bikes'
      ? [
          { sequence: 2, authority: 0.9, hub: 0 },
          { sequence: 9, authority: 0.25, hub: 1 },
          { sequence: 404, authority: 1, hub: 1 },
        ]
      : [],
  pageLinks: async function* () {},
  training: async () => TRAINING,
  words: wordsOf((sequence) => ({ text: TEXTS[sequence] ?? `Words of page ${sequence}`, language: 'en' })),
};

/** The text of a page and its language. */
interface Speech {
  readonly text: string;
  readonly language: string;
}

/** The same source with other texts and languages. */
export function speaking(speechOf: (sequence: number) => Speech, of: PortalSource = source): PortalSource {
  return {
    ...of,
    exportPages: async function* () {
      for await (const page of of.exportPages()) yield { ...page, language: speechOf(page.sequence).language };
    },
    words: wordsOf(speechOf),
  };
}

function wordsOf(speechOf: (sequence: number) => Speech): PortalSource['words'] {
  return async (sequences) =>
    new Map(
      sequences.map((sequence) => {
        const { text, language } = speechOf(sequence);
        const counts = new Map<string, number>();
        for (const word of tokenize(text, language)) counts.set(word, (counts.get(word) ?? 0) + 1);
        return [sequence, { text, terms: packCounts(counts) }];
      }),
    );
}

export const tree: TopicTree = topicTree(
  [{ name: 'bikes', topics: [{ name: 'touring' }] }, { name: `<b>"Ä/..` }, { name: 'con' }],
  [],
);
