import { type Judgement, type PageRecord, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { sanitizeForTerminal, showAddress } from '../words/terminal.ts';
import { addressForms } from '../workspace/typed-address.ts';
import { judgementOf } from './feedback.ts';

/** A page that a person can decide on. */
export interface DecidedPage {
  /** Its name among the training pages. */
  readonly key: string;
  /** 0 for a document that is no stored page. */
  readonly sequence: number;
  readonly title: string;
  /** Where it is now, as bingo.yaml calls it; `undefined` when it is in OTHERS, or its topic is gone. */
  readonly topic: TopicId | undefined;
}

/** The page that a person named: a stored page by any of its addresses, as `bingo why` reads them, or a training page by its name. */
export async function findPage(
  store: Pick<Store, 'pageOf'>,
  desk: TrainingDesk,
  text: string,
): Promise<DecidedPage | undefined> {
  const taught = desk.training().find(({ key }) => key === text) ?? desk.judgements.get(text);
  // The name of a local document may look like an address, and is none.
  if (taught !== undefined && !/^https?:/.test(text))
    return { ...taught, topic: taught.topic === ROOT ? undefined : taught.topic };
  const page = await storedPage(store, text);
  if (page === undefined) return undefined;
  const { sequence, finalUrl, document, assignment } = page;
  const topic = assignment.others ? undefined : desk.topicNow(assignment.topic);
  return { key: desk.keyOf({ sequence, finalUrl }), sequence, title: document.title, topic };
}

async function storedPage(store: Pick<Store, 'pageOf'>, text: string): Promise<PageRecord | undefined> {
  for (const url of addressForms(text)) {
    const page = await store.pageOf(url);
    if (page !== undefined) return page;
  }
  return undefined;
}

/**
 * The pages that a person named.
 * @throws UsageError that names all that are not known
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
 * Pages that a person named without the marks that were made before.
 * @throws UsageError that names those without any
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
      `No mark to take back:\n${unmarked.map((name) => `  ${name}`).join('\n')}`,
      'Nothing was changed. Marks of sites are taken back by the names of their hosts.',
    );
  return undecided;
}

/** A name as it was typed; one without a visible character, as a script gives it whose variable is empty, in quotes. */
function nameShown(name: string): string {
  const shown = sanitizeForTerminal(name);
  return shown.trim() === '' ? `"${shown}"` : shown;
}

/** A page as an example of a topic: of the one that was named, else of the one that it is in, else of the only one. */
export function asExample(page: DecidedPage, named: TopicId | undefined, desk: TrainingDesk): Judgement {
  const good = [...desk.tree.nodes.values()].filter((node) => node.good);
  const own = page.topic === ROOT ? undefined : page.topic;
  const topic = named ?? own ?? (good.length === 1 ? good[0]!.id : undefined);
  if (topic === undefined)
    throw new UsageError(
      `${showAddress(page.key)} is in no topic: an example of which one?`,
      `Add --topic, one of: ${good.map(({ id }) => id).join(', ')}`,
    );
  return judgementOf(page, 'example', topic);
}

/** A page as one of OTHERS: of the whole tree, or beside the topic that was named. */
export function asOthers(page: DecidedPage, named: TopicId | undefined, desk: TrainingDesk): Judgement {
  const node = named === undefined ? ROOT : (desk.tree.nodes.get(named)?.parent ?? ROOT);
  return judgementOf(page, 'others', node);
}
