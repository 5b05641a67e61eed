/** The parts of a canonical URL. Nothing is decoded or checked. */
export interface UrlParts {
  readonly scheme: string;
  /** With port. */
  readonly host: string;
  /** The last one is `''` if the path ends in a slash. */
  readonly segments: readonly string[];
  /** `name=value`, undecoded. */
  readonly params: readonly string[];
}

export function partsOf(url: string): UrlParts {
  const host = url.indexOf('//') + 2;
  const slash = indexOr(url, '/', host);
  const query = indexOr(url, '?', slash);
  return {
    scheme: url.slice(0, host - 3),
    host: url.slice(host, slash),
    segments: url.slice(slash + 1, query).split('/'),
    params: query < url.length ? url.slice(query + 1).split('&') : [],
  };
}

/** The inverse of {@link partsOf}. */
export function joinParts({ scheme, host, segments, params }: UrlParts): string {
  const query = params.length === 0 ? '' : `?${params.join('&')}`;
  return `${scheme}://${host}/${segments.join('/')}${query}`;
}

/** Name of a `name=value` parameter. */
export function nameOf(param: string): string {
  return param.slice(0, indexOr(param, '=', 0));
}

function indexOr(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}
