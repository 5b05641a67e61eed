import { escapeHtml } from '../../analyze/index.ts';
import {
  FARM_KINDS,
  htmlAnswer,
  type ParkAnswer,
  type ParkPage,
  type ParkSite,
  PLAUSIBLE_KINDS,
  type Place,
  renderPage,
  TRAP_KINDS,
  type TrapKind,
} from './park-site.ts';
import { TRAPS } from './trap-answers.ts';
import { chanceOf, inventName, OTHER_SUBJECTS, pick, prose, sample, TOPIC_SUBJECT, titleOf } from './words.ts';

/** Sites with a trap: three of each kind. */
const SITES_PER_TRAP = 3;
/** Relevant documents of the park, without farms. */
export const RELEVANT_PAGES = 200;
/** Relevant documents on each site with a farm. */
const RELEVANT_PER_FARM = 5;
/** Honest sites of other subjects, and their documents: more than the budget allows to fetch. */
const PLAIN_SITES = 130;
const SECTIONS = 6;
const PAGES_PER_SECTION = 15;
/** Hosts with training pages only. */
const TRAINING_HOST = 'training.test';
const START_HOST = 'start.test';

export interface TrapParkOptions {
  /** If true, adds twelve sites with endless text on the topic; everything else is unchanged. Default: false. */
  readonly farms?: boolean;
  /**
   * If true, adds fifteen sites with traps whose pages have plausible titles; everything else is unchanged. Default:
   * false.
   */
  readonly plausible?: boolean;
}

/** A small web full of traps, always the same for a seed. Pages are generated on demand. */
export class TrapPark {
  /** Kinds of traps in the park. */
  readonly kinds: readonly TrapKind[];
  readonly #seed: number;
  readonly #sites = new Map<string, ParkSite>();
  /** Sites with hosts below a domain, by that domain. */
  readonly #domains = new Map<string, ParkSite>();

  constructor(seed = 1, { farms = false, plausible = false }: TrapParkOptions = {}) {
    this.#seed = seed;
    const more = [...(plausible ? PLAUSIBLE_KINDS : []), ...(farms ? FARM_KINDS : [])];
    this.kinds = [...TRAP_KINDS, ...more];
    const bearing = this.#bearingSites();
    const plain = this.#plainSites();
    this.#connect(bearing, plain);
    this.#addSites(more, bearing, plain);
    this.#addTraining();
  }

  /** Existing host names, without those of subdomain farms, which are endless. */
  get hosts(): readonly string[] {
    return [...this.#sites.keys()];
  }

  /** Start pages of crawls. */
  get seeds(): readonly string[] {
    return [`http://${START_HOST}/`];
  }

  /** Training pages on the topic; not among the 200. */
  get examples(): readonly string[] {
    return [1, 2, 3].map((n) => `http://${TRAINING_HOST}/topic/${n}.html`);
  }

  /** Training pages off the topic. */
  get others(): readonly string[] {
    return OTHER_SUBJECTS.flatMap((subject) => [1, 2].map((n) => `http://${TRAINING_HOST}/${subject}/${n}.html`));
  }

  /** Returns every relevant document, by the id of its `Place`. */
  relevantIds(): readonly string[] {
    return [...this.#sites.values()].flatMap((site) =>
      [...site.pages.values()].filter(({ relevant }) => relevant).map(({ id }) => id),
    );
  }

  /** Returns the trap on a document's site. */
  trapOf(id: string): TrapKind | undefined {
    return this.#siteOf(id.slice(0, id.indexOf('/')))?.trap;
  }

  /** Number of documents of all sites, without training pages. */
  get documents(): number {
    return [...this.#sites.values()].reduce((sum, { pages }) => sum + pages.size, 0) - 3 - OTHER_SUBJECTS.length * 2;
  }

  /** Returns true for names that resolve. */
  hasHost(host: string): boolean {
    return this.#siteOf(host) !== undefined;
  }

  /**
   * Returns the response to a request.
   * @param nth number of earlier requests to its host: some hosts are temporarily dead
   */
  answer(address: string, nth = 0): ParkAnswer {
    const url = URL.parse(address);
    const site = url === null ? undefined : this.#siteOf(url.hostname);
    if (url === null || site === undefined) return missing({ kind: 'outside' });
    if (isDead(site, nth)) return deadAnswer(site, nth);
    const trap = site.trap === undefined ? undefined : TRAPS[site.trap];
    return trap?.answer(site, url) ?? this.#document(site, url) ?? missing({ kind: 'missing' });
  }

  /** Returns the kind of an address, whatever the state of its host. */
  placeOf(address: string): Place {
    return this.answer(address).place;
  }

  #document(site: ParkSite, url: URL): ParkAnswer | undefined {
    const page = url.search === '' ? site.pages.get(url.pathname) : undefined;
    if (page === undefined) return undefined;
    const paragraphs = prose(page.subject, page.words, chanceOf(site.seed, page.id));
    const { id, relevant } = page;
    return htmlAnswer(
      { kind: 'page', id, relevant, trap: undefined },
      renderPage(site, { title: page.title, paragraphs, links: page.links }),
    );
  }

  #siteOf(host: string): ParkSite | undefined {
    return this.#sites.get(host) ?? this.#domains.get(host.replace(/^w\d{1,4}\./, ''));
  }

