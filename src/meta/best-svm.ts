import type { SpaceModel, TopicModels } from './models.ts';

type Estimates = Pick<SpaceModel, 'xiAlphaPrecision' | 'heldOutPrecision' | 'heldOutAuc'>;

/**
 * The single best classifier of a topic (BINGO! §3.5): of greatest estimated precision; of equally precise ones, as two or
 * three examples often make them, the one that ranks held-out pages best, then the first.
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

/** The paper weighs by xi-alpha; on the calibrated scale the held-out precision does, being far less pessimistic. */
export function precisionOf({ calibrated }: Pick<TopicModels, 'calibrated'>, model: Estimates): number {
  return calibrated ? model.heldOutPrecision : model.xiAlphaPrecision;
}

function known(figure: number): number {
  return Number.isNaN(figure) ? -1 : figure;
}
