import { hash32 } from '../../kit/index.ts';
import { htmlAnswer, type ParkSite, type PLAUSIBLE_KINDS, renderPage, type Trap } from './park-site.ts';
import { chanceOf, contentWordsOf, inventName, pick, prose, sample, TOPIC_SUBJECT, titleOf } from './words.ts';

/** Content of an address in a plausible trap; links lead deeper. */
interface Shown {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly links: readonly string[];
}

/** Builds a trap with one endless folder whose pages all have plausible titles. */
function plausibleTrap(
  trap: (typeof PLAUSIBLE_KINDS)[number],
  doors: (site: ParkSite) => readonly string[],
  show: (site: ParkSite, url: URL) => Shown | undefined,
): Trap {
  return {
    doors: (site) => [...site.hidden.map(({ path }) => path), ...doors(site)],
    answer: (site, url) => {
      const shown = show(site, url);
      return shown && htmlAnswer({ kind: 'trap', trap }, renderPage(site, shown));
    },
  };
}

/** Words on all pages of a trap, with enough of the topic to attract a classifier. */
function frame(site: ParkSite, trap: string): string {
  return prose(TOPIC_SUBJECT, 70, chanceOf(site.seed, site.host, trap)).join(' ');
}

const DAYS = 28;
const EVENTS = ['Evening', 'Workshop', 'Talk', 'Course', 'Walk', 'Market'] as const;

/** Endless days, each with an event under a generated name. */
const eventCalendar = plausibleTrap(
  'event-calendar',
  ({ variant }) => [dayAddress(variant, 20_000)],
  (site, url) => {
    const day = Number(
      /^\/(?:events|diary)\/(\d{5,})$/.exec(url.pathname)?.[1] ?? url.searchParams.get('day') ?? Number.NaN,
    );
    if (!Number.isInteger(day)) return undefined;
    const random = chanceOf(site.seed, site.host, 'event', day);
    const name = `${pick(contentWordsOf(TOPIC_SUBJECT), random)} ${pick(EVENTS, random)}`;
    const date = `${1 + (day % DAYS)}/${1 + (Math.floor(day / DAYS) % 12)}/${Math.floor(day / DAYS / 12)}`;
    const paragraphs = [`${name} on ${date}. Everybody is welcome.`, frame(site, 'calendar')];
    const links = [1, -1, 7, DAYS].map((days) => dayAddress(site.variant, day + days));
    return { title: `${name}, ${date}`, paragraphs, links };
  },
);

function dayAddress(variant: number, day: number): string {
  return [`/events/${day}`, `/programme?day=${day}`, `/diary/${day}`][variant]!;
}

const MAKES = ['Deluxe', 'Basic', 'Classic', 'Garden', 'Profi', 'Mini', 'Junior', 'Royal'] as const;

/** Products made of a few words and a number, each recommending others. */
const madeProducts = plausibleTrap(
  'made-products',
  (site) => productsOf(site, 'door', 6),
  (site, url) => {
    const number = /^\/(?:product|p|item)\/(?:[a-z-]+-)?(\d+)$/.exec(url.pathname)?.[1];
    if (number === undefined) return undefined;
    const random = chanceOf(site.seed, site.host, 'product', number);
    const [make, thing] = [pick(MAKES, random), pick(contentWordsOf(TOPIC_SUBJECT), random)];
    const paragraphs = [
      `${make} ${thing}, order number ${number}. In stock: ${1 + Math.floor(random() * 90)}.`,
      frame(site, 'shop'),
    ];
    return { title: `${make} ${thing} ${number}`, paragraphs, links: productsOf(site, number, 10) };
  },
);

function productsOf(site: ParkSite, from: string, n: number): string[] {
  const random = chanceOf(site.seed, site.host, 'products', from);
  return Array.from({ length: n }, () => {
    const number = Math.floor(random() * 1e6);
    if (site.variant === 0) return `/product/${number}`;
    return site.variant === 1 ? `/p/${pick(contentWordsOf(TOPIC_SUBJECT), random)}-${number}` : `/item/${number}`;
  });
}

