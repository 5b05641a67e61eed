import {
  count,
  counted,
  goodTopics,
  isOthersOrigin,
  isWithin,
  type PageRecord,
  ROOT,
  type RoundRecord,
  safeJson,
  type TopicEstimate,
  type TopicId,
  type TopicTree,
  TRAINING_ORIGINS,
  type TrainingEntry,
  UsageError,
} from '../../core/index.ts';
import { type TopicNames, WholeDocuments } from '../../engine/index.ts';
import {
  type Classifier,
  type ClassifierVote,
  decodeModels,
  explain,
  prepareClassifier,
  type SpaceModel,
  type TermContribution,
  topicTerms,
} from '../../meta/index.ts';
import type { Store } from '../../store/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { namesOf } from '../crawl/crawled-tree.ts';
import { topicCalled, topicMeant, topicsLike } from '../find-topic.ts';
import type { TableNames } from '../named-store.ts';
import { wantsColour } from '../process-io.ts';
import { withStore } from '../reading.ts';
import { quoted } from '../shell-words.ts';
import { BETWEEN_TERMS, formsOf, termList } from '../term-name.ts';
import { type Column, labelled, type Paint, paint, sanitizeForTerminal, table, wrap } from '../terminal.ts';

const TERMS = 15;
/** Rounds shown to a person; JSON has them all. */
const ROUNDS_SHOWN = 12;
/** So with pages of OTHERS: there may be hundreds. */
const OTHERS_SHOWN = 10;
/** And with pages of the topic and below it. */
const OWN_SHOWN = 50;
/** Training pages that tell how words are spelled. */
const SPELLING_PAGES = 200;

export const topicShow: Command = {
  name: 'topic show',
  summary: 'What a topic has learned: its terms, classifiers, training pages, and how good it is.',
  positionals: ['DIR', '[TOPIC]'],
  flags: { json: { help: 'One JSON object on stdout.' } },
  examples: [
    ['bingo topic show bikes cycling', 'Strongest terms, votes, training pages, estimates of every round.'],
    ['bingo topic show bikes cycling --json | jq .rounds', 'The estimates before and after each round.'],
  ],
  notes: [
    'Where there is one topic alone, TOPIC may be left out. Features are selected on both sides, learn.features for the topic and as many against it; with auto that number is what held-out ' +
      'pages are ranked best with. The others are taught by fetched pages.',
    'Held-out figures come from classifiers that had not seen the page they judge; what stands in brackets behind them is where ' +
      'they lie with 95 % confidence, given so few pages. xi-alpha is the estimate of the BINGO! paper, far more pessimistic.',
  ],
  run: showTopic,
};

/** One training page, and what each classifier says of it now. */
interface TrainingRow extends TrainingEntry {
  readonly votes: readonly ClassifierVote[];
}

/** A round that trained, with the estimates of the topic before and after it. */
interface RoundRow {
  readonly model: number;
  readonly at: string;
  readonly reason: string;
  readonly undone: boolean;
  readonly admitted: readonly string[];
  readonly dropped: readonly string[];
  readonly refused: readonly string[];
  readonly before: TopicEstimate | null;
  readonly after: TopicEstimate | null;
}

interface Answer {
  readonly topic: TopicId;
  readonly good: boolean;
  /** False: bingo.yaml names it since the last training. */
  readonly learned: boolean;
  /** Number of the model in force. */
  readonly model: number;
  readonly estimate: TopicEstimate | undefined;
  readonly terms: { readonly for: readonly TermContribution[]; readonly against: readonly TermContribution[] };
  /** Words of its training pages that the stems stand for. */
  readonly forms: ReadonlyMap<string, string>;
  readonly classifiers: readonly SpaceModel[];
  readonly training: readonly TrainingRow[];
  readonly left: Left;
  readonly rounds: readonly RoundRow[];
}

async function showTopic(args: Args, io: Io): Promise<number> {
  const [dir = '', name] = args.positionals;
  return withStore(dir, io, async (store, workspace, tables) => {
    const { tree, config } = workspace;
    const topic = name === undefined ? topicMeant(tree, name) : topicNamed(tree, name, dir);
    const rounds: RoundRecord[] = [];
    const names = namesOf(workspace);
    names.foresee(await store.examplePlaces());
    for await (const round of store.rounds()) {
      names.note(round);
      rounds.push(round);
    }
    const last = rounds.at(-1);
    if (last === undefined) {
      io.err(`Nothing was learned yet. Next: bingo crawl ${quoted(dir)}\n`);
      if (args.has('json')) await io.out(`${safeJson({ topic, model: 0, rounds: [] })}\n`);
      return EXIT.done;
    }
    const isWhole = args.has('json');
    const source = new WholeDocuments(store, config);
    const question = { tree, topic, rounds, names, tables: tables.names, last, source, isWhole };
    const answer = await answerFor(store, question);
    if (args.has('json')) await io.out(`${safeJson(answerRow(answer))}\n`);
    else await io.out(`${describe(answer, io.columns(), paint(wantsColour(io, io.stdoutIsTerminal))).join('\n')}\n`);
    return EXIT.done;
  });
}

