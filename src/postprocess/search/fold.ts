import { type Comparable, isAlike } from '../alike.ts';

/** Fields of a page used for folding. */
export type Foldable = Comparable;

/** A page, with its later near duplicates. */
export type Folded<T> = T & { readonly alike: readonly T[] };

/** Folds near duplicates: each page joins the first earlier page that is similar. Keeps the order. */
export function foldDuplicates<T extends Foldable>(pages: readonly T[]): readonly Folded<T>[] {
  const kept: { readonly page: T; readonly alike: T[] }[] = [];
  for (const page of pages) {
    const like = kept.find((other) => isAlike(other.page, page));
    if (like === undefined) kept.push({ page, alike: [] });
    else like.alike.push(page);
  }
  return kept.map(({ page, alike }) => ({ ...page, alike }));
}
