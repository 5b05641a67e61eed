/** Counts in the text of one source file what `scripts/measures.ts` prints. */
import { parseSync } from 'rolldown/utils';

export const MAX_FUNCTION_LINES = 60;
export const MAX_PARAMETERS = 3;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** What was counted in one file. A place is listed if it exceeds its limit. */
export interface Counts {
  lines: number;
  commentLines: number;
  codeLines: number;
  functions: number;
  assertions: number;
  properties: number;
  readonlyProperties: number;
  readonly longFunctions: Place[];
  readonly wideFunctions: Place[];
  readonly bareErrors: Place[];
}

export interface Place {
  readonly line: number;
  readonly size: number;
}

/** Counts lines, functions, assertions, properties and bare errors. `file` says how the text is parsed. */
export function countsOf(file: string, text: string): Counts {
  const { program, comments } = parseSync(file, text);
  const counts: Counts = {
    ...{ lines: text.split('\n').length - 1, commentLines: 0, codeLines: 0, functions: 0, assertions: 0 },
    ...{ properties: 0, readonlyProperties: 0, longFunctions: [], wideFunctions: [], bareErrors: [] },
  };
  countLines(text, comments, counts);
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  visit(program as unknown as Node, (node) => count(node, counts, lineOf));
  return counts;
}

function countLines(text: string, comments: readonly { start: number; end: number }[], counts: Counts): void {
  let bare = text;
  for (const { start, end } of comments) {
    counts.commentLines += text.slice(start, end).split('\n').length;
    bare = bare.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, ' ') + bare.slice(end);
  }
  counts.codeLines = bare.split('\n').filter((line) => line.trim() !== '').length;
}

function visit(node: Node, each: (node: Node) => void): void {
  each(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node, each);
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);
const PROPERTIES: ReadonlySet<string> = new Set(['PropertyDefinition', 'TSPropertySignature', 'TSParameterProperty']);

function count(node: Node, counts: Counts, lineOf: (offset: number) => number): void {
  if (FUNCTIONS.has(node.type)) {
    counts.functions++;
    const line = lineOf(node.start);
    const size = lineOf(node.end) - line + 1;
    const parameters = (node.params as readonly unknown[]).length;
    if (size > MAX_FUNCTION_LINES) counts.longFunctions.push({ line, size });
    if (parameters > MAX_PARAMETERS) counts.wideFunctions.push({ line, size: parameters });
  } else if (node.type === 'TSNonNullExpression') counts.assertions++;
  else if (PROPERTIES.has(node.type)) {
    counts.properties++;
    if (node.readonly === true) counts.readonlyProperties++;
  } else if (node.type === 'ThrowStatement' && isBareError(node.argument as Node))
    counts.bareErrors.push({ line: lineOf(node.start), size: 1 });
}

function isBareError({ type, callee }: Node): boolean {
  return type === 'NewExpression' && (callee as Node).name === 'Error';
}