/** @throws UsageError when the tree has no such topic, or it is the root, which nothing decides on */
function topicNamed(tree: TopicTree, name: string, dir: string): TopicId {
  const names = [...tree.nodes.keys()].filter((id) => id !== ROOT);
  const found = topicCalled(name, names);
  if (found !== undefined) return found;
  throw new UsageError(`There is no topic "${name}" in ${quoted(dir)}.`, topicsLike(name, names));
}

interface Question {
  readonly tree: TopicTree;
  readonly topic: TopicId;
  readonly rounds: readonly RoundRecord[];
  /** What they call topics. */
  readonly names: TopicNames;
  /** What the last of them does, and its model. */
  readonly tables: TableNames;
  readonly last: RoundRecord;
  /** Documents with the feature spaces that a vote needs. */
  readonly source: Pick<Store, 'documents'>;
  /** All training pages are wanted, not only as many as a person reads. */
  readonly isWhole: boolean;
}

async function answerFor(store: Store, question: Question): Promise<Answer> {
  const { tree, topic, rounds, names, tables, last, source, isWhole } = question;
  const classifier = prepareClassifier(decodeModels(last.blob));
  const inModel = tables.inTables(topic).find((id) => classifier.topics.has(id)) ?? topic;
  const training = last.training.map(tables.named).filter((entry) => isTrainingOf(entry, topic));
  const own = training.toSorted((a, b) => placeOf(a) - placeOf(b));
  const { shown, left } = isWhole ? { shown: own, left: NONE_LEFT } : shownOf(own);
  const good = goodTopics(tree).some(({ id }) => id === topic);
  const estimate = last.estimates.map(tables.named).find((one) => one.topic === topic);
  const terms = topicTerms(classifier, inModel, TERMS);
  const pages = await pagesOf(store, shown);
  const sequences = [...pages.values()].slice(0, SPELLING_PAGES).map(({ sequence }) => sequence);
  const texts = await store.texts(sequences);
  return {
    topic,
    good,
    learned: estimate !== undefined || !hasExamples(tree, topic),
    model: last.model,
    estimate,
    terms,
    forms: formsOf([terms.for, terms.against], texts.values(), await store.languages()),
    classifiers: (classifier.svms.get(inModel) ?? []).map(({ model }) => model),
    training: await withVotes({ pages, source }, classifier, inModel, shown),
    left,
    rounds: roundRows(
      rounds.map((round) => underNamesOfNow(round, names)),
      topic,
    ),
  };
}

/** It, or a topic below it, has something to learn from. */
function hasExamples(tree: TopicTree, topic: TopicId): boolean {
  return [...tree.nodes.values()].some(({ id, examples }) => isWithin(id, topic) && examples.length > 0);
}

/** Examples of the topic and below it, and the OTHERS that it is told from. */
function isTrainingOf(entry: TrainingEntry, topic: TopicId): boolean {
  const isOthers = isOthersOrigin(entry.origin);
  return isOthers ? isWithin(topic, entry.topic) : isWithin(entry.topic, topic);
}

/** What a person gave first, then what the crawl found; the topic's own pages before what it is told from. */
/** Training pages that were left out. */
interface Left {
  readonly own: number;
  readonly others: number;
}

const NONE_LEFT: Left = { own: 0, others: 0 };

/** What a person reads of training pages. Where a topic has more of its own, those that it knows least: they may be wrong. */
function shownOf(entries: readonly TrainingEntry[]): { readonly shown: readonly TrainingEntry[]; readonly left: Left } {
  const { own = [], others = [] } = Object.groupBy(entries, ({ origin }) =>
    isOthersOrigin(origin) ? 'others' : 'own',
  );
  const surenessOf = ({ confidence }: TrainingEntry): number => (Number.isNaN(confidence) ? 1 : confidence);
  const all = own.length > OWN_SHOWN ? own.toSorted((a, b) => surenessOf(a) - surenessOf(b)) : own;
  return {
    shown: [...all.slice(0, OWN_SHOWN), ...others.slice(0, OTHERS_SHOWN)],
    left: { own: Math.max(0, own.length - OWN_SHOWN), others: Math.max(0, others.length - OTHERS_SHOWN) },
  };
}

function placeOf({ origin }: TrainingEntry): number {
  return TRAINING_ORIGINS.indexOf(origin);
}

