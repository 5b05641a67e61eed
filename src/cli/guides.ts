import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked, type Token, type Tokens } from 'marked';
import { PACKAGE_ROOT, type Paint, wrap } from '../workbench/index.ts';

const DOCS = join(PACKAGE_ROOT, 'docs');

/** Documents for `bingo help TOPIC`: the file names in docs, without extension. */
export function guideNames(): readonly string[] {
  if (!existsSync(DOCS)) return [];
  return readdirSync(DOCS)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .sort();
}

/** Returns a document as text for a terminal. */
export function guideText(name: string, width: number, paint: Paint): string {
  const tokens = marked.lexer(readFileSync(join(DOCS, `${name}.md`), 'utf8'));
  return `${tokens.flatMap((token) => linesOf(token, width, paint)).join('\n')}\n`;
}

function linesOf(token: Token, width: number, paint: Paint): readonly string[] {
  switch (token.type) {
    case 'heading':
      return [paint.bold(plain(token.text)), ''];
    case 'code':
      return [...(token as Tokens.Code).text.split('\n').map((line) => `    ${line}`), ''];
    case 'list':
      return [...(token as Tokens.List).items.flatMap((item) => wrap(`- ${plain(item.text)}`, width, '  ')), ''];
    case 'table':
      return [...rowsOf(token as Tokens.Table, width, paint), ''];
    case 'paragraph':
    case 'blockquote':
      return [...wrap(plain(token.text), width), ''];
    default:
      return [];
  }
}

/** Formats each row as its first cell with the others below it: cells of prose do not fit columns. */
function rowsOf({ header, rows }: Tokens.Table, width: number, paint: Paint): readonly string[] {
  return rows.flatMap(([first, ...rest]) => [
    `  ${paint.accent(plain(first?.text ?? ''))}`,
    ...rest.flatMap((cell, i) => {
      const name = rest.length > 1 ? `${plain(header[i + 1]?.text ?? '')}: ` : '';
      return cell.text === ''
        ? []
        : wrap(`    ${name}${plain(cell.text)}`.trimStart(), width - 4).map((l) => `    ${l}`);
    }),
  ]);
}

/** Text without Markdown syntax; links become their text. */
function plain(text: string): string {
  return text
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`/g, '')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
