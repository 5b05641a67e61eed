/** What a query may say of pages besides their words. Commands that search have a flag for each. */
export type FilterName = 'site' | 'type' | 'topic' | 'since' | 'until';

/** Such as `site:example.org`, `-type:pdf`. */
export interface TypedFilter {
  readonly name: FilterName;
  readonly value: string;
  readonly isRuledOut: boolean;
}

/** What may stand before a colon, in small letters. */
export const OPERATORS: ReadonlyMap<string, FilterName | 'title'> = new Map([
  ...(['site', 'type', 'topic', 'since', 'until', 'title'] as const).map((name) => [name, name] as const),
  ['filetype', 'type'],
  ['intitle', 'title'],
]);
