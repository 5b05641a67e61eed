import { type RecheckCounts, recallText, renderedText, waitingLinks } from '../../core/index.ts';
import type { CrawlSummary, StaleExample, UnusedTrainingPage } from '../../engine/index.ts';
import { count, counted, percent } from '../../kit/index.ts';
import type { StoreStatus } from '../../store/index.ts';
import { figure, quoted, sanitizeForTerminal, showAddress, showHost, table } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { elapsed } from './crawl-view.ts';
import { leftOutLines } from './excluded-links-lines.ts';
import { failureLines } from './failure-lines.ts';

/** The next commands for the user. */
export interface Continuation {
  /** The command line that resumes this crawl. */
  readonly again: string;
  readonly dir: string;
}

/** Returns the last line of `--json`. */
export function summaryRow(summary: CrawlSummary, found: StoreStatus): object {
  const { status, reason, fetchedNow } = summary;
  const { fetched, budget, failed, refused, duplicates, elapsedMs, pagesPerSecond } = status;
  const topics = found.topics.map(({ topic, accepted, others, meanConfidence }) => ({
    topic,
    accepted,
    others,
    meanConfidence,
  }));
  const { relevant, harvestRate, visits } = found;
  if (!summary.isResumed)
    return {
      kind: 'summary',
      reason,
      isResumed: false,
      fetchedNow,
      fetched: found.fetched,
      relevant,
      harvestRate,
      topics,
    };
  const counts = {
    pages: fetched,
    ...(summary.recheck && { recheck: summary.recheck, staleExamples: summary.staleExamples ?? [] }),
    budget,
    fetchedNow,
    seeds: found.seeds,
    fetched: found.fetched,
    relevant,
    harvestRate,
    failed,
    refused,
    duplicates,
    spent: summary.spent,
    waiting: waitingLinks(status),
    ...(status.order && { order: status.order }),
    hostsLeftAlone: status.hosts.bad,
    leftOut: status.leftOut ?? [],
    recall: status.recall ?? null,
    ...(status.rendered && { rendered: status.rendered }),
    unusedTraining: summary.unusedTraining,
  };
  return { kind: 'summary', reason, ...counts, elapsedMs: Math.round(elapsedMs), pagesPerSecond, topics, visits };
}

/** Why a crawl ended, as the beginning of a sentence. */
export const REASONS: { readonly [R in CrawlSummary['reason']]: string } = {
  budget: 'The budget is spent',
  time: 'The time is up',
  'frontier-dry': 'No links are left to follow',
  rechecked: 'Stored pages were rechecked',
  learned: 'The learning phase is over',
  stagnation: 'No new relevant pages',
  recall: 'Enough was found, by the estimate (crawl.stopAtRecall)',
  stopped: 'Stopped; pages and frontier are saved',
};

/** Message for a run that was stopped before it resumed. */
export const NOT_RESUMED = 'Stopped while reading the store; nothing was changed.';
const HELD_UP = 'No link can be followed now';
const SHOWN_HOSTS = 3;
/** Maximum number of topics listed, largest first, so that the lines above the table stay on screen. */
const SHOWN_TOPICS = 15;

/** Summarises a crawl for the user. */
export function summaryText(summary: CrawlSummary, found: StoreStatus, options: Continuation, io: Io): string {
  const { status, fetchedNow } = summary;
  if (!summary.isResumed) return `${['', NOT_RESUMED, '', ...nextSteps(summary, found, options)].join('\n')}\n`;
  const lines = [
    '',
    `${isHeldUp(summary) ? HELD_UP : reasonOf(summary)}. ${counted(fetchedNow, 'page')} in ${elapsed(status.elapsedMs)}, ${count(status.fetched)} in all${besideSeeds(found)}.`,
    `Relevant: ${count(found.relevant)}${leftSince(found)}, harvest rate ${percent(found.harvestRate)}.`,
    ...otherRateLines(status, found),
    ...recallLines(summary, options.dir),
    ...barrenLines(summary),
    ...(summary.recheck === undefined || summary.recheck.total === 0 ? [] : [recheckLine(summary.recheck)]),
    ...unusedLines(summary.unusedTraining, options.dir),
    ...staleLines(summary.staleExamples ?? [], options.dir),
    ...spentLines(summary.spent),
    ...leftAloneLines(summary),
    ...leftOutLines(summary.status.leftOut),
    ...(status.rendered === undefined ? [] : [`Shown in a browser: ${renderedText(status.rendered)}.`]),
    ...topicTable(found, { width: io.screen().columns, dir: options.dir }),
    ...failureLines(found),
    '',
    ...nextSteps(summary, found, options),
  ];
  return `${lines.join('\n')}\n`;
}

