import type { TermCounts } from '../../core/index.ts';
import { hash53 } from '../../kit/index.ts';
import { addVector, corpusOf, dot, rarity, type SparseVector, vectorize } from '../../learn/index.ts';

/**
 * Which page of a topic is asked about. `benefit`: uncertain, typical of what is fetched, and unlike what was asked.
 * The others serve for comparison in the lab.
 */
export const QUESTION_ORDERS = ['benefit', 'unsure', 'surest', 'diverse', 'random'] as const;
export type QuestionOrder = (typeof QUESTION_ORDERS)[number];

/** A page that may be asked about, judged by the current model. */
export interface AskablePage {
  readonly key: string;
  readonly terms: TermCounts | undefined;
  /** Calibrated score for the topic. */
  readonly calibrated: number;
}

export interface ChoiceInput<T extends AskablePage> {
  readonly pages: readonly T[];
  /** Terms of pages asked about before. */
  readonly asked: readonly (TermCounts | undefined)[];
  /** Calibrated score above which a page is accepted. */
  readonly threshold: number;
  readonly order: QuestionOrder;
}

/** Distance from the threshold at which the uncertainty of a verdict has fallen to 1/e; our choice. */
const SPREAD = 0.3;

/** Returns the page whose answer teaches most; `undefined` without pages. The earlier page wins a tie. */
export function choosePage<T extends AskablePage>(input: ChoiceInput<T>): T | undefined {
  const scores = scoresOf(input);
  let best: number | undefined;
  scores.forEach((score, i) => {
    if (best === undefined || score > scores[best]!) best = i;
  });
  return best === undefined ? undefined : input.pages[best];
}

function scoresOf({ pages, asked, threshold, order }: ChoiceInput<AskablePage>): readonly number[] {
  if (order === 'random') return pages.map(({ key }) => hash53(key));
  if (order === 'surest') return pages.map(({ calibrated }) => calibrated);
  if (order === 'unsure') return pages.map(({ calibrated }) => -Math.abs(calibrated - threshold));
  const { density, novelty } = similarities(pages, asked);
  if (order === 'diverse') return novelty;
  return pages.map(({ calibrated }, i) => {
    const uncertainty = Math.exp(-Math.abs(calibrated - threshold) / SPREAD);
    return uncertainty * density[i]! * novelty[i]!;
  });
}

/**
 * Density: mean cosine of a page to the others, which stand for what is fetched next. Novelty: one minus its greatest
 * cosine to a page asked about before.
 */
function similarities(
  pages: readonly AskablePage[],
  asked: readonly (TermCounts | undefined)[],
): { readonly density: readonly number[]; readonly novelty: readonly number[] } {
  const { bags, names } = corpusOf([...pages.map(({ terms }) => terms), ...asked]);
  const idf = rarity(bags.slice(0, pages.length), names.length);
  const vectors = bags.map((bag) => vectorize(bag, idf));
  const [own, before] = [vectors.slice(0, pages.length), vectors.slice(pages.length)];
  const sum = new Float64Array(names.length);
  for (const vector of own) addVector(vector, 1, sum);
  const density = own.map((vector) => (dot(vector, sum) - dotSelf(vector)) / Math.max(1, own.length - 1));
  const greatest = own.map(() => 0);
  const dense = new Float64Array(names.length);
  for (const vector of before) {
    addVector(vector, 1, dense);
    own.forEach((page, i) => {
      greatest[i] = Math.max(greatest[i]!, dot(page, dense));
    });
    addVector(vector, -1, dense);
  }
  return { density, novelty: greatest.map((cosine) => Math.max(0, 1 - cosine)) };
}

function dotSelf({ values }: SparseVector): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}
