/** A `Content-Type` header, taken apart; absent parts are `''`. */
export interface MediaType {
  /** In lower case, without parameters. */
  readonly type: string;
  readonly charset: string;
}

/** Types that analysis can turn into a document, or that say too little to refuse. */
const USABLE: ReadonlySet<string> = new Set([
  '',
  'text/html',
  'text/plain',
  'text/markdown',
  'text/x-markdown',
  'text/xml',
  'text/rtf',
  'text/richtext',
  'application/xhtml+xml',
  'application/xml',
  'application/rss+xml',
  'application/atom+xml',
  'application/rdf+xml',
  'application/pdf',
  'application/x-pdf',
  'application/rtf',
  'application/x-rtf',
  'application/msword',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.presentation',
  'application/epub+zip',
  'application/zip',
  'application/x-zip-compressed',
  'application/gzip',
  'application/x-gzip',
]);

/** Types that servers give to what they do not know: the ending of the path decides. */
const VAGUE: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream', 'application/download']);
const USABLE_ENDING = /\.(?:html?|xhtml|txt|md|markdown|xml|rss|atom|pdf|docx?|pptx?|rtf|od[tp]|epub|zip|gz)$/i;

/** Reads a `Content-Type` header; anything unreadable comes out as `''`. */
export function parseMediaType(header: string): MediaType {
  const end = header.indexOf(';');
  const type = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  const charset = end < 0 ? undefined : /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,]+))/i.exec(header);
  return { type: type.includes('/') ? type : '', charset: charset?.[1] ?? charset?.[2] ?? charset?.[3] ?? '' };
}

/**
 * True when the crawler can use such a body.
 * @param type - media type in lower case, without parameters
 * @param path - of the URL, for types that say nothing
 */
export function isUsableType(type: string, path: string): boolean {
  return USABLE.has(type) || (VAGUE.has(type) && USABLE_ENDING.test(path.replace(/\?.*$/s, '')));
}
