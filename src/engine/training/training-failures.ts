import { BingoError, canonicalize, type TopicNode } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';

/** A training page that could not be had, and the reason. */
type Failure = readonly [url: string, why: string];

/** A training page that teaches nothing, since it could not be had. */
export interface UnusedTrainingPage {
  readonly url: string;
  readonly why: string;
  /** It stands for a topic, not for OTHERS. */
  readonly isExample: boolean;
  /** It was asked for in this run; otherwise in one before, and not again. */
  readonly isNew: boolean;
}

/** Training pages that an error names: where the network is down, all fail for one reason. */
const SHOWN_REASONS = 5;
/** Pages that are told of one by one when they fail for one reason; of more, so many are named. */
const NAMED = 3;
/** An example with fewer words is told of. */
const FEW_WORDS = 20;

/** The error of topics without an example that could be had; why theirs could not comes first. */
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
    hint: 'Check the network and the addresses in bingo.yaml, then run the same command again; nothing is lost.',
  });
}

/** What a person is told of training pages that could not be had: a machine without network must not fill the screen. */
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

/** Examples from which next to nothing can be learned. What scripts write into a page is not in what its server sends. */
export function shortExamplesTold(
  pages: Iterable<readonly [url: string, page: { readonly others: boolean; readonly tokens: number }]>,
): readonly { readonly message: string; readonly remedy: string }[] {
  const short = [...pages].filter(([, { others, tokens }]) => !others && tokens < FEW_WORDS);
  const remedy = 'Name pages whose text, without scripts, says what the topic is about.';
  if (short.length > NAMED) {
    const message = `${counted(short.length, 'example')} have fewer than ${FEW_WORDS} words of text: little can be learned from them. They are ${firstOf(short)}.`;
    return [{ message, remedy }];
  }
  return short.map(([url, { tokens }]) => {
    const message = `The example ${url} has ${counted(tokens, 'word')} of text: little can be learned from it.`;
    return { message, remedy };
  });
}

/** The first pages of many by name, the others by their number. */
function firstOf(pages: readonly (readonly [url: string, ...unknown[]])[]): string {
  const named = pages.slice(0, NAMED).map(([url]) => url);
  return `${named.join(', ')} and ${counted(pages.length - NAMED, 'more page')}`;
}

/** The same for pages of several sites, whatever their names. */
function reasonOf([url, why]: Failure): string {
  const host = URL.parse(url)?.hostname ?? '';
  return host === '' ? why : why.replaceAll(host, '…');
}

/**
 * Training pages that could not be had, examples first.
 * @param before those of them that failed in an earlier run, and were not asked for since
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
