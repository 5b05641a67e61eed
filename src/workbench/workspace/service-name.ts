/** Source of first pages: a search service, a catalogue of papers, or a file of results. */
export type SearchService =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: (typeof WEB_SERVICES)[number]; readonly address: string };

const WEB_SERVICES = ['searxng', 'wikipedia', 'openalex', 'crossref', 'arxiv'] as const;
type WebService = (typeof WEB_SERVICES)[number];

/** Addresses of the catalogues of papers; another one may be named, such as a mirror. */
const CATALOGUES: { readonly [K in WebService]?: string } = {
  openalex: 'https://api.openalex.org/works',
  crossref: 'https://api.crossref.org/works',
  arxiv: 'https://export.arxiv.org/api/query',
};

/** What {@link parseService} reads, for messages. */
export const SERVICE_FORMS = 'searxng:URL, wikipedia:LANGUAGE, openalex, crossref, arxiv, file:PATH';

/**
 * Parses `searxng:URL`, `wikipedia:LANGUAGE-or-URL`, `openalex`, `crossref`, `arxiv` (each also with `:URL`) or
 * `file:PATH`; `undefined` for anything else. Rejects URLs with user name and password: they would not be sent, and
 * would be shown with the service's name.
 */
export function parseService(text: string): SearchService | undefined {
  const [, name = '', place = ''] = /^(\w+)(?::(.+))?$/.exec(text.trim()) ?? [];
  if (name === 'file') return place === '' ? undefined : { kind: name, path: place };
  const kind = WEB_SERVICES.find((known) => known === name);
  if (kind === undefined) return undefined;
  if (kind === 'wikipedia' && /^[a-z][a-z-]{1,11}$/.test(place))
    return { kind, address: `https://${place}.wikipedia.org/w/api.php` };
  const usual = CATALOGUES[kind];
  if (usual !== undefined && place === '') return { kind, address: usual };
  const address = httpAddress(place);
  if (address === undefined) return undefined;
  if (kind === 'searxng') return { kind, address: address.replace(/\/(search)?$/, '') };
  if (kind === 'wikipedia') return { kind, address: /\.php$/.test(address) ? address : `${address}/w/api.php` };
  return { kind, address };
}

/** Formats the service as it was written. */
export function writeService(service: SearchService): string {
  if (service.kind === 'file') return `file:${service.path}`;
  return service.address === CATALOGUES[service.kind] ? service.kind : `${service.kind}:${service.address}`;
}

/** True for the address of a server of models, without name and password; '' = none. */
export function isModelServer(text: string): boolean {
  return text === '' || (/^https?:/.test(text) && httpAddress(text) !== undefined);
}

function httpAddress(place: string): string | undefined {
  const url = place === '' ? null : URL.parse(place.includes('://') ? place : `http://${place}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.username + url.password !== '')
    return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/$/, '');
}
