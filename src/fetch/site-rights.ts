import { type CanonicalUrl, canonicalize, type FetchedPage, productToken } from '../core/index.ts';
import { LruMap, matchesPattern } from '../kit/index.ts';
import type { Resource } from './browser/page-requests.ts';
import { judgeByGroup, parseRobotsTxt, type RobotsGroup, robotsGroup } from './robots-txt.ts';

/** What a site reserves. */
interface Reserved {
  /** Patterns of paths whose rights to text and data mining are reserved (tdmrep.json). */
  readonly mining: readonly string[];
  /** Rules of ai.txt; a path that they forbid is reserved against training. */
  readonly training: RobotsGroup | undefined;
}

/** Sites whose files are kept. */
const MAX_SITES = 2_000;
/** Time for both files: a page waits for them. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;
const MAX_RULES = 1_000;
const NOTHING: Reserved = { mining: [], training: undefined };

/**
 * Knows which rights whole sites reserve, by `/.well-known/tdmrep.json` (W3C TDMRep) and `/ai.txt` (rules as in robots.txt). Each
 * file is requested once per origin, under the rules for pages.
 */
export class SiteRights {
  readonly #product: string;
  readonly #read: (url: CanonicalUrl, signal: AbortSignal) => Promise<Resource | undefined>;
  readonly #sites = new LruMap<string, Promise<Reserved>>(MAX_SITES);

  /** @param read requests a file; `undefined` if it is refused or fails */
  constructor(userAgent: string, read: (url: CanonicalUrl, signal: AbortSignal) => Promise<Resource | undefined>) {
    this.#product = productToken(userAgent);
    this.#read = read;
  }

  /** Returns the page with the reservations of its site among its header fields. */
  async applied(page: FetchedPage): Promise<FetchedPage> {
    const { origin, pathname, search } = new URL(page.url);
    let known = this.#sites.get(origin);
    if (known === undefined) {
      known = this.#lookUp(origin);
      this.#sites.set(origin, known);
    }
    const { mining, training } = await known;
    const path = pathname + search;
    const isMined = mining.some((pattern) => matchesPattern(pattern, path));
    const isTrained = training !== undefined && !judgeByGroup(training, path).allowed;
    if (!isMined && !isTrained) return page;
    const { headers } = page;
    const words = [headers.xRobotsTag, isTrained ? 'noai' : ''].filter((text) => text !== '');
    // A field of the response itself is closer to the page.
    const tdmReservation = headers.tdmReservation ?? (isMined ? '1' : undefined);
    const stated = tdmReservation === undefined ? {} : { tdmReservation };
    return { ...page, headers: { ...headers, ...stated, xRobotsTag: words.join('\n') } };
  }

  async #lookUp(origin: string): Promise<Reserved> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const text = async (path: string): Promise<string> => {
      const url = canonicalize(origin + path);
      const file = url === undefined ? undefined : await this.#read(url, signal);
      if (file === undefined || file.status !== 200 || file.body.length > MAX_BYTES) return '';
      return file.body.toString('utf8');
    };
    const mining = reservedPaths(await text('/.well-known/tdmrep.json'));
    const rules = await text('/ai.txt');
    // Many sites answer with a page for people.
    if (mining.length === 0 && (rules === '' || rules.trimStart().startsWith('<'))) return NOTHING;
    return {
      mining,
      training: rules === '' ? undefined : robotsGroup(parseRobotsTxt(Buffer.from(rules)), this.#product),
    };
  }
}

/**
 * Returns the patterns of paths that a `tdmrep.json` reserves; empty if it is not valid. A page that matches several rules is
 * reserved if one of them says so.
 */
export function reservedPaths(text: string): readonly string[] {
  if (text === '') return [];
  try {
    const rules: unknown = JSON.parse(text);
    if (!Array.isArray(rules)) return [];
    return rules.slice(0, MAX_RULES).flatMap((rule: unknown) => {
      const { location, 'tdm-reservation': reservation } = (rule ?? {}) as Readonly<Record<string, unknown>>;
      const isReserved = reservation === 1 || reservation === '1';
      return typeof location === 'string' && location.startsWith('/') && isReserved ? [location] : [];
    });
  } catch {
    return [];
  }
}
