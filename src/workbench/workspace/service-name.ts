/** Source of the first pages of a search: the user's search service, or a file of results. */
export type SearchService =
  | { readonly kind: 'searxng'; readonly address: string }
  | { readonly kind: 'wikipedia'; readonly address: string }
  | { readonly kind: 'file'; readonly path: string };

/**
 * Parses `searxng:URL`, `wikipedia:LANGUAGE-or-URL` or `file:PATH`; `undefined` for anything else. Rejects URLs with
 * user name and password: they would not be sent, and would be shown with the service's name.
 */
export function parseService(text: string): SearchService | undefined {
  const [, kind = '', place = ''] = /^(\w+):(.+)$/.exec(text.trim()) ?? [];
  if (kind === 'file') return { kind, path: place };
  if (kind === 'wikipedia' && /^[a-z][a-z-]{1,11}$/.test(place))
    return { kind, address: `https://${place}.wikipedia.org/w/api.php` };
  const address = httpAddress(place);
  if (address === undefined) return undefined;
  if (kind === 'searxng') return { kind, address: address.replace(/\/(search)?$/, '') };
  if (kind === 'wikipedia') return { kind, address: /\.php$/.test(address) ? address : `${address}/w/api.php` };
  return undefined;
}

/** Formats the service as it was written. */
export function writeService(service: SearchService): string {
  return service.kind === 'file' ? `file:${service.path}` : `${service.kind}:${service.address}`;
}

function httpAddress(place: string): string | undefined {
  const url = URL.parse(place.includes('://') ? place : `http://${place}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.username + url.password !== '')
    return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/$/, '');
}
