import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A declaration at the top of a file. */
interface Declaration {
  readonly name: string;
  /** Includes its comment, without `export` and `declare`. */
  readonly text: string;
}

interface Source {
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** The origins of imported names in this file. */
  readonly imports: ReadonlyMap<string, Origin>;
  readonly reexports: ReadonlyMap<string, Origin>;
}

interface Origin {
  /** A file, or the name of a package. */
  readonly from: string;
  readonly name: string;
  /** True if the name has a type but no value. */
  readonly isType?: boolean;
}

const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|const|let|function) ([\w$]+)/m;

/**
 * Joins the declarations that a module exports, and those they need, into one text, so that a consumer's compiler
 * reads one file.
 * @param entry a `.d.ts` file that the compiler wrote; every statement begins in the first column
 * @throws Error if two exported names collide
 */
export function bundleTypes(entry: string): string {
  const sources = new Map<string, Source>();
  const read = (file: string): Source => {
    const known = sources.get(file) ?? parse(file);
    sources.set(file, known);
    return known;
  };
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const packages = new Map<string, Set<string>>();
  const out: string[] = [];
  const exported: string[] = [];

  /** Returns the name of a declaration in the bundle, and includes the declaration. */
  const include = ({ from, name }: Origin, preferred = name): string => {
    if (!from.startsWith('/')) {
      packages.set(from, (packages.get(from) ?? new Set()).add(name));
      return name;
    }
    const source = read(from);
    const declared = source.declarations.get(name);
    if (declared === undefined) {
      const next = source.reexports.get(name) ?? source.imports.get(name);
      if (next === undefined) throw new Error(`${from} does not declare ${name}.`);
      return include(next, preferred);
    }
    const key = `${from} ${name}`;
    const known = names.get(key);
    if (known !== undefined) return known;
    let own = preferred;
    for (let n = 2; taken.has(own); n++) own = `${preferred}_${n}`;
    names.set(key, own);
    taken.add(own);
    out.push(renamed(declared, own, (word) => originOf(from, source, word), include));
    return own;
  };
  for (const [as, origin] of read(entry).reexports) {
    const own = include(origin, as);
    exported.push(`${origin.isType === true ? 'type ' : ''}${own === as ? own : `${own} as ${as}`}`);
  }
  const imports = [...packages].map(
    ([from, used]) => `import type { ${[...used].sort().join(', ')} } from '${from}';\n`,
  );
  return `${imports.join('')}${out.join('\n')}\nexport { ${exported.sort().join(', ')} };\n`;
}

function originOf(from: string, source: Source, word: string): Origin | undefined {
  return source.declarations.has(word) ? { from, name: word } : source.imports.get(word);
}

/** Returns the text of a declaration with the names of the bundle. Comments and property names stay. */
function renamed(
  { name, text }: Declaration,
  own: string,
  originOf: (word: string) => Origin | undefined,
  include: (origin: Origin) => string,
): string {
  return text.replace(/\/\*[\s\S]*?\*\/|'[^'\n]*'|"[^"\n]*"|(?<![\w$.])[A-Za-z_$][\w$]*(?!\??:)/g, (word) => {
    if (!/^[A-Za-z_$]/.test(word)) return word;
    if (word === name) return own;
    const origin = originOf(word);
    return origin === undefined ? word : include(origin);
  });
}

function parse(file: string): Source {
  const declarations = new Map<string, Declaration>();
  const imports = new Map<string, Origin>();
  const reexports = new Map<string, Origin>();
  for (const statement of statementsOf(readFileSync(file, 'utf8'))) {
    const bare = statement.replace(/^\/\*\*[\s\S]*?\*\/\n/, '');
    const from = /\bfrom '([^']+)';?\s*$/.exec(bare)?.[1];
    const list = /^(import|export) (type )?\{([\s\S]*?)\}/.exec(bare);
    if (list !== null && from !== undefined) {
      const into = list[1] === 'import' ? imports : reexports;
      for (const [, type, name = '', as = name] of list[3]?.matchAll(/(type )?([\w$]+)(?: as ([\w$]+))?\s*(?:,|$)/g) ??
        [])
        into.set(as, { from: resolved(file, from), name, isType: (type ?? list[2]) !== undefined });
      continue;
    }
    const name = DECLARED.exec(bare)?.[1];
    if (name === undefined) continue;
    const comment = statement.slice(0, statement.length - bare.length);
    const plain = bare.replace(/^export /, '').replace(/^declare /, '');
    const text = `${comment}${/^(class|const|let|function|abstract)/.test(plain) ? 'declare ' : ''}${plain.trimEnd()}\n`;
    declarations.set(name, { name, text });
  }
  return { declarations, imports, reexports };
}

/** Returns statements with their comments. Both begin in the first column. */
function statementsOf(text: string): readonly string[] {
  const statements: string[] = [];
  let isAfterComment = false;
  for (const line of text.split('\n')) {
    const isWhole = /(?:^|[;}])\s*$/.test(statements.at(-1) ?? '');
    if (isWhole && !isAfterComment && /^(?:export|declare|import|type|interface|\/\*\*)/.test(line))
      statements.push(line);
    else if (statements.length > 0) statements.push(`${statements.pop()}\n${line}`);
    isAfterComment = line.startsWith('/**') ? line.endsWith('*/') : line === ' */';
  }
  return statements;
}

function resolved(file: string, target: string): string {
  if (!target.startsWith('.')) return target;
  return join(dirname(file), target.replace(/\.tsx?$/, '.d.ts'));
}
