import type { SpaceModel, TopicModels } from './models.ts';

type Estimates = Pick<SpaceModel, 'xiAlphaPrecision' | 'heldOutPrecision' | 'heldOutAuc'>;

/**
 * The single best classifier of a topic (BINGO! §3.5): the one with the greatest estimated precision. Two or three
 * examples often give equal precision; then the one that ranks held-out pages best wins, then the first.
 */
export function bestSvm<T extends { readonly model: Estimates }>(
  models: Pick<TopicModels, 'calibrated'>,
  svms: readonly T[],
): T {
  const precision = ({ model }: T): number => known(precisionOf(models, model));
  const isBetter = (a: T, b: T): boolean =>
    precision(a) > precision(b) ||
    (precision(a) === precision(b) && known(a.model.heldOutAuc) > known(b.model.heldOutAuc));
  return svms.reduce((best, svm) => (isBetter(svm, best) ? svm : best));
}

/**
 * The paper weights by xi-alpha. On the calibrated scale the held-out precision is used, because it is far less
 * pessimistic.
 */
export function precisionOf({ calibrated }: Pick<TopicModels, 'calibrated'>, model: Estimates): number {
  return calibrated ? model.heldOutPrecision : model.xiAlphaPrecision;
}

function known(figure: number): number {
  return Number.isNaN(figure) ? -1 : figure;
}
