/** Packages without types of their own: what the tests use of them. */
declare module 'porter-stemmer' {
  export function stemmer(word: string): string;
}
