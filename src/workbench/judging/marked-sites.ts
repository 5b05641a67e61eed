import {
  isOnSite,
  isSiteUse,
  type Judgement,
  type SiteUse,
  siteMark,
  siteOfKey,
  UsageError,
} from '../../core/index.ts';
import { hostNamed } from '../../crawl/index.ts';
import { type SiteMarks, siteMarks, type TaughtPage, type TrainingDesk } from '../../engine/index.ts';
import { counted } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';
import { sanitizeForTerminal } from '../words/terminal.ts';

/** Returns the mark of a site that the user named by a host, or by any URL on it. */
export function siteJudgement(text: string, use: SiteUse | 'free'): Judgement {
  const host = hostNamed(URL.parse(text)?.host || text);
  if (host === undefined)
    throw new UsageError(
      `"${sanitizeForTerminal(text)}" is not the name of a host.`,
      'Name a site by its host, such as example.org; the hosts below it belong to it.',
    );
  return siteMark(host, use);
}

/** Returns the marks by host, in the order in which they were made, as recorded in the journal. */
export async function markedSites(
  store: Pick<Store, 'steers'>,
): Promise<{ readonly marks: SiteMarks; readonly sites: ReadonlyMap<string, SiteUse> }> {
  const judgements = new Map<string, Judgement>();
  for (const command of await store.steers())
    if (command.kind === 'judge-page') judgements.set(command.judgement.key, command.judgement);
  const sites = [...judgements.values()].flatMap(({ key, use }) => {
    const site = siteOfKey(key);
    return site !== undefined && isSiteUse(use) ? [[site, use] as const] : [];
  });
  return { marks: siteMarks(judgements), sites: new Map(sites) };
}

/** Describes the effect of site marks, in lines. */
export async function siteLines(
  store: Pick<Store, 'exportPages'>,
  desk: TrainingDesk,
  judgements: readonly Judgement[],
): Promise<string[]> {
  const lines: string[] = [];
  for (const judgement of judgements) {
    const { key, use } = judgement;
    const site = siteOfKey(key);
    if (site === undefined) continue;
    if (use === 'good-site')
      lines.push(`${site}: preferred, with the hosts below it; moves ${waitingLinks(desk, site)} to the front.`);
    if (use === 'free') lines.push(`${site}: mark removed; resets the priority of ${waitingLinks(desk, site)}.`);
    if (use !== 'bad-site') continue;
    const own = ownExamples(desk, judgements, key);
    const named = [...own, ...judgements.filter((one) => one.use === 'example')];
    const pages = await acceptedOn(store, site, new Set(named.map(({ sequence }) => sequence)));
    const left = counted(pages, 'page');
    lines.push(`${site}: blocked; removes ${left} from topics, sets aside ${waitingLinks(desk, site)}.`);
    if (own.length > 0) lines.push(`  Keeps your ${counted(own.length, 'example')} on it; remove with --drop PAGE.`);
  }
  return lines;
}

/** Returns marked sites of which the store has no page and no URL: probably a typing mistake. */
export async function unknownSites(
  store: Pick<Store, 'exportPages' | 'countUnfetched'>,
  judgements: readonly Judgement[],
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const { key, use } of judgements) {
    const site = siteOfKey(key);
    if (site === undefined || !isSiteUse(use)) continue;
    if (!(await hasPages(store, site)) && (await store.countUnfetched(site)) === 0) unknown.push(site);
  }
  return unknown;
}

async function hasPages(store: Pick<Store, 'exportPages'>, site: string): Promise<boolean> {
  for await (const _ of store.exportPages({ sites: [site] })) return true;
  return false;
}

/** Names the waiting links of a site, with their number if it is known. */
function waitingLinks(desk: TrainingDesk, site: string): string {
  const links = desk.waitingFor((host) => isOnSite(host, site));
  return links === undefined ? 'its waiting links' : counted(links, 'waiting link');
}

/** Returns the user's examples that are on a site. */
function ownExamples(desk: TrainingDesk, judgements: readonly Judgement[], site: string): readonly TaughtPage[] {
  const marks = siteMarks(new Map(judgements.filter(({ key }) => key === site).map((each) => [each.key, each])));
  return desk.training().filter(({ key, origin }) => (origin === 'user' || origin === 'feedback') && marks.isBad(key));
}

/** Returns accepted pages on a site, without the user's examples. */
async function acceptedOn(
  store: Pick<Store, 'exportPages'>,
  site: string,
  examples: ReadonlySet<number>,
): Promise<number> {
  let pages = 0;
  for await (const { sequence } of store.exportPages({ sites: [site], relevant: true }))
    if (!examples.has(sequence)) pages++;
  return pages;
}
