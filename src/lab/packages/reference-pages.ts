import { type Declaration, readDeclarations } from './declarations.ts';
import type { DocumentSource, PackageDocs } from './package-docs.ts';

/** Returns the list of a package's reference pages, as Markdown; pages of single declarations are linked from their file. */
export function contentsText({ name, files }: PackageDocs): string {
  const pages = [...files].filter(([, { kind, declaration }]) => kind === 'reference' && declaration === undefined);
  return [`# Reference of ${name}`, ...pages.map(([path]) => `- [${titleOf(path)}](<${path}>)`)].join('\n');
}

/**
 * Returns the comments of a type declaration file, or of one declaration, as Markdown.
 * @param pageOf returns the path of the page of a declaration, if it has one
 */
export function referenceText(
  source: string,
  { declaration }: DocumentSource,
  pageOf: (name: string) => string | undefined,
): string {
  const { declarations, imports } = readDeclarations(source);
  if (declaration !== undefined)
    return declarations
      .filter(({ name }) => name === declaration)
      .map((one) => section(one))
      .join('\n\n');
  const uses = imports.map((specifier) => `- [${specifier}](<${addressOf(specifier)}>)`);
  return [
    ...declarations.map((one) => {
      const page = pageOf(one.name);
      return page === undefined ? section(one) : `## [${one.name}](<${page}>)`;
    }),
    ...(uses.length > 0 ? ['## Uses', uses.join('\n')] : []),
  ].join('\n\n');
}

function section({ name, code, text }: Declaration): string {
  return `## ${name}\n\n${text}\n\n    ${code}`;
}

/** Imported files have pages beside this one, imported packages are on npm. */
function addressOf(specifier: string): string {
  if (!specifier.startsWith('.')) return `https://www.npmjs.com/package/${specifier}`;
  return specifier.replace(/(?:\.[cm]?[jt]s)?$/, '.html');
}

function titleOf(path: string): string {
  return path.slice(1).replace(/\.html$/, '');
}
