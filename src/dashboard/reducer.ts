import {
  assertNever,
  type CrawlEvent,
  type CrawlStatus,
  describeChange,
  hostOf,
  isSiteUse,
  type Judgement,
  markTopic,
  type OfKind,
  type PageRecord,
  type RoundRecord,
  type SteerCommand,
  shownRelevance,
  siteOfKey,
  type TopicId,
  type TopicTree,
  type TrainingOrigin,
  type VisitRecord,
} from '../core/index.ts';
import { count, sanitizeForTerminal } from '../kit/index.ts';
import { currentAlarms, OUTCOMES_KEPT } from './alarms.ts';
import { extendSeries, NO_SERIES, seriesOfSums } from './series.ts';
import { extendSpeed, NO_SPEED } from './speed.ts';
import type { Alarm, DashboardEvent, DashboardSetting, DashboardState, PageLine, RoundFacts } from './state.ts';

const PAGES_KEPT = 500;
const BEST_KEPT = 100;
const TOLD_KEPT = 5;
const PROGRESS_MS = 30_000;
const MESSAGE_MS = 10_000;
const BINS = 10;
const MAX_TITLE = 300;

export function initialState(setting: DashboardSetting): DashboardState {
  return {
    ...setting,
    sites: new Map(),
    marked: new Map(),
    now: 0,
    phase: 'bootstrap',
    phaseReason: '',
    status: undefined,
    isRunning: undefined,
    reading: undefined,
    progress: [],
    relevant: 0,
    harvest: NO_SERIES,
    speed: NO_SPEED,
    distribution: Array<number>(BINS).fill(0),
    pages: [],
    best: [],
    outcomes: [],
    round: undefined,
    alarms: [],
    told: [],
    toldAt: Number.NEGATIVE_INFINITY,
    view: { kind: 'overview' },
    pane: 'pages',
    list: 'last',
    selectedPage: undefined,
    selectedLink: undefined,
    selectedTopic: 0,
    filter: '',
    message: '',
    messageAt: 0,
  };
}

/** Applies one event to the dashboard's state. Pure: times are part of the events. */
export function dashboardState(state: DashboardState, event: DashboardEvent): DashboardState {
  switch (event.kind) {
    case 'beginning':
      return withBeginning(state, event);
    case 'page':
      return withPage(state, event.record);
    case 'visit':
      return withVisit(state, event.record);
    case 'round':
      return { ...state, round: roundFacts(event.record) };
    case 'phase':
      return { ...state, phase: event.record.phase, phaseReason: event.record.reason };
    case 'steer':
      return withCommand(state, event.record.command);
    case 'status':
      return withStatus(state, event.status);
    case 'alarm':
      // The status has it as well, until it is answered.
      if (event.code === 'barren') return state;
      return { ...state, told: [toldAlarm(event), ...state.told].slice(0, TOLD_KEPT), toldAt: state.now };
    case 'settings':
      return withMessage(state, `Since the last run: ${event.changes.map((each) => describeChange(each)).join('; ')}`);
    case 'documents':
      return withReading(state, 'documents', event);
    case 'resuming':
      return withReading(state, 'the journal', event);
    case 'stored':
    // The status has it until it is answered.
    case 'question':
      return state;
    case 'tick':
      return withTime(state, event.now);
    case 'running':
      return { ...state, isRunning: event.isRunning };
    case 'tree':
      return withTree(state, event.tree);
    case 'view':
      return { ...state, view: event.view, message: '' };
    case 'explained':
      return state.view.kind === 'why' && state.view.url === event.url
        ? { ...state, view: { ...state.view, lines: event.lines.map(sanitizeForTerminalKeepingIndent) } }
        : state;
    case 'site-counted':
      return state.view.kind === 'site' && state.view.site === event.site
        ? { ...state, view: { ...state.view, links: event.links } }
        : state;
    case 'asked':
      return withCommand(state, event.command);
    case 'pane':
      return { ...state, pane: event.pane };
    case 'list':
      return { ...state, list: event.list, pane: 'pages', selectedPage: undefined, selectedLink: undefined };
    case 'select':
      return { ...state, selectedPage: event.page };
    case 'select-link':
      return { ...state, selectedLink: event.url };
    case 'select-topic':
      return { ...state, selectedTopic: event.at };
    case 'filter':
      return {
        ...{ ...state, filter: event.text, view: { kind: 'overview' } },
        ...{ selectedPage: undefined, selectedLink: undefined },
      };
    case 'message':
      return withMessage(state, event.text);
    default:
      return assertNever(event);
  }
}

