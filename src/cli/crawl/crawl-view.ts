import {
  assertNever,
  type CrawlEvent,
  type CrawlStatus,
  describeChange,
  hostOf,
  isSiteUse,
  type Judgement,
  LIMITS,
  type LimitName,
  type OfKind,
  type PageRecord,
  PHASE_NAMES,
  progressOf,
  relevanceText,
  SITE_WORDS,
  type Steer,
  siteOfKey,
  waitingLinks,
} from '../../core/index.ts';
import { count, counted, percent } from '../../kit/index.ts';
import {
  displayWidth,
  formatDuration,
  type Paint,
  pad,
  sanitizeForTerminal,
  settingOf,
  showAddress,
  showHost,
  table,
  truncate,
} from '../../workbench/index.ts';

/** What the live view keeps of the events; other figures are in each status. */
export interface ViewState {
  /** Last pages, newest first. */
  readonly pages: readonly PageRecord[];
  /** Last remarks, newest last. */
  readonly remarks: readonly string[];
}

export const EMPTY_VIEW: ViewState = Object.freeze({ pages: [], remarks: [] });

const PAGES_SHOWN = 5;
const REMARKS_SHOWN = 3;

/** Applies one event to the state of the view. */
export function foldEvent(state: ViewState, event: CrawlEvent, withDetails = false): ViewState {
  if (event.kind === 'page') return { ...state, pages: [event.record, ...state.pages].slice(0, PAGES_SHOWN) };
  const remarks = remarksOf(event, withDetails);
  return remarks.length === 0 ? state : { ...state, remarks: [...state.remarks, ...remarks].slice(-REMARKS_SHOWN) };
}

/** Progress of reading documents or the journal. */
export function readingLine({ kind, read, total }: OfKind<CrawlEvent, 'documents' | 'resuming'>): string {
  if (kind === 'documents') return `documents: ${count(read)} of ${count(total)} read`;
  return `resuming: ${count(read)} of ${counted(total, 'record')} read`;
}

/** Returns the lines that report an event; none for frequent events, nor for details unless `withDetails`. */
export function remarksOf(event: CrawlEvent, withDetails = false): readonly string[] {
  if (!withDetails && isDetail(event)) return [];
  if (event.kind === 'settings')
    return event.changes.map((change) => `since the last run: ${describeChange(change, valueInWords)}`);
  const remark = remarkOf(event);
  return remark === undefined ? [] : [remark];
}

/** Rolled-back rounds, and topics that training did not extend: the topic's grade shows the consequence. */
function isDetail(event: CrawlEvent): boolean {
  return (event.kind === 'round' && event.record.undone) || (event.kind === 'alarm' && event.code === 'few-examples');
}

function remarkOf(event: Exclude<CrawlEvent, { readonly kind: 'settings' }>): string | undefined {
  switch (event.kind) {
    case 'phase':
      return `${PHASE_NAMES[event.record.phase]}: ${event.record.reason}`;
    case 'round':
      return describeRound(event.record);
    case 'alarm':
      return `${event.message} ${event.remedy}`;
    case 'resuming':
      return event.read === event.total && event.total > 0
        ? `resumed: ${counted(event.total, 'record')} read`
        : undefined;
    case 'steer':
      return `${isOfReader(event.record.command) ? 'the reader answers' : 'changed by hand'}: ${describeSteer(event.record.command)}`;
    case 'page':
    case 'visit':
    case 'stored':
    case 'documents':
    case 'status':
    case 'question':
      return undefined;
    default:
      return assertNever(event);
  }
}

/** Formats a value as users write it: times and sizes with their units. */
function valueInWords(value: unknown, key: string): string {
  const rule = settingOf(key)?.rule;
  return rule === undefined ? String(value) : (rule.gloss?.(value) ?? rule.write(value));
}

function isOfReader(command: Steer): boolean {
  return command.kind === 'judge-page' && command.judgement.by !== undefined;
}

