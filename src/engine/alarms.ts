import { counted, type TopicId } from '../core/index.ts';

/** What a person should know of the crawl, beside what its pages tell: see `state/watch.ts` for that. */
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

/** @param waiting - records */
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

/** A topic that learning found little for; both counts in pages. */
export function fewExamples(topic: TopicId, pages: number, archetypes: number): Notice {
  const found = counted(archetypes, 'archetype');
  return {
    code: 'few-examples',
    message: `Learning found ${found} for "${topic}": it is learned from ${counted(pages, 'page')} in all.`,
    remedy: 'Look over what it found: bingo review DIR',
  };
}

/** A topic whose classifier knows its training pages only because it has seen them. @param pages - these pages */
export function unrecognised(topic: TopicId, pages: number): Notice {
  return {
    code: 'unrecognised',
    message:
      `Of its ${counted(pages, 'training page')} the classifier of "${topic}" recognises none that it has not seen: they have too little ` +
      'in common, or pages of another topic or of OTHERS are like them.',
    remedy: `See what it goes by: bingo topic show DIR "${topic}". Name examples that are more alike, or put topics that say the same together.`,
  };
}

export const INDISCRIMINATE: Notice = {
  code: 'indiscriminate',
  message:
    'Nearly every page looks like the examples: OTHERS are too few, or come from elsewhere. ' +
    'Until the classifier can tell pages apart, those that look least like the examples are taken for OTHERS, in place of any from other sites.',
  remedy: 'Name ten pages of the same sites that you do not want under "others:" in bingo.yaml, or mark some bad.',
};
