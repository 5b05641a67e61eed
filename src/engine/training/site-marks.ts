import {
  type CanonicalUrl,
  hostOf,
  isSiteUse,
  type Judgement,
  type SiteUse,
  siteOfKey,
  sitesOf,
} from '../../core/index.ts';

/** What people decided on single pages and on sites, by training key. */
export type Judgements = ReadonlyMap<string, Judgement>;

/** What people said of whole sites. */
export interface SiteMarks {
  /** Some site is marked. */
  readonly areThere: boolean;
  /** Of a host, by its own name or the nearest one above it that was marked. */
  markOf(host: string): SiteUse | undefined;
  /** The page of an address or a training page's name is on a site that was marked bad. */
  isBad(key: string): boolean;
}

const NO_MARKS: SiteMarks = { areThere: false, markOf: () => undefined, isBad: () => false };

const known = new WeakMap<Judgements, SiteMarks>();

/** The marks of sites among people's decisions, which are replaced when they change. */
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
