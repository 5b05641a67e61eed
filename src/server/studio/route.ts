import { useEffect, useState } from 'react';

/** Views of a workspace, in the order of the navigation. */
export const VIEWS = ['watch', 'review', 'search', 'explore', 'curate', 'settings'] as const;
export type View = (typeof VIEWS)[number];

/** What an address of the studio shows. */
export type Route =
  | { readonly kind: 'start' }
  /** Asks what a page is good for. */
  | { readonly kind: 'add'; readonly url: string }
  | { readonly kind: 'workspace'; readonly name: string; readonly view: View; readonly asked: URLSearchParams };

/** Reads `#/NAME/VIEW?…`, `#/add/URL`; anything else is the start. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [first = '', second = ''] = path.split('/').map(decoded);
  if (first === '') return { kind: 'start' };
  if (first === 'add') return { kind: 'add', url: second };
  const view = VIEWS.find((name) => name === second) ?? 'watch';
  return { kind: 'workspace', name: first, view, asked: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the address of a view. */
export function addressOf(name: string, view: View, asked: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== '')).toString();
  return `#/${encodeURIComponent(name)}/${view}${query === '' ? '' : `?${query}`}`;
}

/** Follows the address. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return readRoute(hash);
}
