import { type CanonicalUrl, counted, isWithin, PART_STATUS, type PageRecord, type TopicId } from '../../core/index.ts';
import { type Classifier, decodeModels, type Explanation, explain, prepareClassifier } from '../../meta/index.ts';
import type { PathStep, Store, UrlFacts } from '../../store/index.ts';
import {
  BETWEEN_TERMS,
  formsOf,
  idleNotes,
  labelled,
  NO_RULES,
  NOTHING_KNOWN,
  type Notes,
  namedStore,
  type Paint,
  paint,
  ruleNotes,
  sanitizeForTerminal,
  showAddress,
  storedModel,
  type Tables,
  tableNames,
  termList,
  type Workspace,
  wholeReason,
  wrap,
} from '../../workbench/index.ts';

const TERMS = 12;
const LINKING_PAGES = 5;

/** All that can be said of a URL. */
export interface UrlAnswer {
  readonly url: CanonicalUrl;
  readonly facts: UrlFacts;
  /** In a sentence or two, what became of it. */
  readonly reason: string;
  readonly path: readonly PathStep[];
  readonly explanation: Explanation | undefined;
  /** Words of the page that the stems of the explanation stand for. */
  readonly forms: ReadonlyMap<string, string>;
}

/** The answer as plain lines, for whoever shows it in another place, in the words of the workspace's topic tree. */
export async function whyLines(store: Store, url: CanonicalUrl, workspace: Workspace): Promise<readonly string[]> {
  const tables = { store, names: await tableNames(store, workspace) };
  const answer = await answerFor(namedStore(store, tables.names), url, { workspace, tables });
  return answerLines(answer, paint(false), Number.POSITIVE_INFINITY);
}

/** Where an answer comes from besides. */
export interface AnswerSources {
  /** Documents with the feature spaces that a vote needs. Default: those stored. */
  readonly source?: Pick<Store, 'documents'>;
  /** Whose rules on addresses may have had a say. */
  readonly workspace?: Workspace | undefined;
  /** The store in the words of its models. Default: the same. */
  readonly tables?: Tables;
}

export async function answerFor(
  store: Store,
  url: CanonicalUrl,
  { source = store, workspace, tables }: AnswerSources,
): Promise<UrlAnswer> {
  const facts = await store.lookup(url);
  const path = facts.page === undefined && facts.visits.length === 0 ? [] : await store.pathTo(url);
  const explanation = facts.page === undefined ? undefined : await explainPage(tables?.store ?? store, url, source);
  const forms = await formsOn(store, facts.page, explanation);
  const reason = await wholeReason(store, url, facts, await notesOf(store, workspace));
  const named = explanation && tables ? tables.names.named(explanation) : explanation;
  return { url, facts, reason, path, explanation: named, forms };
}

async function notesOf(store: Store, workspace: Workspace | undefined): Promise<(url: CanonicalUrl) => Notes> {
  const rulesOn = workspace === undefined ? NO_RULES : await ruleNotes(store, workspace);
  const idleOn = workspace === undefined ? NOTHING_KNOWN : await idleNotes(store, workspace);
  return (url) => {
    const [rules, idle] = [rulesOn(url), idleOn(url)];
    return { ...rules, limit: rules.limit || idle.spent, idle };
  };
}

async function formsOn(
  store: Store,
  page: PageRecord | undefined,
  explanation: Explanation | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (page === undefined || explanation === undefined) return new Map();
  const texts = await store.texts([page.sequence]);
  const { title, language } = page.document;
  return formsOf([explanation.for, explanation.against], [title, ...texts.values()], [language]);
}

/** The strongest terms by the model that judged the page; by the last model for training pages. */
async function explainPage(
  store: Store,
  url: CanonicalUrl,
  source: Pick<Store, 'documents'>,
): Promise<Explanation | undefined> {
  const page = await store.pageOf(url);
  if (page === undefined) return undefined;
  const blob = await storedModel(store, page.assignment.model > 0 ? page.assignment.model : undefined);
  const document = (await source.documents([page.sequence])).get(page.sequence);
  if (blob === undefined || document === undefined) return undefined;
  const classifier = prepareClassifier(decodeModels(blob));
  const { topic, others } = page.assignment;
  const decided = others ? refusedAt(page.assignment, classifier) : topic;
  return decided === undefined ? undefined : explain(classifier, document.features, decided, TERMS);
}