/** Endless lists of the site's documents in new orders, each with its own title and a next page. */
const pagination = plausibleTrap(
  'pagination',
  ({ variant }) => [listAddress(variant, 1)],
  (site, url) => {
    const list = Number(
      /^\/(?:page|archive)\/(\d+)$/.exec(url.pathname)?.[1] ?? url.searchParams.get('start') ?? Number.NaN,
    );
    if (!Number.isInteger(list) || list < 1) return undefined;
    const random = chanceOf(site.seed, site.host, 'list', list);
    const shown = sample([...site.pages.values()], 6, random);
    const paragraphs = shown.map(
      ({ title, id }) => `${title}: ${prose(TOPIC_SUBJECT, 14, chanceOf(site.seed, id)).join(' ')}`,
    );
    const links = [
      ...shown.map(({ path }) => path),
      ...[1, 2, 5].map((more) => listAddress(site.variant, list + more)),
    ];
    return { title: `${titleOf(TOPIC_SUBJECT, random)}, page ${list}`, paragraphs, links };
  },
);

function listAddress(variant: number, list: number): string {
  return [`/page/${list}`, `/list?start=${list}`, `/archive/${list}`][variant]!;
}

/** Every page in a dozen languages, linked to each other: the same text in other words. */
const translations = plausibleTrap(
  'translations',
  (site) => Array.from({ length: 6 }, (_, i) => translated(site, i)),
  (site, url) => {
    const [, language = '', n = ''] = /^\/([a-z]{2}-[a-z]{3})\/(\d+)$/.exec(url.pathname) ?? [];
    const original = [...site.pages.values()][Number(n) % site.pages.size];
    if (language === '' || original === undefined) return undefined;
    const words = prose(original.subject, original.words, chanceOf(site.seed, original.id));
    const paragraphs = words.map((text) => text.replace(/[a-z]+/g, (word) => foreign(word, language)));
    const random = chanceOf(site.seed, url.pathname);
    const links = Array.from({ length: 12 }, () => translated(site, Math.floor(random() * 1e6)));
    return { title: foreign(original.title, language), paragraphs, links };
  },
);

const LANGUAGES = [
  'fr-ais',
  'de-sch',
  'es-ola',
  'pt-ado',
  'it-ano',
  'pl-ski',
  'fi-nen',
  'hu-yar',
  'sv-ska',
  'nl-ers',
  'da-sen',
  'cs-cky',
];

function translated(site: ParkSite, i: number): string {
  return `/${LANGUAGES[hash32(`${site.host} ${i}`, site.seed) % LANGUAGES.length]}/${i % site.pages.size}`;
}

/** Returns a word with the ending of a language. */
function foreign(text: string, language: string): string {
  return text.replaceAll(/[a-z]+/g, (word) => `${word}${language.slice(3)}`);
}

/** A search without results; its titles repeat the query, and it suggests other queries. */
const emptySearch = plausibleTrap(
  'empty-search',
  (site) => questionsOf(site, 'door', 6),
  (site, url) => {
    const query = url.searchParams.get('q') ?? /^\/find\/([a-z-]+)$/.exec(url.pathname)?.[1];
    if (query === undefined || query === '') return undefined;
    const paragraphs = [`Your search for ${query} gave no result. Others looked for:`, frame(site, 'search')];
    return { title: `${query.replaceAll('-', ' ')}: search`, paragraphs, links: questionsOf(site, query, 10) };
  },
);

function questionsOf(site: ParkSite, from: string, n: number): string[] {
  const random = chanceOf(site.seed, site.host, 'questions', from);
  return Array.from({ length: n }, () => {
    const words = [...sample(contentWordsOf(TOPIC_SUBJECT), 2, random), inventName(random).toLowerCase()];
    return site.variant === 1
      ? `/find/${words.slice(0, 2).join('-')}`
      : `/search?q=${words.slice(0, 2 + (site.variant >> 1)).join('+')}`;
  });
}

export const PLAUSIBLE: { readonly [K in (typeof PLAUSIBLE_KINDS)[number]]: Trap } = {
  'event-calendar': eventCalendar,
  'made-products': madeProducts,
  pagination,
  translations,
  'empty-search': emptySearch,
};
