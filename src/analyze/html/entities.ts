import { Tokenizer } from 'htmlparser2';

const MEMO_LIMIT = 2_000;
/** `&CounterClockwiseContourIntegral;` is the longest reference. */
const MAX_REFERENCE_CHARS = 34;

const inText = new Map<string, string>();
const inAttributes = new Map<string, string>();

/** Decodes character references as HTML does in text. */
export function decodeText(text: string): string {
  return decode(text, false);
}

/** Decodes character references as HTML does in attribute values, where `&copy=1` is not one. */
export function decodeAttribute(value: string): string {
  return decode(value, true);
}

function decode(text: string, isAttribute: boolean): string {
  let at = text.indexOf('&');
  if (at < 0) return text;
  const parts: string[] = [];
  let copied = 0;
  while (at >= 0) {
    const end = referenceEnd(text, at);
    parts.push(text.slice(copied, at), decodeReference(text.slice(at, end), isAttribute));
    copied = end;
    at = text.indexOf('&', end);
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

/**
 * Returns the end of a possible reference that starts with the `&` at `at`: after its `;`, or after the one character
 * that decides whether a reference without `;` counts in an attribute.
 */
export function referenceEnd(text: string, at: number): number {
  let i = at + 1;
  const limit = Math.min(text.length, at + MAX_REFERENCE_CHARS);
  while (i < limit) {
    const c = text.charCodeAt(i);
    const isNameChar = (c >= 48 && c <= 57) || ((c | 32) >= 97 && (c | 32) <= 122) || (c === 35 && i === at + 1);
    if (!isNameChar) return c === 59 || c === 61 ? i + 1 : i;
    i++;
  }
  return i;
}

/** Decodes the text delimited by {@link referenceEnd}. */
export function decodeReference(reference: string, isAttribute: boolean): string {
  const memo = isAttribute ? inAttributes : inText;
  const known = memo.get(reference);
  if (known !== undefined) return known;
  const decoded = isAttribute ? parsed(`<a b="${reference}">`) : parsed(reference);
  if (memo.size >= MEMO_LIMIT) memo.clear();
  memo.set(reference, decoded);
  return decoded;
}

/** Returns the text, or the value of the only attribute, of a piece of HTML. */
function parsed(html: string): string {
  let out = '';
  const keep = (start: number, end: number): void => {
    out += html.slice(start, end);
  };
  const nothing = (): void => {};
  const keepCodePoint = (codePoint: number): void => {
    out += String.fromCodePoint(codePoint);
  };
  const tokenizer = new Tokenizer(
    {},
    {
      ontext: keep,
      ontextentity: keepCodePoint,
      onattribdata: keep,
      onattribentity: keepCodePoint,
      onattribend: nothing,
      onattribname: nothing,
      oncdata: nothing,
      onclosetag: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onopentagname: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  // The memo must not keep the page in memory from which the reference was sliced.
  return out.length === 0 ? '' : Buffer.from(out, 'utf16le').toString('utf16le');
}