/** Resets what is derived from the journal, which is replayed; keeps the user's view and the crawl's own status. */
function withTree(state: DashboardState, tree: TopicTree): DashboardState {
  const { phase, phaseReason, sites, relevant, harvest, speed, distribution, pages, best, outcomes, round } =
    initialState(state);
  return {
    ...{
      ...state,
      tree,
      phase,
      phaseReason,
      sites,
      relevant,
      harvest,
      speed,
      distribution,
      pages,
      best,
      outcomes,
      round,
    },
    selectedTopic: 0,
  };
}

function withMessage(state: DashboardState, text: string): DashboardState {
  return { ...state, message: sanitizeForTerminal(text), messageAt: state.now };
}

function withTime(state: DashboardState, now: number): DashboardState {
  const isOld = state.message !== '' && now - state.messageAt > MESSAGE_MS;
  return isOld ? { ...state, now, message: '' } : { ...state, now };
}

function withPage(state: DashboardState, record: PageRecord): DashboardState {
  const line = pageLine(record, state.tree);
  const pages = [line, ...state.pages].slice(0, PAGES_KEPT);
  const outcomes = remember(state.outcomes, '');
  const speed = extendSpeed(state.speed, record.fetchedAt);
  if (record.role !== 'crawled' || ['seed', 'recheck'].includes(record.origin.via))
    return { ...state, pages, outcomes, speed };
  const bin = Math.min(BINS - 1, Math.max(0, Math.floor(line.relevance * BINS)));
  return {
    ...{ ...state, pages, outcomes, speed, best: withBest(state.best, line) },
    relevant: state.relevant + (line.isRelevant ? 1 : 0),
    harvest: extendSeries(state.harvest, { relevance: line.relevance, relevant: line.isRelevant }),
    distribution: state.distribution.map((n, i) => (i === bin ? n + 1 : n)),
  };
}

/** Adds a page to the best ones, unless it is worse than all of a full list. The earlier of equal pages comes first. */
function withBest(best: readonly PageLine[], page: PageLine): readonly PageLine[] {
  const least = best.length < BEST_KEPT ? Number.NEGATIVE_INFINITY : (best.at(-1)?.relevance ?? 0);
  if (!page.isRelevant || page.role !== 'crawled' || page.relevance <= least) return best;
  // A page that was fetched again replaces its earlier version.
  const others = best.filter(({ url }) => url !== page.url);
  const at = others.findIndex(({ relevance }) => relevance < page.relevance);
  return others.toSpliced(at < 0 ? others.length : at, 0, page).slice(0, BEST_KEPT);
}

/** The last pages of the journal follow one by one. */
function withBeginning(
  state: DashboardState,
  { pages: groups, best }: Pick<OfKind<DashboardEvent, 'beginning'>, 'pages' | 'best'>,
): DashboardState {
  const parts = [...Map.groupBy(groups, ({ part }) => part).values()].map((own) => {
    const total = (of: (group: (typeof own)[number]) => number): number =>
      own.reduce((sum, group) => sum + of(group), 0);
    return {
      pages: total(({ pages }) => pages),
      relevant: total(({ topic, pages }) => (isTarget(state.tree, topic) ? pages : 0)),
      relevance: total(({ relevance, pages }) => pages * shownRelevance(relevance / pages)),
    };
  });
  const inBin = (bin: number): number => groups.reduce((sum, group) => sum + (group.bin === bin ? group.pages : 0), 0);
  return {
    ...state,
    relevant: parts.reduce((sum, { relevant }) => sum + relevant, 0),
    harvest: seriesOfSums(parts),
    distribution: Array.from({ length: BINS }, (_, bin) => inBin(bin)),
    best: best.map((page) => listedPage(page, 'crawled', state.tree)).reduce(withBest, []),
  };
}

/** A page rejected below a target topic belongs to that topic, as in the crawl; the root is never a target topic. */
function isTarget(tree: TopicTree, topic: TopicId): boolean {
  return tree.nodes.get(topic)?.good === true;
}

/** Redirects and duplicates do not count as failures: they are no sign of network trouble. */
function withVisit(state: DashboardState, record: VisitRecord): DashboardState {
  if (record.result !== 'failed' && record.result !== 'refused') return state;
  const reason = record.reason === 'http' ? `HTTP ${record.status}` : record.reason;
  return { ...state, outcomes: remember(state.outcomes, `${record.result}, ${reason}`) };
}

function remember(outcomes: readonly string[], outcome: string): readonly string[] {
  return [...outcomes.slice(-OUTCOMES_KEPT + 1), outcome];
}

