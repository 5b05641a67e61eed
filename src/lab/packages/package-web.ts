import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { escapeHtml } from '../../analyze/index.ts';
import { type DocumentSource, type PackageDocs, readPackageDocs } from './package-docs.ts';
import { contentsText, referenceText } from './reference-pages.ts';

/** Ending of all host names of the web; reserved for tests (RFC 6761). */
const ZONE = 'npm.test';
/** Longer documents are truncated: a few changelogs have a megabyte. */
const MAX_DOCUMENT_CHARS = 150_000;
/** Dependents that the page of a package lists, as the page of a registry does. */
const MAX_DEPENDENTS = 50;

/** The documentation of installed packages as a web: one host per package. */
export interface PackageWeb {
  readonly packages: readonly PackageDocs[];
  /** Address of a package's page; `/` is its index. The port is that of the running server. */
  url(name: string, path?: string): string;
  /** A page as HTML, or `undefined` if it does not exist. `port` is used in its links. */
  page(host: string, path: string, port: number): string | undefined;
}

/**
 * Builds a web from `node_modules`: one index page per package (name, description, keywords, documents, dependencies, dependents)
 * and its README, changelog and docs. Links come from dependency lists and texts. Links to the npm or GitHub page of
 * a package in this web lead to its host; links out of this web are dropped.
 */
export function buildPackageWeb(nodeModulesDirs: readonly string[], extra: readonly string[] = []): PackageWeb {
  const packages = readPackageDocs(nodeModulesDirs, extra);
  const atlas = makeAtlas(packages);
  const rendered = new Map<string, string>();
  return {
    packages,
    url: (name, path = '/') => `http://${hostOfPackage(name)}${path}`,
    page: (host, path, port) => {
      const found = atlas.byHost.get(host);
      if (found === undefined) return undefined;
      const key = `${host}:${port}${path}`;
      const html = rendered.get(key) ?? renderPage(found, path, atlas, port);
      if (html !== undefined) rendered.set(key, html);
      return html;
    },
  };
}

/** `@scope/name` has the host `name.scope.npm.test`. */
export function hostOfPackage(name: string): string {
  return [...name.toLowerCase().replace(/^@/, '').split('/').reverse(), ZONE].join('.');
}

/** Index of packages: by host, and by the addresses used in texts. */
interface Atlas {
  readonly byHost: ReadonlyMap<string, PackageDocs>;
  readonly byName: ReadonlyMap<string, PackageDocs>;
  readonly byRepository: ReadonlyMap<string, PackageDocs>;
  readonly byHomepage: ReadonlyMap<string, PackageDocs>;
  /** Names of the packages that depend on a package. */
  readonly dependents: ReadonlyMap<string, readonly string[]>;
}

function makeAtlas(packages: readonly PackageDocs[]): Atlas {
  const byRepository = new Map<string, PackageDocs>();
  const byHomepage = new Map<string, PackageDocs>();
  for (const found of packages) {
    // If several packages share a repository, the one with its name represents it.
    const isNamesake = found.repository.endsWith(`/${found.name}`);
    if (found.repository !== '' && (isNamesake || !byRepository.has(found.repository)))
      byRepository.set(found.repository, found);
    if (found.homepage !== '' && !byHomepage.has(found.homepage)) byHomepage.set(found.homepage, found);
  }
  const uses = packages.flatMap(({ name, dependencies }) => dependencies.map((used) => ({ used, user: name })));
  const dependents = Map.groupBy(uses, ({ used }) => used);
  return {
    byHost: new Map(packages.map((found) => [hostOfPackage(found.name), found])),
    byName: new Map(packages.map((found) => [found.name, found])),
    byRepository,
    byHomepage,
    dependents: new Map([...dependents].map(([name, uses]) => [name, uses.map(({ user }) => user)])),
  };
}

function renderPage(found: PackageDocs, path: string, atlas: Atlas, port: number): string | undefined {
  if (path === '/') return renderIndex(found, atlas, port);
  const source = found.files.get(path);
  const markdown = source && markdownOf(source, found, path);
  if (markdown === undefined) return undefined;
  const html = new Marked({ async: false, gfm: true }).parse(markdown) as string;
  const body = rewriteLinks(html, (href) => targetOf(href, found, path, atlas, port));
  return document(`${found.name}: ${titleOf(path)}`, `<p><a href="/">${escapeHtml(found.name)}</a></p>\n${body}`);
}

function markdownOf(source: DocumentSource, found: PackageDocs, path: string): string | undefined {
  if (source.kind === 'contents') return contentsText(found);
  const text = documentText(source.file);
  if (text === undefined || source.kind === 'markdown') return text?.slice(0, MAX_DOCUMENT_CHARS);
  return referenceText(text, source, (name) => {
    const part = path.replace(/\.html$/, `/${name.toLowerCase()}.html`);
    return found.files.has(part) ? part : undefined;
  });
}

