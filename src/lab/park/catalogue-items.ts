import type { Random } from '../../kit/index.ts';
import {
  chanceOf,
  contentWordsOf,
  inventName,
  OTHER_SUBJECTS,
  pick,
  prose,
  sample,
  TOPIC_SUBJECT,
  titleOf,
} from './words.ts';

/** Honest sites whose pages have similar wording. */
export const CATALOGUE_KINDS = [
  'reference',
  'dictionary',
  'products',
  'statutes',
  'minutes',
  'images',
  'forum',
  'packages',
] as const;
export type CatalogueKind = (typeof CATALOGUE_KINDS)[number];

/** Properties shared by all pages of a catalogue. */
export interface CatalogueStyle {
  readonly kind: CatalogueKind;
  readonly seed: number;
  readonly name: string;
  /** Words on every item. */
  readonly boilerplate: string;
  /** Approximate number of words of an item's own text. */
  readonly words: number;
  /** Share of items on the topic. */
  readonly share: number;
  /** If true, items link to the previous and next item, else to `related` others. */
  readonly isChained: boolean;
  readonly related: number;
  readonly listPath: (list: number) => string;
  readonly itemPath: (slug: string, n: number) => string;
}

/** One entry of a catalogue. */
export interface NewItem {
  readonly path: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly isRelevant: boolean;
}

/** Minimum and maximum number of words of an item's own text. */
const LENGTHS: { readonly [K in CatalogueKind]: readonly [number, number] } = {
  reference: [20, 40],
  dictionary: [14, 30],
  products: [10, 24],
  statutes: [50, 90],
  minutes: [36, 70],
  images: [8, 16],
  forum: [40, 90],
  packages: [14, 30],
};

/** Number of words on every item in addition. */
const BOILERPLATE: { readonly [K in CatalogueKind]: number } = {
  reference: 90,
  dictionary: 20,
  products: 60,
  statutes: 20,
  minutes: 60,
  images: 40,
  forum: 20,
  packages: 50,
};

export function catalogueStyle(kind: CatalogueKind, seed: number): CatalogueStyle {
  const random = chanceOf(seed, 'style', kind);
  const [least, most] = LENGTHS[kind];
  const folder = pick(['ref', 'doc', 'items', 'pages', 'a'], random);
  const itemPath = pick<CatalogueStyle['itemPath']>(
    [
      (slug) => `/${folder}/${slug}.html`,
      (slug) => `/${folder}/${slug[0]}/${slug}`,
      (_, n) => `/${folder}.php?id=${n}`,
      (_, n) => `/${folder}/${n}/`,
      (slug, n) => `/${slug}-${n}.html`,
    ],
    random,
  );
  const listPath = pick<CatalogueStyle['listPath']>([(n) => `/list/${n}`, (n) => `/index.php?page=${n}`], random);
  return {
    ...{ kind, seed, itemPath, listPath },
    name: `${inventName(random)} ${kind}`,
    boilerplate: prose(pick([TOPIC_SUBJECT, ...OTHER_SUBJECTS], random), BOILERPLATE[kind], random).join(' '),
    words: least + Math.floor(random() * (most - least)),
    share: 0.35 + 0.4 * random(),
    isChained: random() < 0.5,
    related: Math.floor(random() * 4),
  };
}

const SIZES = ['12 mm', '25 mm', '35 mm', '60 cm', '1 l', '5 l', 'M4', 'M8'] as const;
const COLOURS = ['amber', 'white', 'black', 'green', 'cedar', 'steel', 'zinc', 'oak'] as const;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Returns the n-th item, always the same. */
export function itemOf(style: CatalogueStyle, n: number): NewItem {
  const random = chanceOf(style.seed, 'item', style.kind, n);
  const isRelevant = random() < style.share;
  const subject = isRelevant ? TOPIC_SUBJECT : pick(OTHER_SUBJECTS, random);
  const title = titleFor(style.kind, n, subject, random);
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const own = prose(subject, style.words, random);
  const about = sample(contentWordsOf(subject), 2, random).join(' and ');
  const paragraphs = [`${title}: about ${about}.`, ...own, style.boilerplate];
  return { path: style.itemPath(slug, n), title, paragraphs, isRelevant };
}

function titleFor(kind: CatalogueKind, n: number, subject: string, random: Random): string {
  switch (kind) {
    case 'reference':
      return `${inventName(random).toUpperCase()}${pick(['', '', '2', '64'], random)} reference`;
    case 'dictionary':
      return inventName(random).toLowerCase();
    case 'products':
      return `${pick(contentWordsOf(subject), random)} ${pick(COLOURS, random)} ${pick(SIZES, random)}, no. ${4000 + 7 * n}`;
    case 'statutes':
      return `Section ${n}`;
    case 'minutes':
      return `Minutes of ${1 + (n % 28)} ${MONTHS[n % 12]} ${2000 + Math.floor(n / 12)}`;
    case 'images':
      return random() < 0.5 ? `Image ${n}` : `Image ${n}: ${titleOf(subject, random)}`;
    case 'forum':
      return `${titleOf(subject, random)}? - forum`;
    case 'packages':
      return `${inventName(random).toLowerCase()}-${pick(contentWordsOf(subject), random)} ${1 + Math.floor(random() * 9)}.${n % 10}.0`;
  }
}
