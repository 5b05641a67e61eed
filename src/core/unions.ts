/** The members of a union with this `kind`. */
export type OfKind<U extends { readonly kind: string }, K extends U['kind']> = Extract<U, { readonly kind: K }>;

/** Ends a `switch` over a union: the compiler rejects the call if a case is missing. */
export function assertNever(x: never): never {
  throw new TypeError(`Unexpected value: ${JSON.stringify(x)}`);
}
