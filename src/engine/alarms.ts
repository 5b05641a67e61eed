import { type BarrenHarvest, barrenText, type Kernel, type TopicId } from '../core/index.ts';
import { count, counted } from '../kit/index.ts';
import { KERNEL_ROWS } from '../learn/index.ts';

/** What the user should know about the crawl apart from its pages. Notices about pages are in `state/watch.ts`. */
export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

const NOTHING_TO_DO = 'Nothing needs to be done.';

export const OFFLINE: Notice = {
  code: 'offline',
  message:
    'No site answers, not even the sites that answered last: this machine has no network, or all of them are down.',
  remedy: 'Nothing is lost. The crawl continues when a site answers again.',
};

export const NAMELESS: Notice = {
  code: 'offline',
  message:
    'No host name resolves, not even those of the sites that answered last: this machine has no network or no working name server.',
  remedy: 'Nothing is lost. The crawl continues when one of these names resolves again.',
};

export const FORGED: Notice = {
  code: 'offline',
  message: 'Every site gives the same answer: this network answers instead of the sites. It probably wants a login.',
  remedy:
    'Log in to the network with a browser, or use another network. The crawl continues when one of these sites answers itself.',
};

export const NO_FILES: Notice = {
  code: 'no-files',
  message: 'Too many open files: the crawl cannot open more connections.',
  remedy: 'Nothing is lost: fetches wait. Raise the limit ("ulimit -n 4096"), or lower network.concurrency.',
};

export const ONLINE: Notice = { code: 'online', message: 'The network is back.', remedy: NOTHING_TO_DO };

/**
 * @param waiting - records waiting to be stored
 * @param holder - the program that holds the store locked, if known
 */
export function storeWaits(waiting: number, holder: string | undefined): Notice {
  const why = holder === undefined ? '' : `: ${holder} holds it locked`;
  return {
    code: 'store-waits',
    message: `The store accepts no records at the moment${why}; ${counted(waiting, 'record')} of this crawl ${waiting === 1 ? 'waits' : 'wait'}.`,
    remedy: `Nothing is lost. Fetching continues when the store answers.${holder === undefined ? '' : ' End that program, or its transaction.'}`,
  };
}

export const STORE_BACK: Notice = {
  code: 'store-back',
  message: 'The store accepts records again.',
  remedy: NOTHING_TO_DO,
};

/** Asks whether a crawl that finds nothing any more should continue. */
export function barren(harvest: BarrenHarvest): Notice {
  return {
    code: 'barren',
    message: barrenText(harvest),
    remedy: `Continue or stop? Without an answer the crawl ends after ${count(harvest.endsIn)} more pages. Seeds on other sites may lead further.`,
  };
}

/** Most topics of one kind that a notice names. The rest are only counted: a tree may have hundreds. */
const NAMED = 3;

/** A topic and its training pages. */
export interface LearnedPoorly {
  readonly topic: TopicId;
  readonly pages: number;
}

/** Notice for topics without any example that could be fetched. */
export function withoutExamples(topics: readonly TopicId[]): readonly Notice[] {
  const code = 'no-examples';
  const remedy = 'Replace them in bingo.yaml; the next crawl learns from the new ones.';
  if (topics.length === 0) return [];
  const of = topics.length > NAMED ? counted(topics.length, 'topic') : '';
  const message = `No example of ${of === '' ? quoted(topics) : of} could be fetched: no page can be assigned to ${topics.length > 1 ? 'them' : 'it'}.`;
  return [{ code, message: of === '' ? message : `${message} They are ${firstOf(topics)}.`, remedy }];
}

/** Notice for topics with too few training pages; `archetypes` counts pages. */
export function fewExamples(topics: readonly (LearnedPoorly & { readonly archetypes: number })[]): readonly Notice[] {
  const code = 'few-examples';
  if (topics.length <= NAMED)
    return topics.map(({ topic, pages, archetypes }) => ({
      code,
      message: `Learning found ${counted(archetypes, 'archetype')} for "${topic}". It now learns from ${counted(pages, 'page')}.`,
      remedy: 'Check them: bingo review DIR',
    }));
  const message =
    `${counted(topics.length, 'topic')} learn from ${Math.max(...topics.map(({ pages }) => pages))} pages or fewer, ` +
    `archetypes included. They are ${firstOf(topics.map(({ topic }) => topic))}.`;
  return [{ code, message, remedy: 'See which pages could be added: bingo review DIR --proposals' }];
}

/** Notice for topics whose classifiers recognise their training pages only because they were trained on them. */
export function unrecognised(topics: readonly LearnedPoorly[]): readonly Notice[] {
  const code = 'unrecognised';
  if (topics.length <= NAMED)
    return topics.map(({ topic, pages }) => ({
      code,
      message:
        `The classifier of "${topic}" recognises no held-out page of its ${counted(pages, 'training page')}. The pages have too little ` +
        'in common, or pages of another topic or counter-examples resemble them.',
      remedy: `See its terms: bingo topic show DIR "${topic}". Name examples that are more alike, or merge topics about the same thing.`,
    }));
  const message =
    `The classifiers of ${counted(topics.length, 'topic')} recognise no held-out page of their training pages. The pages have too little ` +
    `in common, or pages of other topics or counter-examples resemble them. They are ${firstOf(topics.map(({ topic }) => topic))}.`;
  const remedy =
    'See their terms: bingo topic show DIR TOPIC. Name examples that are more alike, or merge topics about the same thing.';
  return [{ code, message, remedy }];
}

/** Names the first topics of a list and counts the others. */
function firstOf(topics: readonly TopicId[]): string {
  return `${quoted(topics.slice(0, NAMED))} and ${counted(topics.length - NAMED, 'more topic')}`;
}

function quoted(topics: readonly TopicId[]): string {
  return topics.map((topic) => `"${topic}"`).join(', ');
}

export const INDISCRIMINATE: Notice = {
  code: 'indiscriminate',
  message:
    'Nearly every page looks like the examples: there are too few counter-examples, or they are from other sites. ' +
    'Until the classifier can separate pages, the pages least like the examples serve as counter-examples.',
  remedy: 'Name ten unwanted pages of the same sites under "others:" in bingo.yaml, or mark some pages bad.',
};

/** Notice for topics that have too many training pages for a kernel; `undefined` without such a topic. */
export function keptLinear(kernel: Kernel, topics: readonly TopicId[]): Notice | undefined {
  if (topics.length === 0) return undefined;
  const of = topics.length > NAMED ? firstOf(topics) : quoted(topics);
  return {
    code: 'kept-linear',
    message: `${of}: more than ${KERNEL_ROWS} training pages, so the linear SVM decides instead of the kernel "${kernel}".`,
    remedy: 'Name fewer counter-examples, or run: bingo settings set learn.kernel linear',
  };
}

export function checkpointLeftOut(error: unknown): Notice {
  const why = error instanceof Error ? error.message : String(error);
  return {
    code: 'checkpoint',
    message: `A checkpoint could not be written: ${why}`,
    remedy: 'Nothing is lost. The next run takes longer to start.',
  };
}
