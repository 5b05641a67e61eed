import { BingoError, canonicalize, type TopicNode } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';

/** A training page that could not be fetched, and the reason. */
type Failure = readonly [url: string, why: string];

/** A training page that teaches nothing because it could not be fetched. */
export interface UnusedTrainingPage {
  readonly url: string;
  readonly why: string;
  /** True if it is an example of a topic, not of OTHERS. */
  readonly isExample: boolean;
  /** True if it was requested in this run; false if it failed in an earlier run and was not retried. */
  readonly isNew: boolean;
}

/** Maximum number of training pages in an error: without a network, all fail for the same reason. */
const SHOWN_REASONS = 5;
/** Maximum number of pages with the same reason that are reported singly, or named in a joint notice. */
const NAMED = 3;
/** Examples with fewer words are reported. */
const FEW_WORDS = 20;

/** Returns the error for topics without a fetched example. The failures of their own examples come first. */
export function noTrainingPages(topics: readonly TopicNode[], failed: readonly Failure[]): BingoError {
  const ordered = examplesFirst(topics, failed);
  const left = ordered.length - SHOWN_REASONS;
  const lines = [
    `No example of ${topics.map(({ id }) => `"${id}"`).join(', ')} could be fetched.`,
    ...ordered.slice(0, SHOWN_REASONS).map(([url, why]) => `  ${url}: ${why}`),
    ...(left > 0 ? [`  … and ${counted(left, 'more training page')}`] : []),
  ];
  return new BingoError({
    code: 'NO_TRAINING_PAGES',
    message: lines.join('\n'),
    hint: 'Nothing is lost. Check the network and the addresses in bingo.yaml, then run the same command again.',
  });
}

/** Returns notices about failed training pages, joined so that a machine without a network does not fill the screen. */
export function failuresTold(
  topics: readonly TopicNode[],
  failed: readonly Failure[],
): readonly { readonly message: string; readonly remedy: string }[] {
  const byReason = Map.groupBy(examplesFirst(topics, failed), reasonOf);
  return [...byReason.values()].flatMap((pages) => {
    if (pages.length <= NAMED)
      return pages.map(([url, why]) => {
        return { message: `The training page ${url} could not be used: ${why}.`, remedy: 'Replace it in bingo.yaml.' };
      });
    const [, why] = pages[0]!;
    const like = pages.every((page) => page[1] === why) ? '' : ', for reasons like this';
    const message = `${counted(pages.length, 'training page')} could not be used${like}: ${why}. They are ${firstOf(pages)}.`;
    return [{ message, remedy: 'Replace them in bingo.yaml.' }];
  });
}

/**
 * Returns notices about examples with too little text to learn from. Text that scripts add to a page is missing from
 * the server's response.
 */
export function shortExamplesTold(
  pages: Iterable<readonly [url: string, page: { readonly others: boolean; readonly tokens: number }]>,
): readonly { readonly message: string; readonly remedy: string }[] {
  const short = [...pages].filter(([, { others, tokens }]) => !others && tokens < FEW_WORDS);
  const remedy = 'Name pages that describe the topic in their text, without scripts.';
  if (short.length > NAMED) {
    const message = `${counted(short.length, 'example')} have fewer than ${FEW_WORDS} words of text, too few to learn much from. They are ${firstOf(short)}.`;
    return [{ message, remedy }];
  }
  return short.map(([url, { tokens }]) => {
    const message = `The example ${url} has ${counted(tokens, 'word')} of text, too little to learn much from.`;
    return { message, remedy };
  });
}

/** Names the first pages of a list and counts the others. */
function firstOf(pages: readonly (readonly [url: string, ...unknown[]])[]): string {
  const named = pages.slice(0, NAMED).map(([url]) => url);
  return `${named.join(', ')} and ${counted(pages.length - NAMED, 'more page')}`;
}

/** Returns the reason without host names, so that it is equal for pages of several sites. */
function reasonOf([url, why]: Failure): string {
  const host = URL.parse(url)?.hostname ?? '';
  return host === '' ? why : why.replaceAll(host, '…');
}

/**
 * Returns training pages that could not be fetched, examples first.
 * @param before pages that failed in an earlier run and were not retried
 */
export function unusedTraining(
  topics: readonly TopicNode[],
  failed: Iterable<Failure>,
  before: ReadonlySet<string>,
): readonly UnusedTrainingPage[] {
  const examples = topics.flatMap((topic) => topic.examples);
  const own = new Set<string | undefined>(examples.flatMap((e) => (e.kind === 'url' ? [canonicalize(e.url)] : [])));
  const pages = [...failed].map(([url, why]) => ({ url, why, isExample: own.has(url), isNew: !before.has(url) }));
  return [...pages.filter(({ isExample }) => isExample), ...pages.filter(({ isExample }) => !isExample)];
}

function examplesFirst(topics: readonly TopicNode[], failed: readonly Failure[]): readonly Failure[] {
  return unusedTraining(topics, failed, new Set()).map(({ url, why }) => [url, why]);
}