  #bearingSites(): readonly ParkSite[] {
    const sites: ParkSite[] = [];
    const kinds = TRAP_KINDS.flatMap((kind) =>
      Array.from({ length: SITES_PER_TRAP }, (_, variant) => ({ kind, variant })),
    );
    const share = Math.floor(RELEVANT_PAGES / kinds.length);
    kinds.forEach(({ kind, variant }, i) => {
      const relevant = share + (i < RELEVANT_PAGES - share * kinds.length ? 1 : 0);
      sites.push(this.#bearingSite(kind, variant, relevant));
    });
    return sites;
  }

  #bearingSite(kind: TrapKind, variant: number, relevant: number): ParkSite {
    const random = chanceOf(this.#seed, 'site', kind, variant);
    const domain = `${inventName(random)}${inventName(random)}`.toLowerCase();
    const host = kind === 'subdomains' ? `www.${domain}.test` : `${domain}.test`;
    const site = this.#newSite(host, TOPIC_SUBJECT, { trap: kind, variant });
    if (kind === 'subdomains') this.#domains.set(`${domain}.test`, site);
    const pages = Array.from({ length: relevant }, (_, i) =>
      this.#addPage(site, { name: `a${i + 1}`, subject: TOPIC_SUBJECT, relevant: true }),
    );
    const others = Array.from({ length: 6 }, (_, i) =>
      this.#addPage(site, { name: `b${i + 1}`, subject: pick(OTHER_SUBJECTS, random), relevant: false }),
    );
    const isOneWeb = kind === 'session-path' || kind === 'session-query';
    const [hidden, open] = isOneWeb ? [[], pages] : [pages.slice(-2), pages.slice(0, -2)];
    site.hidden.push(...hidden);
    const index = this.#addPage(site, { name: '', subject: pick(OTHER_SUBJECTS, random), relevant: false });
    index.links.push(...[...open.slice(0, 2), ...others.slice(0, 3)].map(({ path }) => path));
    const rest = [...open, ...others];
    for (const [i, page] of rest.entries())
      page.links.push(rest[(i + 1) % rest.length]!.path, rest[(i + 2) % rest.length]!.path);
    site.doors.push(...TRAPS[kind].doors(site));
    if (kind === 'dying-host' && variant === 2) this.#addDeadHost(site);
    return site;
  }