/** Notes seeds: they are in the store and in the harvest rate, but count against no budget. */
function besideSeeds({ seeds }: StoreStatus): string {
  return seeds > 0 ? ` beside ${counted(seeds, 'seed')}` : '';
}

/** Number of relevant pages that have left their topics, for any reason. */
export function leftPages({ left }: StoreStatus): number {
  return Object.values(left).reduce((sum, n) => sum + n, 0);
}

/** Notes pages that were relevant when fetched but are in no topic any more. */
function leftSince(found: StoreStatus): string {
  const all = leftPages(found);
  return all === 0 ? '' : `, ${count(all)} of which left since`;
}

function reasonOf({ reason, recheck }: CrawlSummary): string {
  return reason === 'rechecked' && recheck?.total === 0 ? 'No stored page was due' : REASONS[reason];
}

/** This many pages without a relevant one, and this share of all pages, make a crawl barren. */
const BARREN_PAGES = 200;
const BARREN_SHARE = 0.1;

/** Says that more pages are unlikely to help: a small topic is found long before a large budget is used up. */
export function barrenLines({ status, reason }: Pick<CrawlSummary, 'status' | 'reason'>): string[] {
  const { sinceRelevant = 0, fetched } = status;
  const isUsedUp = reason === 'budget' || reason === 'time';
  if (reason === 'stagnation')
    return ['Of the last pages less than 1 % were relevant: what can be reached from here has probably been found.'];
  if (!isUsedUp || sinceRelevant < Math.max(BARREN_PAGES, BARREN_SHARE * fetched)) return [];
  return [
    `The last ${counted(sinceRelevant, 'page')} gave nothing relevant: what can be reached from here has probably been found.`,
  ];
}

/** Reports how much was found, by the crawl's own estimate. */
function recallLines({ status: { recall } }: CrawlSummary, dir: string): string[] {
  if (recall === undefined) return [];
  return [`Found ${recallText(recall)} of what is relevant. What is missing: bingo status ${quoted(dir)} --missed`];
}

/** Explains why earlier lines showed another harvest rate, if they did. */
function otherRateLines({ relevant, fetched }: CrawlSummary['status'], found: StoreStatus): string[] {
  const told = percent(fetched > 0 ? relevant / fetched : 0);
  if (fetched === 0 || told === percent(found.harvestRate)) return [];
  return [`(${told} while it ran: pages as they were judged when they were fetched, and without seeds.)`];
}

/** Names the limits that blocked links. Otherwise a crawl that ends without links would be unexplained. */
function spentLines({ topics, sites }: CrawlSummary['spent']): string[] {
  return [
    ...(topics.length === 0 ? [] : [`Topic budgets spent: ${topics.map(sanitizeForTerminal).join(', ')}.`]),
    ...(sites === 0 ? [] : [`Sites at their page limit (crawl.maxPagesPerSite): ${count(sites)}.`]),
  ];
}

/** Reports links that were not fetched because their hosts have trouble: the crawl can continue after that. */
function leftAloneLines(summary: CrawlSummary): string[] {
  const { hosts } = summary.status;
  if (!isHeldUp(summary)) return [];
  const names = hosts.named.filter(({ standing }) => standing === 'bad').map(({ host }) => showHost(host));
  const shown = names.slice(0, SHOWN_HOSTS).join(', ');
  const more = hosts.bad > SHOWN_HOSTS ? ', …' : '';
  return [
    `Waiting links: ${count(waitingLinks(summary.status))}. Hosts skipped after failures or for a requested pause: ${count(hosts.bad)} (${shown}${more}).`,
  ];
}