async function pagesOf(store: Store, entries: readonly TrainingEntry[]): Promise<ReadonlyMap<string, PageRecord>> {
  const pages = new Map<string, PageRecord>();
  for (const { key } of entries) {
    const page = await store.pageOf(key);
    if (page !== undefined) pages.set(key, page);
  }
  return pages;
}

/** A page that is not stored, such as a local file, has no votes: only rounds keep its features. */
async function withVotes(
  { pages, source }: { readonly pages: ReadonlyMap<string, PageRecord>; readonly source: Question['source'] },
  classifier: Classifier,
  topic: TopicId,
  entries: readonly TrainingEntry[],
): Promise<TrainingRow[]> {
  const documents = await source.documents([...pages.values()].map((page) => page.sequence));
  return entries.map((entry) => {
    const document = documents.get(pages.get(entry.key)?.sequence ?? 0);
    const votes = document === undefined ? [] : (explain(classifier, document.features, topic, 0)?.votes ?? []);
    return { ...entry, votes };
  });
}

type ToldOfRound = Pick<
  RoundRecord,
  'model' | 'at' | 'reason' | 'undone' | 'admitted' | 'dropped' | 'refused' | 'estimates'
>;

/** What a round says of topics, some of which may have been renamed since. */
function underNamesOfNow(round: RoundRecord, names: TopicNames): ToldOfRound {
  const renamed = <T extends { readonly topic: TopicId }>(items: readonly T[]): T[] =>
    items.flatMap((item) => {
      const topic = names.renamed(item.topic, round.sequence);
      return topic === undefined ? [] : [{ ...item, topic }];
    });
  const { admitted, dropped, refused = [], estimates } = round;
  return {
    ...round,
    ...{ admitted: renamed(admitted), dropped: renamed(dropped), refused: renamed(refused) },
    estimates: renamed(estimates),
  };
}

/** Rounds that trained; those that only moved links change no estimate. */
function roundRows(rounds: readonly ToldOfRound[], topic: TopicId): RoundRow[] {
  const estimateIn = (round: ToldOfRound | undefined): TopicEstimate | null =>
    round?.estimates.find((estimate) => estimate.topic === topic) ?? null;
  return rounds.flatMap((round, i): RoundRow[] => {
    const before = rounds[i - 1];
    if (before !== undefined && before.model === round.model && !round.undone) return [];
    const keys = (items: readonly { readonly key: string; readonly topic: TopicId }[]): string[] =>
      items.filter((item) => isWithin(item.topic, topic)).map((item) => item.key);
    const { model, at, reason, undone, admitted, dropped, refused = [] } = round;
    return [
      {
        model,
        at: new Date(at).toISOString(),
        reason,
        undone,
        admitted: keys(admitted),
        dropped: keys(dropped),
        refused: keys(refused),
        before: estimateIn(before),
        after: estimateIn(round),
      },
    ];
  });
}

function answerRow({ classifiers, estimate, forms: _, left: _left, ...rest }: Answer): object {
  return {
    ...rest,
    estimate: estimate ?? null,
    classifiers: classifiers.map((model) => classifierRow(model)),
  };
}

function classifierRow(model: SpaceModel): object {
  const { space, selected, parts, bias, xiAlphaPrecision, heldOutPrecision, heldOutAuc } = model;
  const features = parts.reduce((sum, part) => sum + part.indices.length, 0);
  return { space, selected, features, bias, xiAlphaPrecision, heldOutPrecision, heldOutAuc };
}

function describe(answer: Answer, width: number, style: Paint): string[] {
  const { topic, good, learned, model, estimate, terms, classifiers } = answer;
  return [
    `${style.bold(sanitizeForTerminal(topic))}, model ${model}${good ? '' : ' (not a topic that the crawl is for)'}`,
    '',
    ...(learned
      ? estimateLines(estimate, width)
      : wrap('bingo.yaml names it since the last training. The next bingo crawl learns it.', width)),
    '',
    ...labelled('for      ', termList(terms.for, answer.forms, 2), width, BETWEEN_TERMS),
    ...labelled('against  ', termList(terms.against, answer.forms, 2), width, BETWEEN_TERMS),
    '',
    ...classifierLines(classifiers, width),
    '',
    ...trainingLines(answer, width),
    '',
    ...roundLines(answer.rounds, width),
  ];
}

