/** Filters in a query besides its words. Search commands have a flag for each. */
export type FilterName = 'site' | 'type' | 'topic' | 'since' | 'until' | 'field' | 'author' | 'published' | 'lang';

/** Examples: `site:example.org`, `-type:pdf`. */
export interface TypedFilter {
  readonly name: FilterName;
  readonly value: string;
  readonly isRuledOut: boolean;
}

/** Words allowed before a colon, in lower case. */
export const OPERATORS: ReadonlyMap<string, FilterName | 'title'> = new Map([
  ...(['site', 'type', 'topic', 'since', 'until', 'field', 'author', 'published', 'lang', 'title'] as const).map(
    (name) => [name, name] as const,
  ),
  ['filetype', 'type'],
  ['intitle', 'title'],
  ['language', 'lang'],
]);