/**
 * Shows a command at once, before the next status confirms it: the next key may build on it. If the crawl runs
 * elsewhere or has not begun, the command is only a request, and may be reversed before the crawl confirms it.
 */
function withCommand(state: DashboardState, command: SteerCommand): DashboardState {
  const { status, tree } = state;
  if (command.kind === 'mark-topic' && tree.nodes.has(command.topic))
    return { ...state, tree: markTopic(tree, command.topic, command.good) };
  if (command.kind === 'judge-page') {
    const { key, use } = command.judgement;
    if (siteOfKey(key) !== undefined) return { ...state, sites: withSiteMark(state.sites, command.judgement) };
    return withoutQuestion({ ...state, marked: new Map([...state.marked, [key, use]]) }, key);
  }
  if (status === undefined) return state;
  if (command.kind === 'skip-question') return withoutQuestion(state, command.key);
  if (command.kind === 'end-questions') return withoutQuestion(state, status.question?.key);
  if (command.kind === 'continue-barren') {
    const { barren: _, ...answered } = status;
    return withStatus(state, answered);
  }
  if (command.kind === 'set-budget') return { ...state, status: { ...status, budget: command.budget } };
  if (command.kind === 'set-ordering') return { ...state, status: { ...status, ordering: command.ordering } };
  if (command.kind === 'pause' || command.kind === 'resume')
    return { ...state, status: { ...status, paused: command.kind === 'pause' } };
  if (command.kind === 'set-limit' && status.limits !== undefined)
    return { ...state, status: { ...status, limits: { ...status.limits, [command.limit]: command.value } } };
  return state;
}

/** Removes an answered question; the next status of the crawl may have another one. */
function withoutQuestion(state: DashboardState, key: string | undefined): DashboardState {
  if (state.status?.question?.key !== key || state.status === undefined) return state;
  const { question: _, ...status } = state.status;
  return { ...state, status };
}

function withSiteMark(sites: DashboardState['sites'], { key, use }: Judgement): DashboardState['sites'] {
  const site = siteOfKey(key);
  if (site === undefined) return sites;
  const others = [...sites].filter(([host]) => host !== site);
  return new Map(isSiteUse(use) ? [...others, [site, use]] : others);
}

function withReading(
  state: DashboardState,
  what: NonNullable<DashboardState['reading']>['what'],
  { read, total }: { readonly read: number; readonly total: number },
): DashboardState {
  return { ...state, reading: read < total ? { what, read, total } : undefined };
}

function withStatus(state: DashboardState, status: CrawlStatus): DashboardState {
  const recent = state.progress.filter(({ at }) => state.now - at <= PROGRESS_MS);
  const next = { ...state, status, progress: [...recent, { at: state.now, fetched: status.fetched }] };
  return { ...next, alarms: currentAlarms(next) };
}

function pageLine({ assignment, finalUrl, document, role, sequence }: PageRecord, tree: TopicTree): PageLine {
  return listedPage({ sequence, finalUrl, title: document.title, ...assignment }, role, tree);
}

/** A page of a summarized journal. */
type BestPage = OfKind<DashboardEvent, 'beginning'>['best'][number];

function listedPage(page: BestPage, role: PageRecord['role'], tree: TopicTree): PageLine {
  const { sequence, finalUrl: url, title, topic, others, confidence, relevance } = page;
  const isRelevant = isTarget(tree, topic);
  return {
    ...{ sequence, url, host: sanitizeForTerminal(hostOf(url)), isRelevant, role, confidence },
    title: sanitizeForTerminal(title.slice(0, MAX_TITLE)) || '(no title)',
    topic: others && !isRelevant ? 'rejected' : sanitizeForTerminal(topic),
    relevance: shownRelevance(relevance),
  };
}

function roundFacts({ model, undone, reason, training }: RoundRecord): RoundFacts {
  const origins = new Map<TopicId, Partial<Record<TrainingOrigin, number>>>();
  for (const { topic, origin } of training) {
    const counts = origins.get(topic) ?? {};
    origins.set(topic, { ...counts, [origin]: (counts[origin] ?? 0) + 1 });
  }
  return { model, undone, reason: sanitizeForTerminal(reason), origins };
}

function toldAlarm({ code, message, remedy, data }: OfKind<CrawlEvent, 'alarm'>): Alarm {
  const at = data === undefined ? '' : `Page ${count(data.fetched)}: `;
  return { code, message: at + sanitizeForTerminal(message), remedy: sanitizeForTerminal(remedy) };
}

function sanitizeForTerminalKeepingIndent(line: string): string {
  const indent = line.length - line.trimStart().length;
  return ' '.repeat(Math.min(indent, 40)) + sanitizeForTerminal(line);
}