function estimateLines(estimate: TopicEstimate | undefined, width: number): string[] {
  if (estimate === undefined || estimate.positives === 0)
    return wrap('No page exemplifies it, so no page is given to it. Give it examples in bingo.yaml.', width);
  const { positives, negatives, heldOutMethod: method, heldOutAuc, xiAlphaPrecision, xiAlphaRecall } = estimate;
  const counts = `Trained on ${count(positives)} of its pages against ${count(negatives)} others.`;
  const xiAlpha = `xi-alpha     precision ${figure(xiAlphaPrecision)}, recall ${figure(xiAlphaRecall)}`;
  if (method === 'none')
    return [
      counts,
      ...labelled('held out     ', 'unknown: it takes two pages of a topic to leave one out', width),
      xiAlpha,
    ];
  return [
    counts,
    ...labelled(
      'held out     ',
      `precision ${withRange(estimate, 'Precision')}, recall ${withRange(estimate, 'Recall')}, ` +
        `rank ${figure(heldOutAuc)} (${method})`,
      width,
      BETWEEN_TERMS,
    ),
    xiAlpha,
  ];
}

function withRange(estimate: TopicEstimate, name: 'Precision' | 'Recall'): string {
  const range = estimate[`heldOut${name}Range`];
  const value = figure(estimate[`heldOut${name}`]);
  return range === undefined ? value : `${value} (${figure(range.low)} to ${figure(range.high)})`;
}

const NUMBER = { align: 'right' } as const;

function classifierLines(classifiers: readonly SpaceModel[], width: number): string[] {
  if (classifiers.length === 0) return ['It has no classifier.'];
  const columns: Column[] = [
    { title: 'classifier' },
    { title: 'selected', ...NUMBER },
    { title: 'features', ...NUMBER },
    { title: 'held-out precision', ...NUMBER },
    { title: 'rank', ...NUMBER },
    { title: 'xi-alpha', ...NUMBER },
  ];
  const rows = classifiers.map(({ space, selected, parts, heldOutPrecision, heldOutAuc, xiAlphaPrecision }) => {
    const features = parts.reduce((sum, part) => sum + part.indices.length, 0);
    return [
      space,
      selected === undefined ? '–' : count(selected),
      count(features),
      figure(heldOutPrecision),
      figure(heldOutAuc),
      figure(xiAlphaPrecision),
    ];
  });
  return table(columns, rows, width);
}

function trainingLines({ training, left }: Pick<Answer, 'training' | 'left'>, width: number): string[] {
  const columns: Column[] = [
    { title: 'training page' },
    { title: 'origin', flexible: false },
    { title: 'confidence', ...NUMBER },
    { title: 'votes', flexible: false },
  ];
  const rows = training.map(({ key, title, origin, confidence, votes }) => [
    title === '' ? key : `${key}  ${title}`,
    origin,
    figure(confidence),
    votes.map(({ space, accepts }) => `${space} ${accepts ? 'yes' : 'no'}`).join(', '),
  ]);
  return [
    ...table(columns, rows, width),
    ...(left.own > 0 ? [`… and ${counted(left.own, 'more page')} that it is surer of (--json has all)`] : []),
    ...(left.others > 0 ? [`… and ${counted(left.others, 'more page')} of OTHERS (--json has all)`] : []),
  ];
}

function roundLines(rounds: readonly RoundRow[], width: number): string[] {
  const columns: Column[] = [
    { title: 'round', flexible: false },
    { title: 'what it did' },
    { title: 'held-out precision', ...NUMBER },
    { title: 'recall', ...NUMBER },
    { title: 'rank', ...NUMBER },
    { title: 'xi-alpha', ...NUMBER },
  ];
  const change = (row: RoundRow, value: (estimate: TopicEstimate) => number): string => {
    const after = row.after === null ? '–' : figure(value(row.after));
    return row.before === null ? after : `${figure(value(row.before))} → ${after}`;
  };
  const rows = rounds
    .slice(-ROUNDS_SHOWN)
    .map((row) => [
      String(row.model),
      whatItDid(row),
      change(row, (estimate) => estimate.heldOutPrecision),
      change(row, (estimate) => estimate.heldOutRecall),
      change(row, (estimate) => estimate.heldOutAuc),
      change(row, (estimate) => estimate.xiAlphaPrecision),
    ]);
  const earlier = rounds.length - rows.length;
  return [
    ...table(columns, rows, width),
    ...(earlier > 0 ? [`… and ${counted(earlier, 'round')} before (--json)`] : []),
  ];
}

/** The reason counts archetypes of all topics; here those of one are meant. */
function whatItDid({ model, undone, reason, admitted, dropped, refused }: RoundRow): string {
  if (undone) return `undone: ${reason}`;
  if (model === 1 || !/ archetypes? admitted/.test(reason)) return reason;
  return [
    `${counted(admitted.length, 'archetype')} admitted`,
    ...(dropped.length === 0 ? [] : [`${dropped.length} dropped`]),
    ...(refused.length === 0 ? [] : [`${refused.length} refused`]),
  ].join(', ');
}

function figure(x: number): string {
  return Number.isFinite(x) ? x.toFixed(2) : '–';
}
