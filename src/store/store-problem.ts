/** Parts of a store that are checked one after the other, or side by side. */
export type StorePart = 'database' | 'journal' | 'pages' | 'index' | 'sums';

/** What is wrong in a part of the store. */
export interface StoreProblem {
  readonly part: StorePart;
  /** Sequence of the record; 0: the whole part. */
  readonly sequence: number;
  /** URL of the page; '' if unknown. */
  readonly url: string;
  readonly message: string;
}

/** What a check of the store reports. */
export type StoreCheckEvent =
  | { readonly kind: 'problem'; readonly problem: StoreProblem }
  /** Begun with `done` = 0. */
  | { readonly kind: 'checked'; readonly part: 'database' | 'records'; readonly done: number; readonly of: number };
