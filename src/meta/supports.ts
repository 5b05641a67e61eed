import { type FeatureSpace, spaceParts } from '../core/index.ts';
import { type SparseVector, vectorize } from '../learn/index.ts';
import { partLengths, type SpaceData } from './joined-space.ts';
import type { KernelModel, SupportPages, SupportPart, Weights } from './models.ts';
import type { TrainedKernel, TrainedSpace } from './space-training.ts';

/** Positions of the support pages of kernel SVMs in ascending order, by space. */
export type Supports = ReadonlyMap<string, readonly number[]>;

export function supportsOf(trained: readonly TrainedSpace[]): Supports {
  const bySpace = Map.groupBy(
    trained.filter(({ kernel }) => kernel !== undefined),
    ({ space }) => space,
  );
  return new Map(
    [...bySpace].map(([space, own]) => {
      const documents = new Set(own.flatMap(({ kernel }) => supportsIn(kernel)));
      return [space, [...documents].sort((a, b) => a - b)];
    }),
  );
}

function supportsIn(kernel: TrainedKernel | undefined): readonly number[] {
  return kernel?.documents.filter((_, row) => kernel.coefficients[row] !== 0) ?? [];
}

/** Features of support pages in one part, by number in its corpus. */
export function supportFeatures(supports: Supports, { space, corpus }: SpaceData): ReadonlySet<number> {
  const features = new Set<number>();
  for (const [name, documents] of supports) {
    if (!partsOf(name).includes(space)) continue;
    for (const document of documents) for (const id of corpus.bags[document]!.ids) features.add(id);
  }
  return features;
}

/** Vocabulary of a space, and the numbers of its features there. */
interface Numbering extends Pick<Weights, 'vocabulary'> {
  readonly numbers: Int32Array;
}

/** Converts support pages into the plain form that classification reads. */
export function supportPages(
  supports: Supports,
  spaces: ReadonlyMap<FeatureSpace, SpaceData>,
  numberings: ReadonlyMap<FeatureSpace, Numbering>,
): readonly SupportPages[] {
  return [...supports].map(([space, documents]) => {
    const names = partsOf(space);
    const lengths = partLengths(names);
    const parts = names.map((name, part) =>
      supportPart(documents, spaces.get(name)!, { ...numberings.get(name)!, length: lengths[part]! }),
    );
    const squares = Float64Array.from(documents, (_, page) => parts.reduce((sum, part) => sum + square(part, page), 0));
    return { space, parts, squares };
  });
}

function supportPart(
  documents: readonly number[],
  { corpus, rarity }: SpaceData,
  { vocabulary, numbers, length }: Numbering & { readonly length: number },
): SupportPart {
  const vectors = documents.map((document): SparseVector => vectorize(corpus.bags[document]!, rarity));
  const starts = new Int32Array(documents.length + 1);
  vectors.forEach(({ values }, page) => {
    starts[page + 1] = starts[page]! + values.length;
  });
  return {
    vocabulary,
    starts,
    indices: Int32Array.from(vectors.flatMap(({ indices }) => [...indices].map((id) => numbers[id]!))),
    values: Float32Array.from(vectors.flatMap(({ values }) => [...values].map((value) => value * length))),
  };
}

function square({ starts, values }: SupportPart, page: number): number {
  let sum = 0;
  for (let at = starts[page]!; at < starts[page + 1]!; at++) sum += values[at]! ** 2;
  return sum;
}

export function kernelModel(space: string, trained: TrainedSpace, supports: Supports): KernelModel | undefined {
  const { kernel, calibration } = trained;
  if (kernel === undefined) return undefined;
  const numbers = new Map(supports.get(space)!.map((document, page) => [document, page]));
  return {
    kernel: kernel.kernel,
    pages: Int32Array.from(supportsIn(kernel), (document) => numbers.get(document)!),
    coefficients: kernel.coefficients.filter((coefficient) => coefficient !== 0),
    bias: kernel.bias,
    calibration,
  };
}

function partsOf(space: string): readonly FeatureSpace[] {
  return spaceParts(space) ?? [];
}
