import { hash32 } from '../../kit/index.ts';
import { FARMS } from './farm-answers.ts';
import {
  htmlAnswer,
  type ParkAnswer,
  type ParkSite,
  redirectAnswer,
  renderPage,
  type Trap,
  type TrapKind,
} from './park-site.ts';
import { PLAUSIBLE } from './plausible-answers.ts';
import { chanceOf, inventName, pick, prose, sample, TOPIC_SUBJECT, titleOf } from './words.ts';

const inside = (trap: TrapKind) => ({ kind: 'trap', trap }) as const;
const passage = (trap: TrapKind) => ({ kind: 'passage', trap }) as const;
const hiddenLinks = (site: ParkSite, from = 0, to = site.hidden.length): string[] =>
  site.hidden.slice(from, to).map(({ path }) => path);

/** Text about its site on every page of a trap, with enough of the topic to attract a classifier. */
function pitch(site: ParkSite): string {
  return prose(TOPIC_SUBJECT, 40, chanceOf(site.seed, site.host, 'pitch'))[0]!;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Endless months, forwards and backwards; two of them have events. */
const calendar: Trap = {
  doors: ({ variant }) => [monthAddress(variant, 2026, 11)],
  answer: (site, url) => {
    const month = readMonth(site.variant, url);
    if (month === undefined) return undefined;
    const [year, number, day] = month;
    const at = (months: number): string => {
      const all = year * 12 + number - 1 + months;
      return monthAddress(site.variant, Math.floor(all / 12), (all % 12) + 1);
    };
    const days = site.variant === 2 && day === 0 ? [3, 9, 15, 21, 27].map((d) => `${at(0)}${d}/`) : [];
    const hasEvents = day === 0 && year === 2026 && number >= 11;
    const events = hasEvents ? hiddenLinks(site, number === 11 ? 0 : 1, number === 11 ? 1 : undefined) : [];
    const name = `${day > 0 ? `${day} ` : ''}${MONTHS[number - 1]} ${year}`;
    const text = hasEvents
      ? `Talks in ${name}: ${site.hidden.map(({ title }) => title).join(', ')}. Everybody is welcome.`
      : `There are no events in ${name}. Members meet at the usual time and place; see the other months.`;
    const links = [...events, at(1), at(-1), at(12), at(-12), ...days];
    const body = renderPage(site, { title: `Events in ${name}`, paragraphs: [pitch(site), text], links });
    return htmlAnswer(hasEvents ? passage('calendar') : inside('calendar'), body);
  },
};

function monthAddress(variant: number, year: number, month: number): string {
  const mm = String(month).padStart(2, '0');
  return variant === 1 ? `/events?month=${year}-${mm}&view=list` : `/calendar/${year}/${mm}/`;
}

function readMonth(variant: number, url: URL): readonly [year: number, month: number, day: number] | undefined {
  const text = variant === 1 && url.pathname === '/events' ? url.searchParams.get('month') : url.pathname;
  const found = /^(?:\/calendar\/)?(\d{1,4})[-/](\d\d)\/?(?:(\d{1,2})\/)?$/.exec(text ?? '');
  if (found === null) return undefined;
  const month = Number(found[2]);
  return month >= 1 && month <= 12 ? [Number(found[1]), month, Number(found[3] ?? 0)] : undefined;
}

const FACETS: Readonly<Record<string, readonly string[]>> = {
  colour: ['amber', 'white', 'black', 'green', 'blue'],
  size: ['small', 'medium', 'large', 'huge'],
  material: ['cedar', 'pine', 'steel', 'plastic', 'straw'],
  price: ['low', 'middle', 'high'],
  sort: ['name', 'price', 'newest', 'rating'],
  page: ['2', '3', '4', '5', '6'],
};

/** A shop whose filters combine in every way and order; the shop itself and one filter lead to documents. */
const facets: Trap = {
  doors: ({ variant }) => [facetAddress(variant, [])],
  answer: (site, url) => {
    const chosen = readFacets(site.variant, url);
    if (chosen === undefined) return undefined;
    const products = shelf(site, chosen);
    const more = Object.entries(FACETS).flatMap(([name, values]) =>
      values
        .filter((value) => !chosen.some(([n, v]) => n === name && v === value))
        .map((value) => [...chosen.filter(([n]) => n !== name), [name, value] as const]),
    );
    const isPassage = chosen.length === 0 || (chosen.length === 1 && chosen[0]![1] === 'amber');
    const documents = chosen.length === 0 ? hiddenLinks(site, 0, 1) : isPassage ? hiddenLinks(site, 1) : [];
    const links = [...documents, ...more.map((choice) => facetAddress(site.variant, choice))];
    const what = chosen.map(([, value]) => value).join(', ') || 'everything';
    const body = renderPage(site, { title: `Shop: ${what}`, paragraphs: [pitch(site), ...products], links });
    return htmlAnswer(isPassage ? passage('facets') : inside('facets'), body);
  },
};

type Choice = readonly (readonly [name: string, value: string])[];

/** Twelve of the shop's forty products that match the filters. */
function shelf(site: ParkSite, chosen: Choice): string[] {
  const all = Array.from({ length: 40 }, (_, i) => {
    const random = chanceOf(site.seed, site.host, 'product', i);
    return `${inventName(random)} ${titleOf(TOPIC_SUBJECT, random)}: ${prose(TOPIC_SUBJECT, 12, random).join(' ')}`;
  });
  const key = chosen.map((choice) => choice.join('=')).sort();
  return sample(all, 12, chanceOf(site.seed, site.host, ...key));
}

function facetAddress(variant: number, chosen: Choice): string {
  if (variant === 1) return `/filter/${chosen.map(([name, value]) => `${name}-${value}/`).join('')}`;
  const query = chosen.map(([name, value]) => `${name}=${value}`).join('&');
  return query === '' ? '/shop' : `/shop?${query}`;
}

function readFacets(variant: number, url: URL): Choice | undefined {
  const known = ([name, value]: readonly [string, string]): boolean => FACETS[name]?.includes(value) ?? false;
  if (variant !== 1) {
    const chosen = [...url.searchParams];
    return url.pathname === '/shop' && chosen.every(known) ? chosen : undefined;
  }
  if (!url.pathname.startsWith('/filter/')) return undefined;
  const chosen = url.pathname
    .split('/')
    .slice(2, -1)
    .map((part) => part.split('-') as unknown as readonly [string, string]);
  return chosen.every(known) ? chosen : undefined;
}

/** A calendar or shop that asks not to be stored, so that its pages cannot be compared with each other. */
const noindex: Trap = {
  doors: (site) => shownOf(site).doors(site),
  answer: (site, url) => {
    const shown = shownOf(site).answer(site, url);
    if (shown === undefined) return undefined;
    const place = shown.place.kind === 'passage' ? passage('noindex') : inside('noindex');
    const body = shown.body.replace('</head>', '<meta name="robots" content="noindex, follow"></head>');
    return { ...shown, place, body };
  },
};

function shownOf({ variant }: ParkSite): Trap {
  return variant === 0 ? calendar : facets;
}

/** Every link contains a new session id, so that each document has endless addresses. */
function sessions(kind: 'session-path' | 'session-query'): Trap {
  return {
    doors: () => [],
    answer: (site, url) => {
      const asked = withoutSession(kind, site.variant, url);
      const page = asked === undefined ? undefined : site.pages.get(asked);
      if (asked === undefined || (page === undefined && asked !== '/')) return undefined;
      const address = `${url.pathname}${url.search}`;
      const withSession = (path: string, i: number): string =>
        path.startsWith('http') ? path : withSessionId(kind, site.variant, path, sessionId(site, address, i));
      const links = (page?.links ?? []).map(withSession);
      const doors = ['/', ...site.pages.keys()].slice(0, 6).map(withSession);
      const random = chanceOf(site.seed, page?.id ?? site.host);
      const paragraphs = prose(page?.subject ?? site.subject, page?.words ?? 80, random);
      const id = page?.id ?? `${site.host}/`;
      const body = renderPage(site, { title: page?.title ?? site.title, paragraphs, links, doors });
      return htmlAnswer({ kind: 'page', id, relevant: page?.relevant ?? false, trap: kind }, body);
    },
  };
}

function sessionId(site: ParkSite, address: string, i: number): string {
  const draw = (part: number): string => hash32(`${address}\n${i}\n${part}`, site.seed).toString(16).padStart(8, '0');
  if (site.variant === 0) return `${draw(0)}${draw(1)}`;
  return site.variant === 1
    ? BigInt(`0x${draw(0)}${draw(1)}`).toString(36)
    : String(hash32(`${address}\n${i}`, site.seed));
}

function withSessionId(kind: TrapKind, variant: number, path: string, id: string): string {
  if (kind === 'session-query')
    return `${path}${path.includes('?') ? '&' : '?'}${['zid', 'visit', 'token'][variant]}=${id}`;
  return variant === 0 ? `/s/${id}${path}` : variant === 1 ? `/visitor-${id}${path}` : `/${id}${path}`;
}

/** Returns the path without its session id; `undefined` if a required one is missing, except on the start page. */
function withoutSession(kind: TrapKind, variant: number, url: URL): string | undefined {
  if (url.pathname === '/' || kind === 'session-query') return url.pathname;
  const pattern = [/^\/s\/[0-9a-f]{16}(\/.*)$/, /^\/visitor-[0-9a-z]+(\/.*)$/, /^\/\d{4,}(\/.*)$/][variant]!;
  return pattern.exec(url.pathname)?.[1] ?? url.pathname;
}

/** Folders with endless relative links to subfolders; each has new text. */
const deeperLinks: Trap = {
  doors: () => ['/docs/'],
  answer: (site, url) => {
    const folders = url.pathname.split('/').slice(1, -1);
    if (folders[0] !== 'docs' || !url.pathname.endsWith('/')) return undefined;
    const isPassage = folders.length <= 2;
    const documents = folders.length === 1 ? hiddenLinks(site, 0, 1) : isPassage ? hiddenLinks(site, 1) : [];
    const below =
      site.variant === 0 ? ['guide/', 'notes/'] : site.variant === 1 ? ['en/', 'archive/', 'index/'] : ['more/'];
    const random = chanceOf(site.seed, url.pathname);
    const paragraphs = [pitch(site), ...prose(TOPIC_SUBJECT, 90, random)];
    const body = renderPage(site, {
      title: `Documents ${folders.slice(1).join(' ')}`,
      paragraphs,
      links: [...documents, ...below],
    });
    return htmlAnswer(isPassage ? passage('deeper-links') : inside('deeper-links'), body);
  },
};

/** Endless chains, cycles, and chains of three hops that lead to documents. */
const redirects: Trap = {
  doors: (site) => [
    ...site.hidden.map((_, i) => `/out/${i}/1`),
    ...Array.from({ length: 8 }, (_, i) => `/go/${hash32(`${site.host} ${i}`, site.seed).toString(36)}/1`),
    ...Array.from({ length: 4 }, (_, i) => `/round/${i}/a`),
  ],
  answer: (site, url) => {
    const [, where, name = '', hop = ''] = url.pathname.split('/');
    if (where === 'go') return redirectAnswer(inside('redirects'), `/go/${name}/${Number(hop) + 1}`);
    if (where === 'round') return redirectAnswer(inside('redirects'), `/round/${name}/${hop === 'a' ? 'b' : 'a'}`);
    const page = where === 'out' ? site.hidden[Number(name)] : undefined;
    if (page === undefined) return undefined;
    return redirectAnswer(passage('redirects'), hop === '3' ? page.path : `/out/${name}/${Number(hop) + 1}`);
  },
};

/** Missing pages return "not found" with status 200, and suggest other missing pages. */
const soft404: Trap = {
  doors: (site) => [...site.hidden.map(({ path }) => path), ...missing(site, 'door', 6)],
  answer: (site, url) => {
    if (url.pathname === '/' || site.pages.has(url.pathname)) return undefined;
    const random = chanceOf(site.seed, url.pathname);
    const sorry = `Sorry, the page ${url.pathname} was not found on this server. It may have moved, or never have been here.`;
    const popular = `Popular now: ${Array.from({ length: 4 }, () => titleOf(TOPIC_SUBJECT, random)).join('; ')}.`;
    const paragraphs = [
      sorry,
      'Try the search, or go back to the start page.',
      ...(site.variant === 0 ? [] : [popular]),
      ...(site.variant === 2 ? [pitch(site)] : []),
    ];
    const body = renderPage(site, { title: 'Page not found', paragraphs, links: missing(site, url.pathname, 12) });
    return htmlAnswer(inside('soft-404'), body);
  },
};

function missing(site: ParkSite, from: string, n: number): string[] {
  const random = chanceOf(site.seed, site.host, 'missing', from);
  return Array.from(
    { length: n },
    () => `/archive/${titleOf(TOPIC_SUBJECT, random).replaceAll(' ', '-')}-${Math.floor(random() * 1e5)}.html`,
  );
}

/** Endless copies of the site's documents, each with a few words replaced. */
const nearDuplicates: Trap = {
  doors: (site) => [...site.hidden.map(({ path }) => path), ...copies(site, 'door', 6)],
  answer: (site, url) => {
    const number = /^\/(?:reviews|copy)\/(\d+)$/.exec(url.pathname)?.[1];
    if (number === undefined) return undefined;
    const originals = [...site.pages.values()].filter(({ relevant }) => relevant);
    const original = originals[Number(number) % originals.length]!;
    const words = prose(original.subject, original.words, chanceOf(site.seed, original.id)).map((text) =>
      text.split(' '),
    );
    const random = chanceOf(site.seed, url.pathname);
    for (let i = 0; i < 3 + site.variant * 2; i++) {
      const paragraph = pick(words, random);
      paragraph[Math.floor(random() * paragraph.length)] = inventName(random);
    }
    const paragraphs = words.map((text) => text.join(' '));
    const body = renderPage(site, {
      title: `${original.title} ${number}`,
      paragraphs,
      links: copies(site, url.pathname, 20),
    });
    return htmlAnswer(inside('near-duplicates'), body);
  },
};

function copies(site: ParkSite, from: string, n: number): string[] {
  const random = chanceOf(site.seed, site.host, 'copies', from);
  return Array.from({ length: n }, () => `/${site.variant === 1 ? 'copy' : 'reviews'}/${Math.floor(random() * 1e6)}`);
}

/** Addresses in one folder that all show the same problem. */
function trouble(kind: TrapKind, folder: string, reply: (site: ParkSite, n: number) => Partial<ParkAnswer>): Trap {
  return {
    doors: (site) => [
      ...site.hidden.map(({ path }) => path),
      ...Array.from({ length: 12 }, (_, i) => `/${folder}/${i + 1}`),
    ],
    answer: (site, url) => {
      const number = new RegExp(`^/${folder}/(\\d+)$`).exec(url.pathname)?.[1];
      if (number === undefined) return undefined;
      const n = Number(number);
      const random = chanceOf(site.seed, url.pathname);
      const links = Array.from({ length: 8 }, () => `/${folder}/${Math.floor(random() * 1e6)}`);
      const body = renderPage(site, {
        title: titleOf(TOPIC_SUBJECT, random),
        paragraphs: prose(TOPIC_SUBJECT, 80, random),
        links,
      });
      return htmlAnswer(inside(kind), body, reply(site, n));
    },
  };
}

const HTML = 'text/html; charset=utf-8';
const WRONG: readonly Partial<ParkAnswer>[] = [
  { headers: { 'content-type': HTML, 'content-length': '1000000' }, manner: 'cut-short' },
  { headers: { 'content-type': 'image/png' } },
  { headers: { 'content-type': HTML, 'content-encoding': 'gzip' } },
  { headers: { 'content-type': HTML }, body: '\0\u0001\u0002\u0003'.repeat(400) },
  { headers: { 'content-type': 'application/pdf' } },
];

/** Thousands of hosts below one domain, each with a page on the topic that names more of them. */
const subdomains: Trap = {
  doors: (site) => [...site.hidden.map(({ path }) => path), ...farm(site, 'door', 6)],
  answer: (site, url) => {
    const domain = site.host.replace(/^www\./, '');
    if (!/^w\d+\./.test(url.hostname)) return undefined;
    const random = chanceOf(site.seed, url.hostname, url.pathname);
    const links = farm(site, url.hostname, 15);
    const title = `${titleOf(TOPIC_SUBJECT, random)} at ${domain}`;
    const body = renderPage(site, { title, paragraphs: prose(TOPIC_SUBJECT, 120, random), links, doors: [] });
    return htmlAnswer(inside('subdomains'), body);
  },
};

function farm(site: ParkSite, from: string, n: number): string[] {
  const random = chanceOf(site.seed, site.host, 'farm', from);
  const domain = site.host.replace(/^www\./, '');
  return Array.from({ length: n }, () => `http://w${Math.floor(random() * 5000)}.${domain}/`);
}

const plainDoors: Trap = { doors: (site) => hiddenLinks(site), answer: () => undefined };

export const TRAPS: { readonly [K in TrapKind]: Trap } = {
  calendar,
  facets,
  noindex,
  'session-path': sessions('session-path'),
  'session-query': sessions('session-query'),
  'deeper-links': deeperLinks,
  redirects,
  'soft-404': soft404,
  'near-duplicates': nearDuplicates,
  'slow-drip': trouble('slow-drip', 'feed', () => ({ manner: 'drip' })),
  'endless-body': trouble('endless-body', 'stream', () => ({ manner: 'endless' })),
  'wrong-headers': trouble('wrong-headers', 'file', (_, n) => WRONG[n % WRONG.length]!),
  'dying-host': plainDoors,
  subdomains,
  ...PLAUSIBLE,
  ...FARMS,
};