function describeSteer(command: Steer): string {
  switch (command.kind) {
    case 'end-learning':
      return 'learning ends';
    case 'begin-learning':
      return 'back to learning';
    case 'continue-barren':
      return 'the crawl continues';
    case 'set-budget':
      return `budget ${count(command.budget)}`;
    case 'set-limit':
      return `${LIMITS[command.limit]} ${describeLimit(command.limit, command.value)}`;
    case 'lock-host':
      return `${command.host} locked`;
    case 'mark-topic':
      return `${command.topic} ${command.good ? 'marked good' : 'no longer good'}`;
    case 'set-ordering':
      return `ordering ${command.ordering}`;
    case 'begin-shard':
      return `only sites of shard ${command.shard} of ${command.shards} from here on`;
    case 'name-topic':
      return command.topic === '' ? `topic ${command.id} removed` : `topic ${command.id} is now ${command.topic}`;
    case 'reclassified':
      return `stored pages judged again by model ${command.model}`;
    case 'note-mirror':
      return `${command.host} repeats the pages of ${command.original}: its links are not followed`;
    case 'judge-page':
      return describeJudgement(command.judgement);
  }
}

function describeJudgement({ key, use, topic }: Judgement): string {
  const site = siteOfKey(key);
  if (site !== undefined)
    return isSiteUse(use) ? `${site} marked a ${SITE_WORDS[use]}` : `mark of the site ${site} undone`;
  const place = use === 'others' ? `${topic === '' ? '' : `${topic}/`}OTHERS` : topic;
  const pages = { example: `example of ${place}`, others: `page of ${place}`, dropped: 'dropped', free: 'taken back' };
  const words = { ...SITE_WORDS, ...pages };
  return `${sanitizeForTerminal(words[use])}: ${showAddress(key)}`;
}

/** Formats the value of a limit as users write it. */
function describeLimit(limit: LimitName, value: number): string {
  return limit === 'time' ? (value === 0 ? 'none' : formatDuration(value)) : count(value);
}

