import { kernelValue } from '../learn/index.ts';
import { type Classifier, modelLengths, type PageScores } from './classifier.ts';
import type { KernelModel, SpaceModel } from './models.ts';

/** Decision value of a page by a kernel SVM. The scores of the page hold its inner product with each support page. */
export function kernelScore(
  { models, supports }: Pick<Classifier, 'models' | 'supports'>,
  { model, kernel }: { readonly model: SpaceModel; readonly kernel: KernelModel },
  { values, words }: PageScores,
): number {
  const { first, squares } = supports.get(model.space)!;
  const lengths = modelLengths(models, model);
  const own = model.parts.reduce((sum, part, k) => sum + (words[part.vocabulary]! > 0 ? lengths[k]! ** 2 : 0), 0);
  let sum = kernel.bias;
  for (let k = 0; k < kernel.pages.length; k++) {
    const page = kernel.pages[k]!;
    sum += kernel.coefficients[k]! * kernelValue(kernel.kernel, values[first + page]!, own + squares[page]!);
  }
  return sum;
}
