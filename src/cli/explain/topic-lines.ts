import type { TopicEstimate } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import { type SpaceModel, topicGrade } from '../../meta/index.ts';
import {
  BETWEEN_TERMS,
  type Column,
  figure,
  labelled,
  type Paint,
  type RoundRow,
  sanitizeForTerminal,
  spaceShown,
  type TopicAnswer,
  table,
  termList,
  wrap,
} from '../../workbench/index.ts';

/** Maximum number of rounds shown; JSON has them all. */
const ROUNDS_SHOWN = 12;

export interface TopicStyle {
  readonly width: number;
  readonly style: Paint;
  /** Includes held-out figures, xi-alpha, classifiers and rounds. */
  readonly withDetails: boolean;
}

/** Describes what a topic has learned. */
export function topicLines(answer: TopicAnswer, { width, style, withDetails }: TopicStyle): string[] {
  const { topic, good, learned, model, estimate, terms, classifiers } = answer;
  return [
    `${style.bold(sanitizeForTerminal(topic))}, model ${model}${good ? '' : ' (not a topic that the crawl is for)'}`,
    ...(answer.follow ? [] : ['Links of its pages are not followed (follow: false).']),
    ...(answer.shown ? [] : ['Search, portal and exports leave out its pages (shown: false).']),
    '',
    ...(learned
      ? estimateLines(estimate, width, withDetails)
      : wrap('bingo.yaml names it since the last training. The next bingo crawl learns it.', width)),
    '',
    ...labelled('for      ', termList(terms.for, answer.forms, 2), width, BETWEEN_TERMS),
    ...labelled('against  ', termList(terms.against, answer.forms, 2), width, BETWEEN_TERMS),
    '',
    ...(withDetails && answer.decidedBy === 'bayes' ? [BAYES_DECIDES] : []),
    ...(withDetails ? [...classifierLines(classifiers, width), ''] : []),
    ...(answer.features === undefined ? [] : [...featureLines(answer.features, width), '']),
    ...trainingLines(answer, width),
    ...(withDetails ? ['', ...roundLines(answer.rounds, width)] : []),
  ];
}

const BAYES_DECIDES = 'Naive Bayes decides. These classifiers supply the terms and rate links:';

function estimateLines(estimate: TopicEstimate | undefined, width: number, withDetails: boolean): string[] {
  if (estimate === undefined || estimate.positives === 0)
    return wrap('It has no examples, so no page is assigned to it. Add examples in bingo.yaml.', width);
  const { positives, negatives, heldOutMethod: method, heldOutAuc, xiAlphaPrecision, xiAlphaRecall } = estimate;
  const counts = `Grade: ${topicGrade(estimate)}. Trained on ${counted(positives, 'page')} of it and ${counted(negatives, 'counter-example')}.`;
  if (!withDetails) return wrap(counts, width);
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

/** Maximum number of terms shown; JSON has them all. */
const FEATURES_SHOWN = 30;

function featureLines(features: NonNullable<TopicAnswer['features']>, width: number): string[] {
  if (features.length === 0) return ['No term can be ranked: no training page is stored.'];
  const columns: Column[] = [{ title: 'rank', ...NUMBER }, { title: 'term' }, { title: 'MI', ...NUMBER }];
  const rows = features
    .slice(0, FEATURES_SHOWN)
    .map(({ rank, feature, information }) => [String(rank), sanitizeForTerminal(feature), information.toFixed(4)]);
  const more = features.length - rows.length;
  return [
    ...table(columns, rows, width),
    ...(more > 0 ? [`… and ${counted(more, 'more term')} (--json has all)`] : []),
  ];
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
  const rows = classifiers.map((model) => {
    const { space, kernel, selected, parts, heldOutPrecision, heldOutAuc, xiAlphaPrecision } = model;
    const features = parts.reduce((sum, part) => sum + part.indices.length, 0);
    return [
      kernel === undefined ? spaceShown(space) : `${spaceShown(space)}, ${kernel.kernel}`,
      selected === undefined ? '–' : count(selected),
      count(features),
      figure(heldOutPrecision),
      figure(heldOutAuc),
      figure(xiAlphaPrecision),
    ];
  });
  return table(columns, rows, width);
}

function trainingLines({ training, left }: Pick<TopicAnswer, 'training' | 'left'>, width: number): string[] {
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
    votes.map(({ space, accepts }) => `${spaceShown(space)} ${accepts ? 'yes' : 'no'}`).join(', '),
  ]);
  return [
    ...table(columns, rows, width),
    ...(left.own > 0 ? [`… and ${counted(left.own, 'more page')} that it is surer of (--json has all)`] : []),
    ...(left.others > 0 ? [`… and ${counted(left.others, 'more counter-example')} (--json has all)`] : []),
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

/** Describes a round. Its reason counts archetypes of all topics; here those of one topic are counted. */
function whatItDid({ model, undone, reason, admitted, dropped, refused }: RoundRow): string {
  if (undone) return `rolled back: ${reason}`;
  if (model === 1 || !/ archetypes? admitted/.test(reason)) return reason;
  return [
    `${counted(admitted.length, 'archetype')} admitted`,
    ...(dropped.length === 0 ? [] : [`${dropped.length} dropped`]),
    ...(refused.length === 0 ? [] : [`${refused.length} refused`]),
  ].join(', ');
}
