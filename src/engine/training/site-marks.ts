import {
  type CanonicalUrl,
  hostOf,
  isSiteUse,
  type Judgement,
  type SiteUse,
  siteOfKey,
  sitesOf,
} from '../../core/index.ts';

/** The user's decisions on single pages and on sites, by training key. */
export type Judgements = ReadonlyMap<string, Judgement>;

/** The user's marks of whole sites. */
export interface SiteMarks {
  /** True if any site is marked. */
  readonly areThere: boolean;
  /** Returns the mark of a host, or of its nearest marked parent domain. */
  markOf(host: string): SiteUse | undefined;
  /** True if the page of a URL or training key is on a site marked bad. */
  isBad(key: string): boolean;
}

const NO_MARKS: SiteMarks = { areThere: false, markOf: () => undefined, isBad: () => false };

const known = new WeakMap<Judgements, SiteMarks>();

/** Returns the site marks among the user's decisions. `judgements` is replaced, not modified, if they change. */
export function siteMarks(judgements: Judgements): SiteMarks {
  let marks = known.get(judgements);
  if (marks === undefined) {
    marks = marksOf(judgements);
    known.set(judgements, marks);
  }
  return marks;
}

function marksOf(judgements: Judgements): SiteMarks {
  const uses = new Map<string, SiteUse>();
  for (const { key, use } of judgements.values()) {
    const site = siteOfKey(key);
    if (site !== undefined && isSiteUse(use)) uses.set(site, use);
  }
  if (uses.size === 0) return NO_MARKS;
  const markOf = (host: string): SiteUse | undefined => {
    for (const site of sitesOf(host)) {
      const use = uses.get(site);
      if (use !== undefined) return use;
    }
    return undefined;
  };
  const isBad = (key: string): boolean =>
    /^https?:\/\//.test(key) && markOf(hostOf(key as CanonicalUrl)) === 'bad-site';
  return { areThere: true, markOf, isBad };
}
