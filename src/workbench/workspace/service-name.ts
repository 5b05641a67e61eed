/** Where first pages of a search come from: a service that the user has, or a file of results. */
export type SearchService =
  | { readonly kind: 'searxng'; readonly address: string }
  | { readonly kind: 'wikipedia'; readonly address: string }
  | { readonly kind: 'file'; readonly path: string };

/**
 * Reads `searxng:URL`, `wikipedia:LANGUAGE-or-URL` or `file:PATH`; `undefined` when it is none of these, or its address holds a name and a
 * password: they would not be sent, and be shown wherever the service is named.
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

/** The service as it was written. */
export function writeService(service: SearchService): string {
  return service.kind === 'file' ? `file:${service.path}` : `${service.kind}:${service.address}`;
}

function httpAddress(place: string): string | undefined {
  const url = URL.parse(place.includes('://') ? place : `http://${place}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.username + url.password !== '')
    return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/$/, '');
}
