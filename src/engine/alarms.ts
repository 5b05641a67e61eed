import type { TopicId } from '../core/index.ts';
import { counted } from '../kit/index.ts';

/** What the user should know about the crawl apart from its pages. Notices about pages are in `state/watch.ts`. */
export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

const NOTHING_TO_DO = 'Nothing needs to be done.';

export const OFFLINE: Notice = {
  code: 'offline',
  message: 'Nobody answers, nor do the sites that answered last: this machine has no network, or all of them are down.',
  remedy: 'Nothing is lost. The crawl goes on when one of them answers again.',
};

export const NAMELESS: Notice = {
  code: 'offline',
  message:
    'No name is known any more, nor those of the sites that answered last: this machine has no network, or no name server that works.',
  remedy: 'Nothing is lost. The crawl goes on when one of these names is known again.',
};

export const FORGED: Notice = {
  code: 'offline',
  message:
    'Site after site gives the same answer, and those that answered last give it, too: this network answers in their place, as one does that wants a login.',
  remedy:
    'Log in to the network with a browser, or choose another one. The crawl goes on when one of these sites answers for itself.',
};

export const NO_FILES: Notice = {
  code: 'no-files',
  message: 'This machine lets the crawl open no more files, and so no more connections.',
  remedy: 'Nothing is lost: fetches wait. Raise the limit ("ulimit -n 4096"), or lower network.concurrency.',
};

export const ONLINE: Notice = { code: 'online', message: 'The network is back.', remedy: NOTHING_TO_DO };

/** @param waiting - records waiting to be stored */
export function storeWaits(waiting: number): Notice {
  return {
    code: 'store-waits',
    message: `The store takes nothing at the moment; it keeps ${counted(waiting, 'record')} of this crawl waiting.`,
    remedy: 'Nothing is lost. Fetching waits, too, and goes on when the store answers.',
  };
}

export const STORE_BACK: Notice = {
  code: 'store-back',
  message: 'The store takes records again.',
  remedy: NOTHING_TO_DO,
};

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
  const remedy = 'Put other examples in their place in bingo.yaml; the next crawl learns from them.';
  if (topics.length === 0) return [];
  const of = topics.length > NAMED ? counted(topics.length, 'topic') : '';
  const message = `No example of ${of === '' ? quoted(topics) : of} could be had: no page is given to ${topics.length > 1 ? 'them' : 'it'}.`;
  return [{ code, message: of === '' ? message : `${message} They are ${firstOf(topics)}.`, remedy }];
}

/** Notice for topics with too few training pages; `archetypes` counts pages. */
export function fewExamples(topics: readonly (LearnedPoorly & { readonly archetypes: number })[]): readonly Notice[] {
  const code = 'few-examples';
  if (topics.length <= NAMED)
    return topics.map(({ topic, pages, archetypes }) => ({
      code,
      message: `Learning found ${counted(archetypes, 'archetype')} for "${topic}": it is learned from ${counted(pages, 'page')} in all.`,
      remedy: 'Look over what it found: bingo review DIR',
    }));
  const message =
    `${counted(topics.length, 'topic')} are learned from few pages, ${Math.max(...topics.map(({ pages }) => pages))} at the most, ` +
    `what learning found included. They are ${firstOf(topics.map(({ topic }) => topic))}.`;
  return [{ code, message, remedy: 'See them all, and what could be added: bingo review DIR --proposals' }];
}

/** Notice for topics whose classifiers recognise their training pages only because they were trained on them. */
export function unrecognised(topics: readonly LearnedPoorly[]): readonly Notice[] {
  const code = 'unrecognised';
  if (topics.length <= NAMED)
    return topics.map(({ topic, pages }) => ({
      code,
      message:
        `Of its ${counted(pages, 'training page')} the classifier of "${topic}" recognises none that it has not seen: they have too little ` +
        'in common, or pages of another topic or of OTHERS are like them.',
      remedy: `See what it goes by: bingo topic show DIR "${topic}". Name examples that are more alike, or put topics that say the same together.`,
    }));
  const message =
    `The classifiers of ${counted(topics.length, 'topic')} recognise none of their training pages that they have not seen: these have too little ` +
    `in common, or pages of other topics or of OTHERS are like them. They are ${firstOf(topics.map(({ topic }) => topic))}.`;
  const remedy =
    'See what they go by: bingo topic show DIR TOPIC. Name examples that are more alike, or put topics that say the same together.';
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
    'Nearly every page looks like the examples: OTHERS are too few, or come from elsewhere. ' +
    'Until the classifier can tell pages apart, those that look least like the examples are taken for OTHERS, in place of any from other sites.',
  remedy: 'Name ten pages of the same sites that you do not want under "others:" in bingo.yaml, or mark some bad.',
};

export function checkpointLeftOut(error: unknown): Notice {
  const why = error instanceof Error ? error.message : String(error);
  return {
    code: 'checkpoint',
    message: `A checkpoint could not be written: ${why}`,
    remedy: 'Nothing is lost. The next run takes longer to begin.',
  };
}
