import {
  type FARM_KINDS,
  htmlAnswer,
  type ParkAnswer,
  type ParkSite,
  type Place,
  renderPage,
  type Trap,
  type TrapKind,
} from './park-site.ts';
import { chanceOf, contentWordsOf, inventName, pick, prose, sample, TOPIC_SUBJECT, titleOf } from './words.ts';

/** One kind of endless text: the entrance on its site, and the pages at its addresses. */
interface Farm {
  /** A page that people use, such as a search form; it also names the site's hidden documents. */
  readonly entry: (site: ParkSite) => string;
  /** Addresses in the farm that the entry names. */
  readonly first: (site: ParkSite) => readonly string[];
  /** Returns the page at an address and its links; `undefined` if the farm has no such address. */
  readonly page: (site: ParkSite, url: URL) => FarmPage | undefined;
}

interface FarmPage {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly links: readonly string[];
}

function farmTrap(trap: TrapKind, { entry, first, page }: Farm): Trap {
  const answer = (site: ParkSite, place: Place, parts: FarmPage): ParkAnswer =>
    htmlAnswer(place, renderPage(site, parts));
  return {
    doors: (site) => [entry(site)],
    answer: (site, url) => {
      if (`${url.pathname}${url.search}` === entry(site)) {
        const links = [...site.hidden.map(({ path }) => path), ...first(site)];
        const paragraphs = prose(site.subject, 40, chanceOf(site.seed, site.host, 'entry'));
        return answer(site, { kind: 'passage', trap }, { title: site.title, paragraphs, links });
      }
      const parts = page(site, url);
      return parts && answer(site, { kind: 'trap', trap }, parts);
    },
  };
}

/** Returns new prose on the topic that favours some words, like a real page about them. */
function textAbout(site: ParkSite, words: readonly string[], ...names: readonly string[]): string[] {
  const random = chanceOf(site.seed, site.host, ...names);
  return prose(TOPIC_SUBJECT, 120, random).map((text) => {
    const about = Array.from({ length: 6 }, () => pick(words, random)).join(' ');
    return `${text} ${about[0]!.toUpperCase()}${about.slice(1)}.`;
  });
}

const TAGS_SHOWN = 10;

/** Endless combinations of tags: each has its own page with its own text, and links to wider and narrower ones. */
const tagCombinations: Farm = {
  entry: ({ variant }) => ['/tags', '/tag/', '/browse'][variant]!,
  first: (site) => tagsOf(site).map((tag) => tagAddress(site, [tag])),
  page: (site, url) => {
    const all = tagsOf(site);
    const chosen = readTags(site, url);
    if (chosen === undefined || chosen.some((tag) => !all.includes(tag))) return undefined;
    const random = chanceOf(site.seed, site.host, ...chosen);
    const others = all.filter((tag) => !chosen.includes(tag));
    const narrower = sample(others, TAGS_SHOWN, random).map((tag) => [...chosen, tag]);
    const wider = chosen.length > 1 ? chosen.map((tag) => chosen.filter((other) => other !== tag)) : [];
    const links = [...narrower, ...wider].map((tags) => tagAddress(site, tags));
    return { title: `Posts on ${chosen.join(', ')}`, paragraphs: textAbout(site, chosen, ...chosen), links };
  },
};

function tagsOf(site: ParkSite): readonly string[] {
  return sample(contentWordsOf(TOPIC_SUBJECT), 30, chanceOf(site.seed, site.host, 'tags'));
}

function tagAddress({ variant }: ParkSite, tags: readonly string[]): string {
  if (variant === 1) return `/tag/${tags.map((tag) => `${tag}/`).join('')}`;
  return variant === 0 ? `/tag/${tags.join('+')}` : `/browse?tags=${tags.join(',')}`;
}

function readTags({ variant }: ParkSite, url: URL): readonly string[] | undefined {
  if (variant === 2) return url.pathname === '/browse' ? url.searchParams.get('tags')?.split(',') : undefined;
  const tags = url.pathname.startsWith('/tag/') ? url.pathname.slice('/tag/'.length) : '';
  if (tags === '') return undefined;
  return variant === 1 ? tags.split('/').slice(0, -1) : tags.split('+');
}

