import { posix } from 'node:path';
import { Parser } from 'htmlparser2';
import {
  type ConvertedDocument,
  decodeBody,
  firstLineOf,
  outward,
  readFragment,
  statedTitle,
} from '../analyze/index.ts';
import type { Archive } from './archive.ts';
import { ConversionError, type ConvertLimits } from './outcome.ts';

interface Package {
  readonly title: string;
  /** Names of the chapters in the archive, in reading order. */
  readonly chapters: readonly string[];
}

const BY_NAME = new Intl.Collator('en', { numeric: true });

/**
 * A book: its chapters in reading order, with the links that lead out of it (EPUB 3.3 §4, §5). Where the table of its files is
 * missing or leads nowhere, all its pages by their names.
 */
export async function convertEpub(archive: Archive, limits: ConvertLimits): Promise<ConvertedDocument> {
  const container = (await archive.read('META-INF/container.xml'))?.toString() ?? '';
  const path = /<rootfile\b[^>]{0,500}\bfull-path\s*=\s*["']([^"']{1,500})["']/i.exec(container)?.[1] ?? '';
  const file = await archive.read(path);
  const { title: stated, chapters } = readPackage(
    file === undefined ? '' : decodeBody(file, '', false),
    posix.dirname(path),
  );
  const locked = await lockedNames(archive);
  const isOpen = (name: string): boolean => !locked.has(name);
  const inOrder = await readChapters(archive, chapters.filter(isOpen), limits);
  if (inOrder !== '') return { title: statedTitle(stated) || firstLineOf(inOrder), body: inOrder };
  const pages = archive.names.filter((name) => /\.x?html?$/i.test(name)).sort(BY_NAME.compare);
  const body = await readChapters(archive, pages.filter(isOpen), limits);
  if (body === '' && pages.some((name) => locked.has(name)))
    throw new ConversionError('protected', 'the book is locked');
  if (body === '') throw new ConversionError('damaged', 'a book without chapters');
  return { title: statedTitle(stated), body };
}

/** What only those who bought it can read; often no more than fonts (OCF 3.2 §4.2.6.3.2). */
async function lockedNames(archive: Archive): Promise<ReadonlySet<string>> {
  const xml = (await archive.read('META-INF/encryption.xml'))?.toString() ?? '';
  const names = xml.matchAll(/CipherReference\b[^>]{0,500}?\bURI\s*=\s*["']([^"']{1,500})["']/g);
  return new Set(Array.from(names, ([, name]) => memberName('', name!)));
}

async function readChapters(archive: Archive, chapters: readonly string[], limits: ConvertLimits): Promise<string> {
  const parts: string[] = [];
  let chars = 0;
  for (const name of chapters.slice(0, limits.maxMembers)) {
    const content = await archive.read(name);
    if (content === undefined || chars > limits.maxHtmlChars) continue;
    const { body } = readFragment(decodeBody(content, '', true), outward, true);
    chars += body.length;
    parts.push(`<section>${body}</section>`);
  }
  return parts.join('\n');
}

function readPackage(xml: string, folder: string): Package {
  const items = new Map<string, string>();
  const spine: string[] = [];
  let title = '';
  let inTitle = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const local = name.replace(/^.*:/, '');
        inTitle = name === 'dc:title' && title === '';
        const { id = '', href = '', 'media-type': type = '', idref = '' } = attributes;
        if (local === 'item' && /html/.test(type)) items.set(id, memberName(folder, href));
        if (local === 'itemref') spine.push(idref);
      },
      onclosetag() {
        inTitle = false;
      },
      ontext(text) {
        if (inTitle && title.length < 1000) title += text;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const read = [...new Set(spine.flatMap((id) => items.get(id) ?? []))];
  return { title, chapters: read.length > 0 ? read : [...items.values()] };
}

function memberName(folder: string, href: string): string {
  const path = href.replace(/#.*$/, '');
  try {
    return posix.normalize(posix.join(folder, decodeURIComponent(path)));
  } catch {
    return posix.normalize(posix.join(folder, path));
  }
}
