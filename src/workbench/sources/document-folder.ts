import { readdirSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { TopicSpec } from '../../core/index.ts';
import { Draft } from '../workspace/topic-draft.ts';

/** Media types of supported formats, by file name extension. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  txt: 'text/plain',
  text: 'text/plain',
  md: 'text/plain',
  markdown: 'text/plain',
  rtf: 'application/rtf',
  pdf: 'application/pdf',
  ...endings('doc dot', 'application/msword'),
  ...endings('docx docm dotx dotm', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'),
  ...endings('ppt pps pot', 'application/vnd.ms-powerpoint'),
  ...endings(
    'pptx pptm ppsx ppsm potx potm',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ),
  ...endings('odt ott', 'application/vnd.oasis.opendocument.text'),
  ...endings('odp otp', 'application/vnd.oasis.opendocument.presentation'),
  epub: 'application/epub+zip',
  ...endings('mht mhtml', 'multipart/related'),
  eml: 'message/rfc822',
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  tar: 'application/x-tar',
};

/**
 * Maps the extensions of one format to its type: templates, slide shows and files with macros are read like
 * documents.
 */
function endings(of: string, type: string): Readonly<Record<string, string>> {
  return Object.fromEntries(of.split(' ').map((ending) => [ending, type]));
}

/** Returns the media type of a local file by its name; `undefined` if the format is not supported. */
export function mediaTypeOf(path: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(MEDIA_TYPES, ending) ? MEDIA_TYPES[ending] : undefined;
}

/** Returns the extensions, without dots, of files of these media types. */
export function endingsOf(types: readonly string[]): readonly string[] {
  return Object.keys(MEDIA_TYPES).filter((ending) => types.includes(MEDIA_TYPES[ending]!));
}

/** Contents of a folder of documents. */
export interface DocumentFolder {
  readonly topics: readonly TopicSpec[];
  readonly kept: number;
  /** Number of files in unsupported formats. */
  readonly otherFormats: number;
}

/**
 * Turns folders into topics: the files in a folder are its examples, its subfolders are subtopics. Files directly in
 * `dir` form a topic with its name. Skips hidden files and symbolic links.
 */
export function readDocumentFolder(dir: string): DocumentFolder {
  const draft = new Draft();
  let kept = 0;
  let otherFormats = 0;
  for (const path of filesIn(dir).sort()) {
    const parts = relative(dir, path).split(sep);
    if (mediaTypeOf(path) === undefined) {
      otherFormats++;
      continue;
    }
    kept++;
    draft.add(parts.slice(0, -1), { kind: 'file', path }, basename(dir));
  }
  return { topics: draft.topics(), kept, otherFormats };
}

/** Node's own recursive reading follows symbolic links, even in cycles. */
function filesIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.name.startsWith('.')) return [];
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}