function describeRound(round: OfKind<CrawlEvent, 'round'>['record']): string {
  const { model, admitted, dropped, refused = [], undone, training } = round;
  if (undone) return `round ${model}: rolled back, ${round.reason}`;
  const changes = [
    ...(admitted.length > 0 ? [`${counted(admitted.length, 'archetype')} admitted`] : []),
    ...(dropped.length > 0 ? [`${dropped.length} dropped`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused: unlike the examples`] : []),
  ];
  if (changes.length === 0 && round.reason === 'hubs')
    return `round ${model}: ${counted(round.boosted.length, 'link')} of the best hubs moved forward`;
  return `round ${model}: trained on ${counted(training.length, 'page')}${changes.length > 0 ? `, ${changes.join(', ')}` : ''}`;
}

/** Returns the live view as lines of at most `width` columns. */
export function drawView(state: ViewState, status: CrawlStatus, width: number, paint: Paint): string[] {
  return [
    drawProgress(status, width, paint),
    truncate(describeCounts(status), width),
    '',
    ...drawTopics(status, width, paint),
    '',
    ...state.pages.map((page) => drawPage(page, width, paint)),
    ...(state.remarks.length > 0 ? [''] : []),
    ...state.remarks.map((remark) => paint.dim(truncate(sanitizeForTerminal(remark), width))),
  ];
}

function drawProgress(status: CrawlStatus, width: number, paint: Paint): string {
  const { pagesPerSecond, elapsedMs } = status;
  const { done, all } = progressOf(status);
  const share = all > 0 ? Math.min(1, done / all) : 0;
  const name = truncate(pad(PHASE_NAMES[status.phase], 24), width);
  const facts = ` ${count(done)} of ${counted(all, 'page')}  ${pagesPerSecond.toFixed(1)}/s  ${elapsed(elapsedMs)}`;
  const room = Math.max(0, Math.min(40, width - displayWidth(name) - displayWidth(facts)));
  const filled = Math.round(room * share);
  const bar = '█'.repeat(filled) + '░'.repeat(room - filled);
  return `${paint.bold(name)}${paint.accent(bar)}${truncate(facts, Math.max(0, width - displayWidth(name) - room))}`;
}

function describeCounts(status: CrawlStatus): string {
  const { relevant, fetched, recentHarvestRate, failed, refused, duplicates, inFlight, hosts } = status;
  return [
    `harvest rate ${percent(fetched > 0 ? relevant / fetched : 0)}, last 100 ${percent(recentHarvestRate)}`,
    `failed ${count(failed)}`,
    `refused ${count(refused)}`,
    `duplicates ${count(duplicates)}`,
    `in flight ${inFlight}`,
    ...(status.recheck === undefined ? [] : [describeRecheck(status.recheck)]),
    `slow hosts ${hosts.slow}, bad ${hosts.bad}`,
  ].join('  ');
}

/** Describes the progress of a recheck. */
function describeRecheck({ total, ...ends }: NonNullable<CrawlStatus['recheck']>): string {
  const done = Object.values(ends).reduce((sum, n) => sum + n, 0);
  return `rechecked ${count(done)} of ${count(total)}: ${ends.changed} changed, ${ends.moved} moved, ${ends.gone} gone`;
}

const TOPICS_SHOWN = 8;

function drawTopics(status: CrawlStatus, width: number, paint: Paint): string[] {
  const columns = [
    { title: 'topic' },
    { title: 'accepted', align: 'right' as const },
    { title: 'archetypes', align: 'right' as const },
    { title: 'queued', align: 'right' as const },
  ];
  const busiest = [...status.queues].sort((a, b) => b.accepted - a.accepted || b.incoming - a.incoming);
  const rows = busiest
    .slice(0, TOPICS_SHOWN)
    .map((q) => [q.topic, count(q.accepted), String(q.archetypes), count(q.incoming + q.outgoing)]);
  const [head = '', , ...lines] = table(columns, rows, width).map((line) => truncate(line, width));
  const more =
    busiest.length > TOPICS_SHOWN ? [paint.dim(`… and ${counted(busiest.length - TOPICS_SHOWN, 'more topic')}`)] : [];
  return [paint.dim(head), ...lines, ...more];
}

function drawPage(record: PageRecord, width: number, paint: Paint): string {
  const { assignment, document, url } = record;
  const title = sanitizeForTerminal(document.title) || '(no title)';
  const line = `${relevanceText(assignment.relevance).padStart(5)}  ${title}  ${showHost(hostOf(url))}`;
  const text = truncate(line, Math.max(0, width - 2));
  return assignment.others ? paint.dim(`· ${text}`) : `${paint.good('✓')} ${text}`;
}

/**
 * Describes what a stopped crawl still does. With hundreds of topics training takes minutes: the crawl does not wait
 * for it.
 */
export function stoppingLine({ inFlight, isTraining }: CrawlStatus): string {
  const training = isTraining === true ? '; the next run trains the classifiers' : '';
  return `Stopping: finishing ${counted(inFlight, 'page')} in flight and saving${training}. Ctrl-C again stops at once.`;
}

/** Returns one line of plain progress, for logs. */
export function progressLine(status: CrawlStatus): string {
  const { phase, fetched, budget, relevant, pagesPerSecond, failed, refused, training } = status;
  const isTraining = status.isTraining === true ? ', training classifiers' : '';
  if (training !== undefined)
    return `${PHASE_NAMES.bootstrap}: ${count(training.settled)} of ${count(training.all)}, failed ${count(failed)}, refused ${count(refused)}${isTraining}`;
  const rate = percent(fetched > 0 ? relevant / fetched : 0);
  const counts = `queued ${count(waitingLinks(status))}, failed ${count(failed)}, refused ${count(refused)}`;
  const recheck = status.recheck === undefined ? '' : `, ${describeRecheck(status.recheck)}`;
  return `${phase}: ${count(fetched)} of ${counted(budget, 'page')}, harvest rate ${rate}, ${pagesPerSecond.toFixed(1)}/s, ${counts}${recheck}${isTraining}`;
}

export function elapsed(ms: number): string {
  return ms < 1000 ? '0s' : formatDuration(Math.round(ms / 1000) * 1000);
}
