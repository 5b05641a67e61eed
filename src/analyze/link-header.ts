import { isCanonical } from './html/page-meta.ts';

/** The next target. */
const TARGET = /<([^<>]*)>/g;
/** One parameter; its quoted value may contain the characters that separate links and parameters. */
const PARAMETER = /[\s;]*;\s*([^\s=;,"<]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;,]*)))?/sy;

/**
 * Returns the page's original according to a `Link` header (RFC 8288 §3), as written; `''` if missing. Ignores links
 * whose context is another page (`anchor`).
 */
export function canonicalInHeader(header: string): string {
  TARGET.lastIndex = 0;
  for (let found = TARGET.exec(header); found !== null; found = TARGET.exec(header)) {
    const { rel = '', anchor, end } = parametersAt(header, TARGET.lastIndex);
    if (anchor === undefined && isCanonical(rel)) return found[1]!.trim();
    TARGET.lastIndex = end;
  }
  return '';
}

interface Parameters {
  rel?: string;
  anchor?: string;
  end: number;
}

/** Returns the first `rel` and `anchor` of a link; later ones are ignored (RFC 8288 §3.3). */
function parametersAt(header: string, start: number): Parameters {
  const parameters: Parameters = { end: start };
  PARAMETER.lastIndex = start;
  for (let found = PARAMETER.exec(header); found !== null; found = PARAMETER.exec(header)) {
    const [, name = '', quoted, bare = ''] = found;
    parameters.end = PARAMETER.lastIndex;
    const key = name.toLowerCase();
    // Some servers write the wrong quotation marks.
    if (key === 'rel' || key === 'anchor')
      parameters[key] ??= quoted?.replace(/\\(.)/gs, '$1') ?? bare.trim().replace(/^'(.*)'$/s, '$1');
  }
  return parameters;
}