/** A search that finds results for every query and suggests the next queries: two words of its results. */
const searchEcho: Farm = {
  entry: ({ variant }) => ['/search', '/find/', '/s'][variant]!,
  first: (site) => queriesIn(site, prose(TOPIC_SUBJECT, 60, chanceOf(site.seed, site.host, 'popular'))),
  page: (site, url) => {
    const query = readQuery(site, url);
    if (query.length === 0) return undefined;
    const paragraphs = textAbout(site, query, ...query);
    return { title: `Results for ${query.join(' ')}`, paragraphs, links: queriesIn(site, paragraphs) };
  },
};

function queriesIn(site: ParkSite, paragraphs: readonly string[]): string[] {
  const text = paragraphs.join(' ');
  const random = chanceOf(site.seed, site.host, text);
  const words = [...new Set(text.toLowerCase().match(/[a-z]{5,}/g))];
  return Array.from({ length: TAGS_SHOWN }, () => {
    const query = sample(words, 2, random);
    if (site.variant === 1) return `/find/${query.join('-')}.html`;
    return site.variant === 0 ? `/search?q=${query.join('+')}` : `/s?lang=en&words=${query.join('%20')}`;
  });
}

function readQuery({ variant }: ParkSite, url: URL): readonly string[] {
  if (variant === 1) return /^\/find\/([a-z]+-[a-z]+)\.html$/.exec(url.pathname)?.[1]?.split('-') ?? [];
  const query =
    url.pathname === ['/search', '', '/s'][variant] ? url.searchParams.get(variant === 0 ? 'q' : 'words') : '';
  return (query ?? '').split(' ').filter((word) => word !== '');
}

/** Endless random text, each page under a new address. */
const randomText: Farm = {
  entry: ({ variant }) => ['/texts/', '/news', '/library'][variant]!,
  first: (site) => textAddresses(site, 'first'),
  page: (site, url) => {
    const isOne = [/^\/texts\/[0-9a-z]{9}$/, /^\/[a-z-]+-\d+\.html$/, /^\/library\/\d+\/\d+$/][site.variant]!;
    if (!isOne.test(url.pathname)) return undefined;
    const random = chanceOf(site.seed, site.host, url.pathname);
    const title = titleOf(TOPIC_SUBJECT, random);
    return { title, paragraphs: prose(TOPIC_SUBJECT, 200, random), links: textAddresses(site, url.pathname) };
  },
};

function textAddresses(site: ParkSite, from: string): string[] {
  const random = chanceOf(site.seed, site.host, 'texts', from);
  return Array.from({ length: TAGS_SHOWN }, () => {
    const number = Math.floor(random() * 1e9);
    if (site.variant === 0) return `/texts/${number.toString(36).padStart(9, '0')}`;
    if (site.variant === 2) return `/library/${number % 1000}/${number}`;
    return `/${titleOf(TOPIC_SUBJECT, random).replaceAll(' ', '-')}-${number % 100_000}.html`;
  });
}

/** A machine-written wiki: each article has a name and links to other names. */
const generatedWiki: Farm = {
  entry: ({ variant }) => ['/wiki/', '/w/index.php', '/encyclopedia'][variant]!,
  first: (site) => articlesNamed(site, 'main page'),
  page: (site, url) => {
    const name = readArticle(site, url);
    if (!/^[A-Z][a-z]+(?: [A-Z][a-z]+)*$/.test(name)) return undefined;
    return { title: name, paragraphs: textAbout(site, name.split(' '), name), links: articlesNamed(site, name) };
  },
};

function articlesNamed(site: ParkSite, from: string): string[] {
  const random = chanceOf(site.seed, site.host, 'names', from);
  return Array.from({ length: TAGS_SHOWN }, () => {
    const name = `${inventName(random)}_${inventName(random)}`;
    if (site.variant === 1) return `/w/index.php?title=${name}`;
    return site.variant === 0 ? `/wiki/${name}` : `/encyclopedia/${name[0]!.toLowerCase()}/${name}`;
  });
}

function readArticle({ variant }: ParkSite, url: URL): string {
  if (variant === 1) return (url.searchParams.get('title') ?? '').replaceAll('_', ' ');
  const pattern = variant === 0 ? /^\/wiki\/(\w+)$/ : /^\/encyclopedia\/[a-z]\/(\w+)$/;
  return (pattern.exec(url.pathname)?.[1] ?? '').replaceAll('_', ' ');
}

export const FARMS: { readonly [K in (typeof FARM_KINDS)[number]]: Trap } = {
  'tag-combinations': farmTrap('tag-combinations', tagCombinations),
  'search-echo': farmTrap('search-echo', searchEcho),
  'random-text': farmTrap('random-text', randomText),
  'generated-wiki': farmTrap('generated-wiki', generatedWiki),
};
