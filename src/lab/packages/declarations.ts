/** A documented declaration. */
export interface Declaration {
  readonly name: string;
  /** Its first line of code. */
  readonly code: string;
  /** Its comment, as Markdown. */
  readonly text: string;
}

/** The documented part of a type declaration file (`.d.ts`). */
export interface DeclarationFile {
  readonly declarations: readonly Declaration[];
  /** Modules and files that it imports, as written. */
  readonly imports: readonly string[];
}

/** The name of a declaration or a member, after its modifiers and keywords. */
const NAME =
  /^(?:(?:export|declare|default|abstract|static|readonly|public|async|get|set|function|class|interface|type|const|let|var|enum|namespace|module) )*["']?([\w$]+)/;
const IMPORT = /^(?:import|export)\b[^'"]{0,2000}\bfrom ?['"]([^'"\s]{1,200})['"]/gm;

/** Reads the comments of a type declaration file; overloads of one name are one declaration. */
export function readDeclarations(source: string): DeclarationFile {
  const found = new Map<string, Declaration>();
  for (let from = source.indexOf('/**'); from >= 0; ) {
    const end = source.indexOf('*/', from + 3);
    if (end < 0) break;
    const text = commentText(source.slice(from + 3, end));
    const code =
      source
        .slice(end + 2, end + 400)
        .trimStart()
        .split('\n', 1)[0] ?? '';
    const name = NAME.exec(code)?.[1];
    const before = name === undefined ? undefined : found.get(name);
    if (name !== undefined && text !== '')
      found.set(name, before === undefined ? { name, code, text } : { ...before, text: `${before.text}\n\n${text}` });
    from = source.indexOf('/**', end + 2);
  }
  const imports = [...source.matchAll(IMPORT)].flatMap(([, specifier]) => specifier ?? []);
  return { declarations: [...found.values()], imports: [...new Set(imports)] };
}

/** Returns the number of words of a text that have letters. */
export function countWords(text: string): number {
  return text.match(/[\p{L}][\p{L}\p{N}'-]+/gu)?.length ?? 0;
}

/** Removes the stars of a comment, and the braces of its links. */
function commentText(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?|^\s+/, '').trimEnd())
    .join('\n')
    .replaceAll(/\{@\w+ ([^{}]{1,500})\}/g, '$1')
    .replaceAll(/^@(\w+)/gm, '**$1**')
    .trim();
}