/** The step at which a page of OTHERS went no further: below its node, on the way to the topic that is nearest. */
function refusedAt({ topic, scores }: PageRecord['assignment'], classifier: Classifier): TopicId | undefined {
  const below = scores.filter((score) => score.topic !== topic && isWithin(score.topic, topic));
  const nearest = [...below].sort((a, b) => b.relevance - a.relevance)[0];
  const path = nearest === undefined ? [] : (classifier.topics.get(nearest.topic)?.path ?? []);
  return path[path.indexOf(topic) + 1];
}

/** The answer for the person. */
export function answerLines(
  { url, facts, reason, path, explanation, forms }: UrlAnswer,
  style: Paint,
  width: number,
): string[] {
  const { page, visits, linkedFrom } = facts;
  return [
    style.bold(showAddress(url)),
    ...wrap(sanitizeForTerminal(reason), width),
    ...(page?.status === PART_STATUS ? wrap(PART_NOTE, width) : []),
    ...(page === undefined ? [] : verdictLines(page, width)),
    ...(path.length > 0 ? ['', 'The way from a seed:', ...path.map((step, i) => pathLine(step, i))] : []),
    ...(page === undefined && visits.length > 1 ? ['', `Tried ${visits.length} times.`] : []),
    ...(page === undefined && linkedFrom.length > 0 ? linkingLines(facts) : []),
    ...(explanation === undefined ? [] : termLines(explanation, forms, { style, width })),
  ];
}

const PART_NOTE = 'Only its beginning is stored: the server sent no more, each time it was asked.';

function verdictLines({ document, assignment, origin }: PageRecord, width: number): string[] {
  const { confidence, relevance, model } = assignment;
  const by = model > 0 ? `, model ${model}` : '';
  const lines: readonly (readonly [string, string])[] = [
    ['title       ', sanitizeForTerminal(document.title) || '(no title)'],
    [
      'verdict     ',
      `${assignment.others ? 'OTHERS' : sanitizeForTerminal(assignment.topic)}, confidence ${confidence.toFixed(3)}, relevance ${relevance.toFixed(3)}${by}`,
    ],
    [
      'depth       ',
      `${counted(origin.depth, 'link')} from a seed, ${counted(origin.tunnelDepth, 'rejected page')} in a row before it`,
    ],
  ];
  return lines.flatMap(([label, text]) => labelled(label, text, width));
}

function pathLine(step: PathStep, index: number): string {
  const verdict = step.others ? 'OTHERS' : step.topic;
  const anchor = step.anchor === '' ? '' : ` by "${sanitizeForTerminal(step.anchor)}"`;
  const judged = step.kind === 'page' ? `${verdict} ${step.confidence.toFixed(2)}` : step.title;
  return `  ${index + 1}. ${showAddress(step.url)}  (${step.via}${anchor}; ${sanitizeForTerminal(judged)})`;
}

function linkingLines({ linkedFrom }: UrlFacts): string[] {
  const shown = linkedFrom
    .slice(0, LINKING_PAGES)
    .map(({ url, anchor }) => `  ${showAddress(url)}  "${sanitizeForTerminal(anchor)}"`);
  const more = linkedFrom.length > LINKING_PAGES ? [`  … and ${linkedFrom.length - LINKING_PAGES} more`] : [];
  return ['', 'Pages that link to it:', ...shown, ...more];
}

function termLines(
  explanation: Explanation,
  forms: UrlAnswer['forms'],
  { style, width }: { readonly style: Paint; readonly width: number },
): string[] {
  const terms = (label: string, list: Explanation['for']): string[] =>
    labelled(label, termList(list, forms, 3), width, BETWEEN_TERMS);
  const nameWidth = Math.max(...explanation.votes.map(({ space }) => space.length), 12);
  const votes = explanation.votes.map(({ space, confidence, calibrated, accepts }) => {
    const verdict = accepts ? style.good('yes') : style.bad('no');
    return `  ${space.padEnd(nameWidth)} ${verdict}  confidence ${confidence.toFixed(3)}, calibrated ${calibrated.toFixed(2)} (accepted above ${explanation.threshold.toFixed(2)})`;
  });
  return [
    '',
    `Judged for ${sanitizeForTerminal(explanation.topic)}:`,
    ...votes,
    ...terms('  for      ', explanation.for),
    ...terms('  against  ', explanation.against),
  ];
}
