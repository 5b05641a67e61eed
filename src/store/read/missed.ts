import { type Kysely, sql } from 'kysely';
import { type CanonicalUrl, hostOf, registeredDomain, type Via } from '../../core/index.ts';
import type { Tables } from '../schema.ts';

type Db = Kysely<Tables>;

/** Why pages of a site were probably missed. `unrendered`: stored, but with next to no text of their own. */
export const MISSED_KINDS = ['unfetched', 'refused', 'unreachable', 'unrendered'] as const;
export type MissedKind = (typeof MISSED_KINDS)[number];

/** Pages of one site that relevant pages link to and that the crawl does not have. */
export interface MissedPages {
  readonly kind: MissedKind;
  readonly site: string;
  /** Reason code of the fetches; `''` if nothing was fetched. */
  readonly reason: string;
  readonly addresses: number;
  /** Relevant pages that link to the example: the most for any of the addresses. */
  readonly linking: number;
  /** The address with the most links from relevant pages. */
  readonly example: string;
}

/** Addresses that are examined per kind, those with the most links first. */
const MAX_ADDRESSES = 5_000;
/** A page with fewer words than this has no text of its own. Our choice. */
const FEW_TOKENS = 20;

interface Target {
  readonly url: string;
  readonly reason: string;
  readonly linking: number | string;
}

/** Returns what relevant pages link to and the crawl does not have, by kind, site and reason; most links first. */
export async function readMissed(db: Db, limit: number): Promise<readonly MissedPages[]> {
  const found: MissedPages[] = [];
  for (const kind of MISSED_KINDS) found.push(...bySite(kind, await targetsOf(db, kind)));
  return found.sort((a, b) => b.linking - a.linking || compare(a, b)).slice(0, limit);
}

function compare(a: MissedPages, b: MissedPages): number {
  return b.addresses - a.addresses || (a.example < b.example ? -1 : 1);
}

async function targetsOf(db: Db, kind: MissedKind): Promise<readonly Target[]> {
  if (kind === 'unrendered') return await emptyPages(db);
  const links = relevantLinks(db).where('link.target', 'not in', db.selectFrom('alias').select('url_id'));
  if (kind === 'unfetched')
    return await links
      .where('link.target', 'not in', db.selectFrom('visit').select('url_id'))
      .select(sql<string>`''`.as('reason'))
      .execute();
  const results = kind === 'refused' ? ['refused'] : ['failed'];
  const visits = db.selectFrom('visit').select(['url_id', sql<string>`min(reason)`.as('reason')]);
  const last = visits.where('result', 'in', results).where('retried', '=', 0).groupBy('url_id').as('last');
  return await links
    .innerJoin(last, 'last.url_id', 'link.target')
    .select('last.reason')
    .groupBy(['last.reason'])
    .execute();
}

/** Pages without text, although relevant pages link to them. */
async function emptyPages(db: Db): Promise<readonly Target[]> {
  return await relevantLinks(db)
    .innerJoin('alias', 'alias.url_id', 'link.target')
    .innerJoin('page as empty', 'empty.sequence', 'alias.page')
    .where('empty.tokens', '<', FEW_TOKENS)
    .where('empty.content_type', 'like', '%html%')
    .where('empty.replaced_by', 'is', null)
    .where('empty.via', '<>', 'sitemap' satisfies Via)
    .select(sql<string>`''`.as('reason'))
    .execute();
}

/** Targets of links from relevant pages, most links first. */
function relevantLinks(db: Db) {
  return db
    .selectFrom('link')
    .innerJoin('page as source', 'source.sequence', 'link.page')
    .innerJoin('url', 'url.id', 'link.target')
    .where('source.others', '=', 0)
    .where('source.role', '<>', 'others')
    .where('source.replaced_by', 'is', null)
    .select(['url.url', sql<number>`count(distinct link.page)`.as('linking')])
    .groupBy(['link.target', 'url.url'])
    .orderBy('linking', 'desc')
    .orderBy('url.url')
    .limit(MAX_ADDRESSES);
}

function bySite(kind: MissedKind, targets: readonly Target[]): MissedPages[] {
  const places = new Map<string, MissedPages>();
  for (const { url, reason, linking } of targets) {
    const site = registeredDomain(hostOf(url as CanonicalUrl));
    const key = `${site} ${reason}`;
    const before = places.get(key);
    const most = before ?? { kind, site, reason, addresses: 0, linking: Number(linking), example: url };
    places.set(key, { ...most, addresses: most.addresses + 1 });
  }
  return [...places.values()];
}
