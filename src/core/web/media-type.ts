import { isGzip } from '../../kit/index.ts';

/** A parsed `Content-Type` header; absent parts are `''`. */
export interface MediaType {
  /** In lower case, without parameters. */
  readonly type: string;
  readonly charset: string;
}

/** Types that analysis can read, or that are too unspecific to reject. */
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
  'application/feed+json',
  'application/pdf',
  'application/x-pdf',
  'application/rtf',
  'application/x-rtf',
  'application/msword',
  'application/vnd.ms-powerpoint',
  'application/epub+zip',
  'application/x-mimearchive',
  'multipart/related',
  'message/rfc822',
  'application/zip',
  'application/x-zip-compressed',
  'application/gzip',
  'application/x-gzip',
  'application/x-tar',
]);

/**
 * Documents and presentations of office software; slide shows, templates and files with macros use the same formats.
 */
const OFFICE =
  /^application\/vnd\.(?:openxmlformats-officedocument\.(?:wordprocessingml|presentationml)\.(?:document|presentation|slideshow|template)|oasis\.opendocument\.(?:text|presentation)(?:-template)?|ms-(?:word|powerpoint)\.[a-z]+\.macroenabled\.12)$/;

/** Types that servers use for unknown files or downloads; the file ending decides. */
const VAGUE: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'application/x-octet-stream',
  'binary/octet-stream',
  'application/download',
  'application/x-download',
  'application/force-download',
  'application/x-force-download',
]);
/** Any JSON data, read only if the address looks like a feed. */
const DATA = 'application/json';
const FEED_ENDING = /(?:^|[/._-])feed(?:\.json|\/json\/?)$/i;
const USABLE_ENDING =
  /\.(?:html?|xhtml|txt|md|markdown|xml|rss|atom|pdf|do[ct][xm]?|p[op]t[xm]?|pps[xm]?|rtf|o[dt][tp]|epub|mht(?:ml)?|zip|tar|tgz|gz)$/i;

/** Unregistered type names and their meaning; `''` = the bytes decide (mimesniff §5). */
const MISNOMERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'text/html':
      'text/htm text/x-html text/x-server-parsed-html text/xhtml application/html application/htm application/x-html application/xhtml application/vnd.wap.xhtml+xml',
    'application/rss+xml': 'application/rss application/x-rss+xml text/rss text/rss+xml text/x-rss',
    'application/atom+xml': 'application/atom application/x-atom+xml text/atom text/atom+xml',
    'application/zip': 'application/x-zip multipart/x-zip',
    'application/gzip':
      'application/x-compressed-tar application/x-gtar-compressed application/x-tgz application/x-tar-gz',
    'application/x-tar': 'application/tar application/x-gtar',
    'application/vnd.ms-powerpoint':
      'application/mspowerpoint application/ms-powerpoint application/powerpoint application/x-mspowerpoint',
    'application/pdf': 'text/pdf text/x-pdf application/acrobat application/vnd.pdf applications/vnd.pdf',
    'application/msword':
      'application/doc application/word application/winword application/x-msword application/vnd.ms-word',
    '': 'unknown/unknown application/unknown application/x-unknown content/unknown text/unknown',
  }).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

/** A type at the start of a value; the semicolon after it may be missing. */
const TYPE = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)(?=[\s;]|$)/;
const CHARSET = /[;,\s]charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,]+))/i;
const FILE_NAME = /[;\s]filename\*?\s*=\s*(?:"([^"]*)"|([^\s;]+))/gi;

/**
 * Parses a `Content-Type` header. Of several values, the last valid one counts, with its registered name. Unreadable
 * headers give `''`.
 */
export function parseMediaType(header: string): MediaType {
  const types = header.split(',').flatMap((value) => TYPE.exec(value)?.[1]?.toLowerCase() ?? []);
  const charset = CHARSET.exec(header);
  const type = types.at(-1) ?? '';
  return { type: MISNOMERS.get(type) ?? type, charset: charset?.[1] ?? charset?.[2] ?? charset?.[3] ?? '' };
}

/**
 * Returns true if the crawler can use a body of this type.
 * @param type media type in lower case, without parameters
 * @param path path and query of the URL, for unspecific types
 * @param disposition the `Content-Disposition` header, which may hold a better file name; default: none
 */
export function isUsableType(type: string, path: string, disposition = ''): boolean {
  if (type === DATA) return FEED_ENDING.test(path.replace(/\?.*$/s, ''));
  if (!VAGUE.has(type)) return USABLE.has(type) || OFFICE.test(type);
  const names = [...disposition.matchAll(FILE_NAME)].map((found) => found[1] ?? found[2] ?? '');
  // As in `download.php?file=paper.pdf`.
  return [...path.split(/[?&=]/), ...names].some((name) => !name.startsWith('.') && USABLE_ENDING.test(name));
}

/** Types whose beginning can be read without the rest. */
const TEXT_TYPE = /^(?:|text\/html|application\/xhtml\+xml|text\/plain|text\/markdown)$/;

/** Returns true if the beginning of a body of this type is useful without the rest. */
export function isReadableInPart(type: string): boolean {
  return TEXT_TYPE.test(type);
}

/**
 * Returns true for a body that is declared as text but compressed: some servers store files like that without
 * declaring it.
 */
export function isPackedText(type: string, body: Uint8Array): boolean {
  return type !== '' && isReadableInPart(type) && isGzip(body);
}
