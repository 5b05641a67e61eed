import { type Judgement, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { sanitizeForTerminal, showAddress } from '../words/terminal.ts';
import { storedUnder } from '../workspace/typed-address.ts';
import { judgementOf } from './feedback.ts';

/** A page that the user can decide on. */
export interface DecidedPage {
  /** Its key among the training pages. */
  readonly key: string;
  /** 0 for a document that is not a stored page. */
  readonly sequence: number;
  readonly title: string;
  /** Its current topic, named as in bingo.yaml; `undefined` if the page was rejected, or its topic was deleted. */
  readonly topic: TopicId | undefined;
}

/**
 * Finds the page that the user named: a stored page by any of its URLs, as in `bingo why`, or a training page by its
 * key.
 */
export async function findPage(
  store: Pick<Store, 'pageOf'>,
  desk: TrainingDesk,
  text: string,
): Promise<DecidedPage | undefined> {
  const taught = desk.training().find(({ key }) => key === text) ?? desk.judgements.get(text);
  // The key of a local document may look like a URL without being one.
  if (taught !== undefined && !/^https?:/.test(text))
    return { ...taught, topic: taught.topic === ROOT ? undefined : taught.topic };
  const page = await storedUnder(store, text);
  if (page === undefined) return undefined;
  const { sequence, finalUrl, document, assignment } = page;
  const topic = assignment.others ? undefined : desk.topicNow(assignment.topic);
  return { key: desk.keyOf({ sequence, finalUrl }), sequence, title: document.title, topic };
}

/**
 * Finds the pages that the user named.
 * @throws UsageError that lists all unknown pages
 */
export async function findPages(
  store: Pick<Store, 'pageOf'>,
  desk: TrainingDesk,
  names: readonly string[],
): Promise<readonly DecidedPage[]> {
  const found: DecidedPage[] = [];
  const unknown: string[] = [];
  for (const name of names) {
    const page = await findPage(store, desk, name);
    if (page === undefined) unknown.push(nameShown(name));
    else found.push(page);
  }
  if (unknown.length === 0) return found;
  throw new UsageError(
    `Not stored, so nothing can be learned from:\n${unknown.map((name) => `  ${name}`).join('\n')}`,
    'Stored pages are listed by bingo search and bingo export. A new page: add it to the examples in bingo.yaml.',
  );
}

/**
 * Returns decisions that withdraw the earlier marks of the named pages.
 * @throws UsageError that lists pages without marks
 */
export async function asUndecided(
  store: Pick<Store, 'pageOf'>,
  desk: TrainingDesk,
  names: readonly string[],
): Promise<readonly Judgement[]> {
  const undecided: Judgement[] = [];
  const unmarked: string[] = [];
  for (const name of names) {
    const page = await findPage(store, desk, name);
    if (page !== undefined && desk.isDecided(page.key)) undecided.push(judgementOf(page, 'free', ROOT));
    else unmarked.push(page === undefined ? nameShown(name) : showAddress(page.key));
  }
  if (unmarked.length > 0)
    throw new UsageError(
      `No mark to undo:\n${unmarked.map((name) => `  ${name}`).join('\n')}`,
      'Nothing was changed. To undo the mark of a site, name its host.',
    );
  return undecided;
}

/**
 * Returns a name as typed. Puts it in quotes if it has no visible character, for example from a script's empty
 * variable.
 */
function nameShown(name: string): string {
  const shown = sanitizeForTerminal(name);
  return shown.trim() === '' ? `"${shown}"` : shown;
}

/** Marks a page as an example: of the named topic, else of its current topic, else of the only topic. */
export function asExample(page: DecidedPage, named: TopicId | undefined, desk: TrainingDesk): Judgement {
  const good = [...desk.tree.nodes.values()].filter((node) => node.good);
  const own = page.topic === ROOT ? undefined : page.topic;
  const topic = named ?? own ?? (good.length === 1 ? good[0]!.id : undefined);
  if (topic === undefined)
    throw new UsageError(
      `${showAddress(page.key)} is in no topic. Which topic is it an example of?`,
      `Name one with the option "topic": ${good.map(({ id }) => id).join(', ')}`,
    );
  return judgementOf(page, 'example', topic);
}

/** Marks a page as a counter-example: of the whole tree, or of the named topic. */
export function asOthers(page: DecidedPage, named: TopicId | undefined, desk: TrainingDesk): Judgement {
  const node = named === undefined ? ROOT : (desk.tree.nodes.get(named)?.parent ?? ROOT);
  return judgementOf(page, 'others', node);
}
