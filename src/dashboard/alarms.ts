import { barrenText, type CrawlStatus, waitingLinks } from '../core/index.ts';
import { count, counted, percent } from '../kit/index.ts';
import { recentRate } from './series.ts';
import type { Alarm, DashboardState } from './state.ts';

/** Number of pages after which stagnation can be detected. Our choice, like the other figures here. */
const STAGNATION_PAGES = 150;
/** A recent harvest rate below this share of the whole crawl's rate is stagnation. */
const STAGNATION_FALL = 0.25;
const STAGNATION_FLOOR = 0.02;
/** Number of recent fetches checked, and the share of failures among them that raises an alarm. */
const FETCHES = 40;
const FAILED_SHARE = 0.5;
/** A host with this share of the last pages, and almost no relevant page, is a trap. */
const TRAP_PAGES = 60;
const TRAP_SHARE = 0.6;
const TRAP_RATE = 0.1;
const FEW_LINKS = 10;

/** Returns the current alarms, gravest first, each with a remedy. */
export function currentAlarms(state: DashboardState): readonly Alarm[] {
  const alarms = [barren(state), errors(state), dry(state), trap(state), stagnation(state), rolledBack(state)];
  return alarms.flatMap((alarm) => alarm ?? []);
}

/** Alarms of the crawl itself come first for this long: they name causes, which current figures cannot. */
const NEWS_MS = 60_000;

/** Returns all alarms in display order; a question comes first. */
export function shownAlarms({ alarms, told, toldAt, now }: DashboardState): readonly Alarm[] {
  const questions = alarms.filter(({ code }) => code === 'barren');
  const news = now - toldAt < NEWS_MS ? told.slice(0, 1) : [];
  return [...questions, ...news, ...alarms.slice(questions.length), ...told.slice(news.length)];
}

/** Details that the help screen lists and the footer does not. */
const DETAILS: ReadonlySet<string> = new Set(['rolled-back', 'few-examples']);

/** Returns the alarms that need the user, in the order of {@link shownAlarms}. */
export function urgentAlarms(state: DashboardState): readonly Alarm[] {
  return shownAlarms(state).filter(({ code }) => !DETAILS.has(code));
}

/** The question of a crawl that finds nothing any more. The footer shows it until it is answered. */
function barren({ status, ownsCrawl }: DashboardState): Alarm | undefined {
  // After the end there is nothing to continue.
  if (status?.barren === undefined || status.phase === 'done') return undefined;
  const question = ownsCrawl ? 'Continue (c) or stop (q)?' : 'Continue (c)?';
  return {
    code: 'barren',
    message: barrenText(status.barren),
    remedy: `${question} Without an answer, the crawl ends after ${count(status.barren.endsIn)} more pages.`,
  };
}

function errors({ outcomes }: DashboardState): Alarm | undefined {
  const failed = outcomes.filter((outcome) => outcome !== '');
  if (outcomes.length < FETCHES || failed.length < FAILED_SHARE * outcomes.length) return undefined;
  const reason = mostFrequent(failed);
  return {
    code: 'errors',
    message: `${failed.length} of the last ${outcomes.length} fetches gave no page, most often: ${reason}.`,
    remedy: errorRemedy(reason),
  };
}

function errorRemedy(reason: string): string {
  if (/HTTP (404|410)/.test(reason)) return 'The remaining links are dead. Add seeds, or stop and save (q).';
  if (/^refused, robots/.test(reason))
    return 'These sites do not allow crawlers. Lock their hosts (h), or start from other seeds.';
  if (reason === 'refused, size')
    return 'They are larger than network.maxBodyBytes. Raise it to fetch them in the next run.';
  if (reason === 'refused, private-address')
    return 'They are in a private network. Set network.allowPrivate to fetch them in the next run.';
  if (reason === 'refused, type') return 'Their formats are not supported. Nothing needs to be done.';
  return 'Pause (p) and check the network or the proxy; bingo status shows the reasons.';
}

/** Outcomes kept for {@link currentAlarms}. */
export const OUTCOMES_KEPT: number = FETCHES;

function dry({ status, phase }: DashboardState): Alarm | undefined {
  if (status === undefined || phase !== 'harvesting' || status.phase === 'done') return undefined;
  const waiting = waitingLinks(status);
  const left = status.budget - status.fetched;
  if (waiting + status.inFlight >= FEW_LINKS || left <= FEW_LINKS) return undefined;
  return {
    code: 'dry',
    message: `Only ${counted(waiting, 'link')} left to follow, and the budget has ${counted(left, 'page')} left.`,
    remedy: `Add seeds or examples in bingo.yaml; the next run uses them.${leftOutText(status)}`,
  };
}

function leftOutText({ leftOut = [] }: CrawlStatus): string {
  const all = leftOut.reduce((sum, { addresses }) => sum + addresses, 0);
  return all === 0
    ? ''
    : ` So may some of the ${counted(all, 'address')} that rules keep out: bingo status names those.`;
}

function trap({ pages }: DashboardState): Alarm | undefined {
  const last = pages.slice(0, TRAP_PAGES);
  if (last.length < TRAP_PAGES) return undefined;
  const host = mostFrequent(last.map((page) => page.host));
  const own = last.filter((page) => page.host === host);
  const hits = own.filter((page) => page.isRelevant).length;
  if (own.length < TRAP_SHARE * last.length || hits > TRAP_RATE * own.length) return undefined;
  // Hosts with relevant pages should not be blocked.
  const relevant = pages.filter((page) => page.isRelevant);
  if (relevant.filter((page) => page.host === host).length > (TRAP_SHARE / 2) * relevant.length) return undefined;
  return {
    code: 'trap',
    message: `${own.length} of the last ${counted(last.length, 'page')} are from ${host}, ${hits} of them relevant.`,
    remedy: 'Lock the host: select one of its pages, then l.',
  };
}

function stagnation({ harvest, relevant }: DashboardState): Alarm | undefined {
  if (harvest.pages < STAGNATION_PAGES) return undefined;
  const [now, whole] = [recentRate(harvest.recent), relevant / harvest.pages];
  if (now >= Math.max(STAGNATION_FLOOR, STAGNATION_FALL * whole)) return undefined;
  return {
    code: 'stagnation',
    message: `Stagnation: ${percent(now)} of the last pages are relevant, ${percent(whole)} of all.`,
    remedy: 'Try another ordering (r), or stop and add examples of what is missing.',
  };
}

function rolledBack({ round }: DashboardState): Alarm | undefined {
  if (round?.undone !== true) return undefined;
  return {
    code: 'rolled-back',
    message: `Rolled back the last training round: ${round.reason}.`,
    remedy: 'The model before it is in force. If this repeats, add examples to that topic.',
  };
}

function mostFrequent(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0])[0];
}