/** Packages may be updated or removed while their web is served. */
function documentText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function renderIndex(found: PackageDocs, atlas: Atlas, port: number): string {
  const documents = [...found.files]
    .filter(([, { kind }]) => kind !== 'reference')
    .map(([path]) => `<li><a href="${escapeHtml(path)}">${escapeHtml(titleOf(path))}</a></li>`);
  const listed = (name: string): string => {
    const href = atlas.byName.has(name) ? ` href="${addressOf(name, '/', port)}"` : '';
    return `<li><a${href}>${escapeHtml(name)}</a></li>`;
  };
  const dependencies = found.dependencies.map(listed);
  const dependents = (atlas.dependents.get(found.name) ?? []).slice(0, MAX_DEPENDENTS).map(listed);
  const body = [
    `<h1>${escapeHtml(found.name)}</h1>`,
    `<p>${escapeHtml(found.description)}</p>`,
    found.keywords.length > 0 ? `<p>Keywords: ${found.keywords.map(escapeHtml).join(', ')}</p>` : '',
    documents.length > 0 ? `<h2>Documents</h2>\n<ul>${documents.join('\n')}</ul>` : '',
    dependencies.length > 0 ? `<h2>Dependencies</h2>\n<ul>${dependencies.join('\n')}</ul>` : '',
    dependents.length > 0 ? `<h2>Dependents</h2>\n<ul>${dependents.join('\n')}</ul>` : '',
  ];
  return document(found.name, body.filter((part) => part !== '').join('\n'));
}

function titleOf(path: string): string {
  return path.slice(1).replace(/\.html$/, '');
}

function document(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>\n<body>\n${body}\n</body></html>\n`;
}

const ANCHOR = /<a\b([^>]*?)\shref=(?:"([^"]*)"|'([^']*)')([^>]*)>/gi;

/** Points every link to its place in this web; other links lose their address but keep their text. */
function rewriteLinks(html: string, target: (href: string) => string | undefined): string {
  return html.replace(ANCHOR, (_all, before: string, double?: string, single?: string, after?: string) => {
    const href = target(unescapeHtml(double ?? single ?? ''));
    return href === undefined ? `<a${before}${after ?? ''}>` : `<a${before} href="${escapeHtml(href)}"${after ?? ''}>`;
  });
}

/** Returns the target of a document's link in this web. */
function targetOf(href: string, found: PackageDocs, path: string, atlas: Atlas, port: number): string | undefined {
  if (href.startsWith('#')) return href;
  const base = `http://${hostOfPackage(found.name)}:${port}${path}`;
  const url = URL.parse(href, base);
  if (url === null) return undefined;
  if (url.host === new URL(base).host) return ownPage(url.pathname, found, base);
  const other = packageAt(url, atlas);
  if (other === undefined) return undefined;
  const inside = /\/(?:blob|tree|raw)\/[^/]+(\/.+)$/.exec(url.pathname)?.[1];
  const page = inside === undefined ? undefined : documentPath(inside);
  const address = page !== undefined && other.files.has(page) ? page : '/';
  return addressOf(other.name, address, port);
}

/** The port 80 is left out. */
function addressOf(name: string, path: string, port: number): string {
  return new URL(path, `http://${hostOfPackage(name)}:${port}`).href;
}

function ownPage(pathname: string, found: PackageDocs, base: string): string | undefined {
  const page = documentPath(decodePath(pathname));
  if (pathname === '/') return new URL('/', base).href;
  return found.files.has(page) ? new URL(page, base).href : undefined;
}

function documentPath(path: string): string {
  return path.toLowerCase().replace(/\.(md|markdown)$/, '.html');
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the package to which an address of npm, GitHub or a home page belongs. */
function packageAt(url: URL, atlas: Atlas): PackageDocs | undefined {
  const host = url.hostname.replace(/^www\./, '');
  if (host === 'npmjs.com' || host === 'npmjs.org' || host === 'npm.im') {
    const name = /^\/(?:package\/)?((?:@[^/]+\/)?[^/]+)/.exec(decodePath(url.pathname))?.[1] ?? '';
    return atlas.byName.get(name);
  }
  if (host === 'github.com') {
    const repository =
      /^\/([^/]+\/[^/]+)/
        .exec(url.pathname)?.[1]
        ?.replace(/\.git$/, '')
        .toLowerCase() ?? '';
    return atlas.byRepository.get(repository);
  }
  return atlas.byHomepage.get(`${url.origin}${url.pathname}`.replace(/\/+$/, ''));
}

function unescapeHtml(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_all, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!,
  );
}
