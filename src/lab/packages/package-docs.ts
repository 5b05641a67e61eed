import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { countWords, readDeclarations } from './declarations.ts';

/** Documentation of an installed package. */
export interface PackageDocs {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** Names in its dependency lists. */
  readonly dependencies: readonly string[];
  /** `owner/name` in lower case if it is on GitHub, else `''`. */
  readonly repository: string;
  /** Without a trailing slash; `''` if it has no page of its own. */
  readonly homepage: string;
  /** Documents by their path on the package's host, such as `/readme.html`. */
  readonly files: ReadonlyMap<string, DocumentSource>;
}

/** Where a document's text is. */
export interface DocumentSource {
  readonly file: string;
  /** `reference`: the comments of a type declaration file; `contents`: a list of these. */
  readonly kind: 'markdown' | 'reference' | 'contents';
  /** The only declaration that the document is about; default: all of the file. */
  readonly declaration?: string;
}

/** Maximum documents per package; a few packages contain a whole manual. */
const MAX_FILES = 40;
const MAX_DEPTH = 4;
/** Pages of type declarations per package: those of TypeScript would be a third of the web. */
const MAX_REFERENCES = 400;
/** A reference page with fewer words would be code alone. */
const LEAST_WORDS = 30;
/** A type declaration file with more words gets a page per declaration. */
const SPLIT_WORDS = 600;
/** Documents of type declarations are below this folder of the host, and listed in this page. */
const REFERENCE = '/reference/';
const CONTENTS = '/reference.html';

/**
 * Reads the documentation of packages in a `node_modules` folder, in alphabetical order.
 * @param extra folders of further packages
 */
export function readPackageDocs(
  nodeModulesDirs: readonly string[],
  extra: readonly string[] = [],
): readonly PackageDocs[] {
  const folders = [...extra, ...nodeModulesDirs.flatMap(packageFolders)];
  const found = new Map<string, PackageDocs>();
  for (const folder of folders) {
    const docs = readPackage(folder);
    if (docs !== undefined && !found.has(docs.name)) found.set(docs.name, docs);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function packageFolders(dir: string): string[] {
  return entriesOf(dir).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.name.startsWith('.')) return [];
    return entry.name.startsWith('@') ? entriesOf(path).map((inner) => join(path, inner.name)) : [path];
  });
}

function entriesOf(dir: string): Dirent[] {
  if (!existsSync(dir)) return [];
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readPackage(folder: string): PackageDocs | undefined {
  const manifest = readManifest(join(folder, 'package.json'));
  const name = text(manifest?.name);
  if (manifest === undefined || !/^(@[a-z0-9._-]+\/)?[a-z0-9._-]+$/i.test(name)) return undefined;
  const lists = ['dependencies', 'peerDependencies', 'optionalDependencies'].map((key) => manifest[key]);
  return {
    name,
    version: text(manifest.version),
    description: text(manifest.description),
    keywords: Array.isArray(manifest.keywords) ? manifest.keywords.map(text).filter((word) => word !== '') : [],
    dependencies: [...new Set(lists.flatMap((list) => (isRecord(list) ? Object.keys(list) : [])))].sort(),
    repository: repositoryOf(manifest.repository),
    homepage: homepageOf(text(manifest.homepage)),
    files: documentFiles(folder),
  };
}

function readManifest(path: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    // A folder without a readable manifest is not a package.
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns `owner/name` from `git+https://github.com/owner/name.git`, `github:owner/name` or `owner/name`. */
function repositoryOf(value: unknown): string {
  const url = isRecord(value) ? text(value.url) : text(value);
  const match = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(url) ?? /github\.com[/:]([\w.-]+\/[\w.-]+)/.exec(url);
  return (match?.[1] ?? '').replace(/\.git$/, '').toLowerCase();
}

function homepageOf(url: string): string {
  return /github\.com|npmjs\.com/.test(url) || !/^https?:/.test(url) ? '' : url.replace(/#.*$/, '').replace(/\/+$/, '');
}

/** Returns README, changelog and the Markdown of `docs/`, each with its path on the package's host. */
function documentFiles(folder: string): ReadonlyMap<string, DocumentSource> {
  const found = new Map<string, DocumentSource>();
  const addressOf = (path: string): string => relative(folder, path).split(sep).join('/').toLowerCase();
  const add = (file: string): void => {
    const address = `/${addressOf(file).replace(/\.(md|markdown)$/, '.html')}`;
    if (found.size < MAX_FILES && statSync(file).isFile()) found.set(address, { file, kind: 'markdown' });
  };
  const top = entriesOf(folder);
  for (const entry of top)
    if (/^(readme|changelog|history|changes)\.(md|markdown)$/i.test(entry.name)) add(join(folder, entry.name));
  for (const entry of top)
    if (/^docs?$/i.test(entry.name) && entry.isDirectory())
      for (const path of filesBelow(join(folder, entry.name), MARKDOWN, 1)) add(path);
  const references = filesBelow(folder, /\.d\.ts$/, 0).flatMap((file) =>
    referencesOf(file, `${REFERENCE}${addressOf(file).slice(0, -'.d.ts'.length)}`),
  );
  if (references.length > 0) found.set(CONTENTS, { file: folder, kind: 'contents' });
  for (const [path, source] of references.slice(0, MAX_REFERENCES)) found.set(path, source);
  return found;
}

/** Returns the documents of a type declaration file. */
function referencesOf(file: string, path: string): readonly (readonly [path: string, source: DocumentSource])[] {
  const { declarations } = readDeclarations(readFileSync(file, 'utf8'));
  const words = declarations.map(({ text }) => countWords(text));
  const all = words.reduce((sum, count) => sum + count, 0);
  if (all < LEAST_WORDS) return [];
  const parts = declarations.filter((_, i) => all > SPLIT_WORDS && (words[i] ?? 0) >= LEAST_WORDS);
  return [
    [`${path}.html`, { file, kind: 'reference' }],
    ...parts.map(
      ({ name }) => [`${path}/${name.toLowerCase()}.html`, { file, kind: 'reference', declaration: name }] as const,
    ),
  ];
}

const MARKDOWN = /\.(md|markdown)$/i;

function filesBelow(folder: string, pattern: RegExp, depth: number): string[] {
  if (depth > MAX_DEPTH || basename(folder) === 'node_modules') return [];
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, pattern, depth + 1);
    return entry.isFile() && pattern.test(entry.name) ? [path] : [];
  });
}
