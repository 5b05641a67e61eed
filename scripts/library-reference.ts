/** A declaration of the library's types. */
interface Entry {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'interface' | 'type';
  readonly comment: string;
  readonly code: string;
}

const HEAD = `# Library reference

What \`bingo-crawler\` exports, as its types declare it (\`npm run docs\` writes this page). [library.md](library.md) shows how to use it.
`;

const SECTIONS: readonly (readonly [Entry['kind'], string])[] = [
  ['function', 'Functions'],
  ['class', 'Classes'],
  ['interface', 'Options and results'],
  ['type', 'Types'],
];

/** Returns the text of docs/library-reference.md. `types` is the library's bundled declaration file. */
export function libraryReference(types: string): string {
  const exported = exportsOf(types);
  const entries = entriesOf(types).flatMap((entry): Entry[] => {
    const name = exported.get(entry.name);
    return name === undefined ? [] : [{ ...entry, name }];
  });
  const sections = SECTIONS.flatMap(([kind, title]) => {
    const own = entries.filter((entry) => entry.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
    return own.length === 0 ? [] : [`## ${title}`, '', ...own.flatMap(entryLines)];
  });
  return `${[HEAD, ...sections].join('\n').trimEnd()}\n`;
}

/** Returns exported names by declaration name. */
function exportsOf(types: string): ReadonlyMap<string, string> {
  const list = /^export \{([^}]*)\};$/m.exec(types)?.[1] ?? '';
  return new Map(
    [...list.matchAll(/(?:type )?([\w$]+)(?: as ([\w$]+))?/g)].map(([, name = '', as = name]) => [name, as]),
  );
}

function entriesOf(types: string): readonly Entry[] {
  const pattern =
    /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?:declare )?(function|class|interface|type) ([\w$]+)[\s\S]*?\n(?=\n)/gm;
  return [...types.matchAll(pattern)].map(([text, comment = '', kind = 'type', name = '']) => {
    return { name, kind: kind as Entry['kind'], comment, code: text.slice(comment.length).trim() };
  });
}

function entryLines({ name, comment, code }: Entry): readonly string[] {
  return [`### ${name}`, '', ...proseOf(comment), '```ts', code, '```', ''];
}

/** Returns a comment as Markdown, with tags on separate lines. */
function proseOf(comment: string): readonly string[] {
  const text = comment
    .replace(/^\/\*\*|\*\/\s*$/g, '')
    .replace(/^[ \t]*\*[ \t]?/gm, '')
    .replace(/\{@link ([\w.]+)\}/g, '`$1`')
    .replace(/^@throws (\w+)/gm, '\nThrows `$1`')
    .replace(/^@param (\w+)(?: -)?/gm, '\n`$1`:')
    .replace(/^@example\n/gm, '\n')
    .trim();
  return text === '' ? [] : [text, ''];
}