/** The crawl ended because no host may be contacted, although links remain. */
function isHeldUp({ reason, status }: CrawlSummary): boolean {
  return reason === 'frontier-dry' && status.hosts.bad > 0 && waitingLinks(status) > 0;
}

/** Summarises a recheck in one line. */
function recheckLine({ total, unchanged, changed, moved, gone, back, away, failed }: RecheckCounts): string {
  const left = total - unchanged - changed - moved - gone - back - away - failed;
  const parts = [
    `${count(unchanged)} unchanged, ${count(changed)} changed, ${count(moved)} moved, ${count(gone)} gone`,
    ...(back > 0 ? [`${count(back)} back`] : []),
    ...(away > 0 ? [`${count(away)} gone before, still gone`] : []),
    ...(failed > 0 ? [`${count(failed)} unavailable now, kept`] : []),
    ...(left > 0 ? [`${count(left)} not reached`] : []),
  ];
  return `Rechecked ${counted(total - left, 'page')}: ${parts.join(', ')}.`;
}

const SHOWN_STALE = 10;
const STALE: Readonly<Record<StaleExample['what'], string>> = {
  gone: 'it left',
  changed: 'its subject has changed',
};

/** Reports examples that are no longer valid. */
function staleLines(stale: readonly StaleExample[], dir: string): string[] {
  if (stale.length === 0) return [];
  const shown = stale.slice(0, SHOWN_STALE).map(({ url, topic, what }) => {
    return `  ${showAddress(url)}  (${sanitizeForTerminal(topic)}): ${STALE[what]}`;
  });
  const more = stale.length > shown.length ? [`  … and ${count(stale.length - shown.length)} more`] : [];
  return [
    `${counted(stale.length, 'example')} changed after the choice; Bingo still learns from the earlier text. Replace in bingo.yaml, or:  bingo mark ${quoted(dir)} --drop URL`,
    ...shown,
    ...more,
  ];
}

const SHOWN_UNUSED = 5;

/**
 * Reports unusable training pages again: the message at the start of learning has scrolled away. Earlier runs
 * reported theirs.
 */
function unusedLines(unused: readonly UnusedTrainingPage[], dir: string): string[] {
  const news = unused.filter(({ isNew }) => isNew);
  const old = unused.filter(({ isNew }) => !isNew);
  const shown = news.slice(0, SHOWN_UNUSED).map(({ url, why }) => `  ${showAddress(url)}: ${sanitizeForTerminal(why)}`);
  const more = news.length > shown.length ? [`  … and ${count(news.length - shown.length)} more`] : [];
  const remedy = news.length === 1 ? 'Replace it' : 'Replace them';
  return [
    ...(news.length === 0
      ? []
      : [`${countedUnused(news)} could not be fetched. ${remedy} in bingo.yaml:`, ...shown, ...more]),
    ...(old.length === 0
      ? []
      : [
          `${countedUnused(old)} could not be fetched in an earlier run. List them, with such seeds:  bingo sql ${quoted(dir)} "${UNUSED_QUERY}"`,
        ]),
  ];
}

/** Pages named in bingo.yaml, seeds included, that could not be fetched. */
const UNUSED_QUERY =
  "select distinct url, reason, detail from visit where via = 'seed' and result in ('failed', 'refused') and retried = 0 and url_id not in (select url_id from alias)";

function countedUnused(unused: readonly UnusedTrainingPage[]): string {
  const examples = unused.filter(({ isExample }) => isExample).length;
  const others = unused.length - examples;
  const parts = [
    ...(examples > 0 ? [counted(examples, 'example')] : []),
    ...(others > 0 ? [`${counted(others, 'counter-example')}`] : []),
  ];
  return parts.join(' and ');
}

/** Advice if rules blocked links. */
const FURTHER = 'add seeds or loosen a rule (docs/settings.md); a looser rule also applies to links left out so far';

