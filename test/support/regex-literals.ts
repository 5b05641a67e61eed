/** A pattern in a source file. */
export interface RegexLiteral {
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Words before a slash that begins a pattern, not a division. */
const BEFORE_PATTERN = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/;

/** Finds the regular expressions in a TypeScript file, skipping comments and strings. */
export function regexLiterals(text: string): RegexLiteral[] {
  const found: RegexLiteral[] = [];
  /** Open template literals: their depth of braces. */
  const templates: number[] = [];
  let depth = 0;
  let code = '';
  for (let at = 0; at < text.length; ) {
    const c = text[at]!;
    const next = text[at + 1];
    let end = at + 1;
    if (c === '/' && next === '/') end = ends(text.indexOf('\n', at), text);
    else if (c === '/' && next === '*') end = ends(text.indexOf('*/', at) + 2, text);
    else if (c === '"' || c === "'") end = quotedEnd(text, at);
    else if (c === '`' || (c === '}' && templates.at(-1) === depth)) {
      if (c === '}') templates.pop();
      end = templateEnd(text, at + 1);
      if (text[end - 1] === '{') templates.push(depth);
    } else if (c === '/' && startsPattern(code)) {
      end = patternEnd(text, at);
      const flags = /^[a-z]*/.exec(text.slice(end))![0];
      found.push({ line: text.slice(0, at).split('\n').length, source: text.slice(at + 1, end - 1), flags });
      end += flags.length;
    } else {
      if (c === '{') depth++;
      if (c === '}') depth--;
    }
    const isComment = c === '/' && (next === '/' || next === '*');
    if (!isComment && c.trim() !== '') code = code.slice(-12) + lastOf(text, at, end);
    else if (!isComment && /\w$/.test(code)) code += ' ';
    at = end;
  }
  return found;
}

/** Classifies a piece of code for the code after it: a string, a pattern or a template is a value. */
function lastOf(text: string, at: number, end: number): string {
  if (end === at + 1) return text[at]!;
  return text[end - 1] === '{' ? '{' : ')';
}

function startsPattern(code: string): boolean {
  const before = code.trimEnd();
  // `x[i]! / 2` is a division: the exclamation mark follows a value.
  const isValue = /[\w)\]]!$/.test(before);
  return before === '' || (!isValue && (/[([{,;=:!&|?+\-*%>~^]$/.test(before) || BEFORE_PATTERN.test(before)));
}

function ends(at: number, text: string): number {
  return at <= 1 ? text.length : at;
}

function quotedEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== text[start]) at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Returns the position after the closing backtick, or after the brace that opens an expression. */
function templateEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += text[at] === '\\' ? 2 : 1) {
    if (text[at] === '`') return at + 1;
    if (text[at] === '$' && text[at + 1] === '{') return at + 2;
  }
  return text.length;
}

function patternEnd(text: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < text.length; at += text[at] === '\\' ? 2 : 1) {
    if (text[at] === '[') inClass = true;
    else if (text[at] === ']') inClass = false;
    else if (text[at] === '/' && !inClass) return at + 1;
  }
  return text.length;
}
