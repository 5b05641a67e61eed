/**
 * Checks how the project speaks: words to avoid in comments, messages, test titles and documents, and long sentences in
 * documents and messages. Prints one line per finding. Exits with 1 after a finding.
 *
 * Usage: node scripts/check-language.ts [FILE…]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Maximum number of words of a sentence in a document or a message. */
const MAX_WORDS = 32;

/** Words and constructions to avoid, each with its replacement. */
const AVOID: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:is|are|was|were|be|been|being) told\b/i, 'is reported, is printed'],
  [/\btold (?:of|apart)\b/i, 'reported, distinguished'],
  [/\btells? (?:of|on|what|which|how|that|whether|why|where|whose)\b/i, 'prints, reports, shows'],
  [/\bhear(?:s|d)? (?:of|from)\b/i, 'receives, is notified'],
  [/\b(?:somebody|nobody|whoever|one who)\b/i, 'the user, no caller'],
  [/\b(?:is|are|was|were) none\b/i, 'is not X, no X'],
  [/\b(?:to|can|could) be had\b/i, 'available'],
  [/\b(?:anew|once more)\b/i, 'again'],
  [/\b(?:goes|went|go) on\b/i, 'continues'],
  [/\b(?:but|save) for\b/i, 'except'],
  [/\bis so already\b/i, 'is already'],
  [/\bha(?:s|ve|d) (?:a say|its share)\b/i, 'contributes, has reached its limit'],
  [/\b(?:behind that|for what it is)\b/i, 'two sentences'],
  [/\bin the place of\b/i, 'instead of'],
  [/\bwho likes\b/i, 'prefer …? …'],
  [/\bsays? nothing\b/i, 'has no effect, is ignored'],
  [/\bcomes? about\b/i, 'happens'],
];

interface Passage {
  readonly line: number;
  readonly text: string;
  readonly kind: 'document' | 'message' | 'comment';
}

/** Lines that begin a passage of their own: list items, table rows, headings. */
const OWN_PASSAGE = /^\s*(?:[-*|#]|\d+\.\s)/;

/** Returns the prose of a document: paragraphs, list items and table cells, without code blocks. */
function passagesOfDocument(text: string): readonly Passage[] {
  const passages: { line: number; text: string; kind: 'document' }[] = [];
  let fence = '';
  let isOpen = false;
  for (const [i, line] of text.split('\n').entries()) {
    const mark = /^(?:```|~~~)/.exec(line)?.[0] ?? '';
    if (mark !== '' && (fence === '' || fence === mark)) fence = fence === '' ? mark : '';
    if (fence !== '' || mark !== '' || line.trim() === '') isOpen = false;
    else if (/^\s*\|/.test(line)) {
      for (const cell of line.split('|')) passages.push({ line: i + 1, text: cell, kind: 'document' });
      isOpen = false;
    } else if (isOpen && !OWN_PASSAGE.test(line)) passages.at(-1)!.text += ` ${line}`;
    else {
      passages.push({ line: i + 1, text: line, kind: 'document' });
      isOpen = true;
    }
  }
  return passages;
}

const TOKEN =
  /\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/gm;

/** Words that English sentences contain, and lists of words, stems or endings of other languages do not. */
const FUNCTION_WORD = /\b(?:the|of|is|are|and|not|with|for)\b/i;

/** Whether a string is a list of words, which is data: no punctuation, and long or without function words. */
function isWordList(text: string): boolean {
  return !/[.,:;!?()]/.test(text) && (text.length > 200 || (text.length > 60 && !FUNCTION_WORD.test(text)));
}

/** Ends before the title of a test. */
const BEFORE_TITLE = /(?:\b(?:it|test|describe)(?:\.\w+)?|[\])`])\(\s*$/;

/**
 * Returns the comments and messages of a source file; of a test, the comments and titles. Strings without a blank
 * between letters are keys.
 */
function passagesOfSource(text: string, isTest: boolean): readonly Passage[] {
  return [...text.matchAll(TOKEN)].flatMap((token) => {
    const isComment = token[0].startsWith('/');
    if (!isComment && (!/[a-z,] [a-z]/i.test(token[0]) || isWordList(token[0]))) return [];
    if (!isComment && isTest && !BEFORE_TITLE.test(text.slice(Math.max(0, token.index - 40), token.index))) return [];
    const kind = isComment ? ('comment' as const) : ('message' as const);
    return [{ line: lineAt(text, token.index), text: token[0].replace(/\n\s*(?:\*|\/\/)?/g, ' '), kind }];
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Returns the number of words of the longest sentence. Code, links and quotations count as one word. */
function longestSentence(text: string): number {
  const plain = text
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/`[^`]*`|"[^"\n]*"|\$\{[^}]*\}|\([^)]*\)/g, 'x')
    .replace(/\b(?:e\.g|i\.e|al|vs|Fig|Figs|eq)\./g, 'x');
  const sentences = plain.split(/[.!?:;]["')*_]*(?:\s|$)|\s[–|]\s|\n\s*\n/);
  return Math.max(...sentences.map((sentence) => sentence.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0));
}

/**
 * Returns what to change in a file, one line per finding.
 * @param file - its path; documents end in `.md`, tests are below `test/`
 */
export function findings(file: string, text: string): readonly string[] {
  const isTest = /^(?:test|bench)\//.test(file);
  const passages = file.endsWith('.md') ? passagesOfDocument(text) : passagesOfSource(text, file.startsWith('test/'));
  return passages.flatMap((passage) => {
    const place = `${file}:${passage.line}`;
    const words = AVOID.flatMap(([pattern, instead]) => {
      const found = pattern.exec(passage.text)?.[0];
      return found === undefined ? [] : [`${place}: avoid "${found}"; write: ${instead}`];
    });
    const length = longestSentence(passage.text);
    const isLong = length > MAX_WORDS && (passage.kind === 'document' || (passage.kind === 'message' && !isTest));
    return isLong ? [...words, `${place}: a sentence of ${length} words; ${MAX_WORDS} at most`] : words;
  });
}

function filesToCheck(): readonly string[] {
  const below = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:tsx?|md)$/.test(file) && !file.split(sep).includes('node_modules'))
      .map((file) => join(folder, file));
  const documents = readdirSync(ROOT).filter((file) => file.endsWith('.md'));
  return [...documents, ...['docs', 'src', 'test', 'scripts', 'bench'].flatMap(below)];
}

if (import.meta.main) {
  const named = process.argv.slice(2).map((file) => relative(ROOT, resolve(file)));
  // This file and its test quote what they look for.
  const files = (named.length > 0 ? named : filesToCheck()).filter((file) => !file.includes('check-language.'));
  const all = files.flatMap((file) => findings(file, readFileSync(join(ROOT, file), 'utf8')));
  for (const finding of all) console.log(finding);
  if (all.length > 0) {
    console.log(`${all.length} findings. CONTRIBUTING.md has the rules.`);
    process.exitCode = 1;
  }
}