  /** Adds a host that never responds, with pages to which its neighbour links. */
  #addDeadHost(site: ParkSite): void {
    const dead = this.#newSite(`dead-${site.host}`, TOPIC_SUBJECT, { trap: 'dying-host', variant: 3 });
    for (let i = 0; i < 10; i++) site.doors.push(`http://${dead.host}/${i}.html`);
  }

  #plainSites(): readonly ParkSite[] {
    return Array.from({ length: PLAIN_SITES }, (_, n) => {
      const subject = OTHER_SUBJECTS[n % OTHER_SUBJECTS.length]!;
      const random = chanceOf(this.#seed, 'plain', n);
      const site = this.#newSite(`${subject}-${inventName(random).toLowerCase()}${n}.test`, subject, {});
      const index = this.#addPage(site, { name: '', subject, relevant: false });
      for (let s = 1; s <= SECTIONS; s++) {
        const section = this.#addPage(site, { name: `section-${s}`, subject, relevant: false });
        index.links.push(section.path);
        const pages = Array.from({ length: PAGES_PER_SECTION }, (_, i) =>
          this.#addPage(site, { name: `${s}/${i + 1}`, subject, relevant: false }),
        );
        section.links.push(...pages.map(({ path }) => path));
        for (const [i, page] of pages.entries()) page.links.push(pages[(i + 1) % pages.length]!.path);
      }
      return site;
    });
  }

  /** Links sites: several honest pages of other sites link to every site with a trap. */
  #connect(bearing: readonly ParkSite[], plain: readonly ParkSite[]): void {
    const random = chanceOf(this.#seed, 'links');
    const home = ({ host }: ParkSite): string => `http://${host}/`;
    const start = this.#addPage(this.#newSite(START_HOST, TOPIC_SUBJECT, {}), {
      name: '',
      subject: TOPIC_SUBJECT,
      relevant: false,
    });
    start.links.push(...sample(bearing, 8, random).map(home), ...sample(plain, 8, random).map(home));
    for (const site of bearing) {
      for (const page of site.pages.values()) page.links.push(home(pick(page.relevant ? bearing : plain, random)));
    }
    const honest = plain.flatMap((site) => [...site.pages.values()]);
    for (const page of honest) if (random() < 0.4) page.links.push(home(pick(plain, random)));
    for (const site of bearing) for (const page of sample(honest, 3, random)) page.links.push(home(site));
  }

  /** Adds sites with as many links from honest pages as the other sites with traps, and two from relevant pages. */
  #addSites(kinds: readonly TrapKind[], bearing: readonly ParkSite[], plain: readonly ParkSite[]): void {
    const farms = kinds.flatMap((kind) =>
      Array.from({ length: SITES_PER_TRAP }, (_, variant) => this.#bearingSite(kind, variant, RELEVANT_PER_FARM)),
    );
    const random = chanceOf(this.#seed, 'farm links');
    const pagesOf = (sites: readonly ParkSite[]): ParkPage[] => sites.flatMap(({ pages }) => [...pages.values()]);
    const relevant = pagesOf(bearing).filter((page) => page.relevant);
    for (const site of farms) {
      const named = [...sample(pagesOf(plain), 3, random), ...sample(relevant, 2, random)];
      for (const page of named) page.links.push(`http://${site.host}/`);
      for (const page of site.pages.values()) page.links.push(`http://${pick(plain, random).host}/`);
    }
  }

  #addTraining(): void {
    const site = this.#newSite(TRAINING_HOST, TOPIC_SUBJECT, {});
    for (const n of [1, 2, 3])
      this.#addPage(site, { name: `topic/${n}`, subject: TOPIC_SUBJECT, relevant: false, path: `/topic/${n}.html` });
    for (const subject of OTHER_SUBJECTS)
      for (const n of [1, 2])
        this.#addPage(site, { name: `${subject}/${n}`, subject, relevant: false, path: `/${subject}/${n}.html` });
  }

  #newSite(host: string, subject: string, of: { readonly trap?: TrapKind; readonly variant?: number }): ParkSite {
    const title = `${inventName(chanceOf(this.#seed, host, 'name'))} ${subject}`;
    const site: ParkSite = {
      ...{ host, subject, title, trap: of.trap, variant: of.variant ?? 0 },
      ...{ seed: this.#seed, pages: new Map(), doors: [], hidden: [] },
    };
    this.#sites.set(host, site);
    return site;
  }

  #addPage(site: ParkSite, of: NewPage): ParkPage {
    const random = chanceOf(this.#seed, site.host, of.name);
    const title = of.name === '' ? site.title : titleOf(of.subject, random);
    const path = of.path ?? (of.name === '' ? '/' : `/${of.name}-${title.replaceAll(' ', '-')}.html`);
    const words = 120 + Math.floor(random() * 200);
    const page: ParkPage = {
      id: `${site.host}${path}`,
      path,
      subject: of.subject,
      relevant: of.relevant,
      title,
      words,
      links: [],
    };
    site.pages.set(path, page);
    return page;
  }
}

interface NewPage {
  /** `''` for the start page of a site. */
  readonly name: string;
  readonly subject: string;
  readonly relevant: boolean;
  readonly path?: string;
}

function missing(place: Place): ParkAnswer {
  const body = `<!doctype html><title>Not found</title><p>${escapeHtml('There is no such page.')}`;
  return htmlAnswer(place, body, { status: 404 });
}

/** Returns true for requests, counted from 0, at which a dying host fails. */
function isDead({ trap, variant }: ParkSite, nth: number): boolean {
  if (trap !== 'dying-host') return false;
  if (variant === 3) return true;
  return nth >= 4 && nth < 4 + [1, 2, 5][variant]!;
}

function deadAnswer({ variant }: ParkSite, nth: number): ParkAnswer {
  const place: Place = { kind: 'trap', trap: 'dying-host' };
  const manner = variant === 0 || (variant === 2 && nth % 2 === 0) ? 'plain' : 'reset';
  return htmlAnswer(place, '<!doctype html><title>Trouble</title><p>Please come back later.', { status: 503, manner });
}
