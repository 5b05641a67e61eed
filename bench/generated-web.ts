import { hash32, seededRandom } from '../src/kit/index.ts';
import { coin, Prose } from './vocabulary.ts';
import type { CrawlStart, Web } from './web.ts';

export interface GeneratedWebOptions {
  readonly port: number;
  readonly pages: number;
  readonly hosts: number;
  readonly topics: number;
  readonly seed: number;
  /** Of each page. Default: 30 */
  readonly links?: number;
  /** The end of all names of hosts. Default: `test`, so each host is a site of its own. */
  readonly domain?: string;
}

/** Passages kept of each topic; a page joins about fifty, so two pages of a topic share a few of them. */
const PASSAGES = 600;
const PASSAGE_CHARS = 300;
const LINKS = 30;
/** Links that stand between passages; those beyond stand in a list. */
const TEXT_LINKS = 30;
const SAME_TOPIC = 0.7;
const ANCHORS = 300;
const RARE_WORDS = 8;
const EXAMPLES = 3;
const OTHERS = 50;

/**
 * A web of any size that takes no memory a page: a page is a function of its number. About 25 KB and 30 links each unless more are asked for,
 * seven of ten to pages of the same topic; words follow Zipf's law, every page has some of its own.
 * Page `n` lies at `http://h<host>.test:<port>/p/<n>`; its topic is `n` modulo the number of topics.
 */
export class GeneratedWeb implements Web {
  readonly start: CrawlStart;
  readonly #options: GeneratedWebOptions;
  readonly #passages: readonly (readonly string[])[];
  readonly #anchors: readonly (readonly string[])[];

  constructor(options: GeneratedWebOptions) {
    this.#options = options;
    const prose = new Prose(options.topics, seededRandom(options.seed));
    // The last set of each is about nothing in particular.
    const subjects = [...Array(options.topics).keys(), -1];
    this.#passages = subjects.map((topic) => fill(PASSAGES, () => prose.passage(topic, PASSAGE_CHARS)));
    this.#anchors = subjects.map((topic) => fill(ANCHORS, () => prose.phrase(topic, 3)));
    this.start = this.#start();
  }

  page(host: string, path: string): Buffer | undefined {
    const n = /^\/p\/\d{1,9}$/.test(path) ? Number(path.slice(3)) : Number.NaN;
    if (!(n < this.#options.pages) || host !== this.#hostOf(n)) return undefined;
    return Buffer.from(this.#html(n), 'latin1');
  }

  #html(n: number): string {
    const { topics, pages, links = LINKS } = this.#options;
    const random = seededRandom(hash32(String(n), this.#options.seed));
    const topic = n % topics;
    const draw = (from: readonly (readonly string[])[], own: boolean): string => {
      const items = from[own ? topic : topics]!;
      return items[Math.floor(random() * items.length)]!;
    };
    const own = (): boolean => random() < SAME_TOPIC;
    const rare = fill(RARE_WORDS, () => coin(random)).join(' ');
    const title = `${draw(this.#anchors, true)} ${rare.slice(0, rare.indexOf(' '))} ${n}`;
    let html = `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n<p>${rare}.</p>\n`;
    for (let i = 0; i < links; i++) {
      const isOwn = own();
      const any = Math.floor(random() * pages);
      const target = isOwn ? Math.min(any - (any % topics) + topic, pages - 1) : any;
      const anchor = this.#anchors[target % topics]![Math.floor(random() * ANCHORS)]!;
      const link = `<a href="${this.urlOf(target)}">${anchor}</a>`;
      if (i < TEXT_LINKS) html += `<p>${draw(this.#passages, own())} ${link} ${draw(this.#passages, own())}</p>\n`;
      else html += `<li>${link}</li>\n`;
    }
    return `${html}</body></html>\n`;
  }

  #start(): CrawlStart {
    const { topics, pages } = this.#options;
    const named = [...Array(topics).keys()].map((topic) => ({
      name: `topic ${topic + 1}`,
      examples: fill(EXAMPLES, (i) => this.urlOf(topic + i * topics)),
    }));
    // The last subject belongs to no topic: its pages stand for the rest of the web.
    const others = fill(OTHERS, (i) => this.urlOf(topics - 1 + (i + EXAMPLES) * topics));
    const good = named.slice(0, -1);
    return { name: `generated, ${pages} pages`, seeds: good.flatMap((t) => t.examples), topics: good, others };
  }

  #hostOf(n: number): string {
    const { seed, hosts, domain = 'test' } = this.#options;
    return `h${hash32(`host ${n}`, seed) % hosts}.${domain}`;
  }

  /** Address of page `n`. */
  urlOf(n: number): string {
    return `http://${this.#hostOf(n)}:${this.#options.port}/p/${n}`;
  }
}

function fill<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