/** Table of topics. Topics that are not target topics accept no pages: pages on them count as rejected. */
function topicTable(found: StoreStatus, { width, dir }: { readonly width: number; readonly dir: string }): string[] {
  const all = found.topics.filter(({ topic, accepted }) => topic !== '' || accepted > 0);
  const left = all.length - SHOWN_TOPICS;
  const topics = left > 0 ? all.toSorted((a, b) => b.accepted - a.accepted).slice(0, SHOWN_TOPICS) : all;
  const hasOthers = topics.some(({ topic, others }) => topic !== '' && others > 0);
  const right = { align: 'right' as const };
  const columns = [
    { title: 'topic' },
    { title: 'pages', ...right },
    ...(hasOthers ? [{ title: 'rejected', ...right }] : []),
    { title: 'mean confidence', ...right },
  ];
  const rows = topics.map(({ topic, accepted, others, meanConfidence }) => [
    topic,
    count(accepted),
    ...(hasOthers ? [count(others)] : []),
    figure(meanConfidence),
  ]);
  const more = left > 0 ? [`… and ${counted(left, 'more topic')}: bingo status ${quoted(dir)}`] : [];
  return rows.length === 0 ? [] : ['', ...table(columns, rows, width), ...more];
}

function nextSteps(summary: CrawlSummary, found: StoreStatus, { again, dir }: Continuation): string[] {
  const { reason, recheck, status, budget } = summary;
  const place = quoted(dir);
  // Pages due for a recheck were visited, unless the run was interrupted.
  const onward = again.replace(/ --recheck(-all)?(?= |$)/g, '');
  const withFlag = (flag: string, value: string | number): string =>
    `${onward.replace(new RegExp(` --${flag} \\S+`), '')} --${flag} ${value}`;
  const steps: [string, string][] = [];
  const isBarren = barrenLines(summary).length > 0;
  const allTheSame = 'continue anyway, with new start pages under seeds in bingo.yaml';
  if (reason === 'stopped' || (reason === 'time' && !isBarren))
    steps.push([again, again.includes(' --recheck-all') ? 'start again with all pages' : 'continue the crawl']);
  if (reason === 'recall') steps.push([`${onward} --set crawl.stopAtRecall=0`, 'find more within the budget']);
  if (reason === 'learned') steps.push([withFlag('only', 'harvest'), 'harvest']);
  const more = 2 * Math.max(budget, status.fetched);
  // Without waiting links, no budget finds more.
  const isMoreToFind = reason === 'rechecked' && waitingLinks(status) > 0;
  if (isMoreToFind && status.fetched < budget) steps.push([onward, 'find more within the budget']);
  else if (isMoreToFind) steps.push([withFlag('budget', more), 'find more: the budget is spent']);
  if (reason === 'budget' && !isBarren && waitingLinks(status) > 0)
    steps.push([withFlag('budget', more), 'fetch more']);
  if (isHeldUp(summary)) steps.push([onward, 'continue later: failed hosts are tried again after an hour']);
  else if (reason === 'frontier-dry') {
    // Failed links are not fetched again; all seeds are.
    if (found.pages === 0 && status.failed + status.refused > 0) steps.push([onward, 'try the failed pages again']);
    const further = status.leftOut === undefined ? 'add seeds to reach more' : FURTHER;
    steps.push([`bingo status ${place}`, `see where it ended; ${further}`]);
  }
  if (status.fetched > 0) {
    steps.push([`bingo search ${place} "words"`, 'search the stored pages']);
    if (recheck === undefined && found.relevant > 0)
      steps.push([`bingo review ${place}`, 'check ten pages: the next run will be better']);
    if (recheck !== undefined) steps.push([`bingo portal ${place} OUT`, 'write its web site again']);
    steps.push([`bingo export ${place} --format csv`, 'export the pages']);
  }
  if (isBarren && waitingLinks(status) > 0)
    steps.push([reason === 'budget' ? withFlag('budget', more) : again, allTheSame]);
  return ['Next:', ...stepLines(steps)];
}

/** Describes the next commands, and what each does. */
export function stepLines(steps: readonly (readonly [command: string, what: string])[]): readonly string[] {
  return steps.flatMap(([line, what]) => [`  ${line}`, `      ${what}`]);
}
