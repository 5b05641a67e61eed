import type { RejectedGroup } from '../../workbench/index.ts';

/** The groups of rejected pages, as far as they are known. */
export type GroupList =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading'; readonly read: number; readonly of: number }
  | {
      readonly kind: 'known';
      readonly groups: readonly RejectedGroup[];
      /** Keys of the decisions made about a group, by its number. */
      readonly decided: ReadonlyMap<number, readonly string[]>;
    };

/** Views of the groups: the list, and the name of a topic while it is typed. */
export type GroupView =
  | { readonly kind: 'groups'; readonly at: number }
  | { readonly kind: 'group-name'; readonly at: number; readonly text: string };
