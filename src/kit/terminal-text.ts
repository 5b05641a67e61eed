// CSI, OSC and the other string sequences (DCS, SOS, PM, APC) with their terminators, then two-character escapes.
const ESCAPES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;
// C0, DEL, C1, and line separators.
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g;
// Bidi controls, invisible separators, soft hyphens, fillers, tag characters, noncharacters. Joiners and variation
// selectors stay: they shape the letters beside them.
const HIDDEN = /(?!\u200c|\u200d|\p{VS})\p{DI}|[\ufff9-\ufffb\p{NChar}]/gu;
// More marks than a letter of any living script has; stacked marks would cover the lines above and below.
const HEAPS = /(\p{M}{4})\p{M}+/gu;
const LEADING_MARKS = /^\p{M}+/u;
// Characters that join or modify their neighbours: terminals disagree on the width of the group, but not of its
// parts.
const GROUPING =
  /\p{VS}|(?<=\p{Extended_Pictographic}|\p{EMod}|\p{VS})(?:\p{EMod}|\u200d(?=\p{Extended_Pictographic}))/gu;

/**
 * Makes text from the web safe to show. Removes escape sequences and hidden or direction-changing characters, turns
 * every other run of control characters, with line breaks, into one space, and limits each letter to four marks. The
 * result is one line.
 */
export function sanitizeText(text: string): string {
  const line = text.replace(ESCAPES, '').replace(CONTROLS, ' ').replace(HIDDEN, '').trim();
  return line.replace(HEAPS, '$1').replace(LEADING_MARKS, '');
}

/**
 * Like {@link sanitizeText}, also splitting emoji groups into parts with the same width on every terminal, so that
 * columns stay aligned.
 */
export function sanitizeForTerminal(text: string): string {
  return sanitizeText(text).replace(GROUPING, '');
}

/**
 * Like {@link sanitizeText}, for text of several lines in files that may be shown on a terminal: keeps line breaks
 * and tabs, does not trim.
 */
export function sanitizeLines(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .replace(HIDDEN, '');
}

const UNSHOWABLE =
  /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/**
 * Returns a value as JSON that is safe on a terminal. Characters that a terminal would execute, reverse or hide are
 * written as JSON escapes. Programs read the same value.
 */
export function safeJson(value: unknown): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(UNSHOWABLE, (found) =>
    Array.from({ length: found.length }, (_, i) => escaped(found[i]!)).join(''),
  );
}

// Spacing marks (Mc) have their own column; medial vowels and final consonants of Hangul have none.
const ZERO_WIDTH = /^(?:\p{Mn}|\p{Me}|\p{Cf}|[\u1160-\u11ff])$/u;
/** Two of them make a flag. */
const HALF_FLAG = /^\p{RI}$/u;
const DOUBLE_WIDTH =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{17000}-\u{18d7f}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}])$/u;

/** Returns the columns that text takes on a terminal: 2 for wide characters, 0 for combining marks. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

function widthOf(character: string): number {
  if (character <= '\u02ff') return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return DOUBLE_WIDTH.test(character) && !HALF_FLAG.test(character) ? 2 : 1;
}

/** Truncates text to at most `width` columns, with `…` at the end. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  let out = '';
  let used = 1;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    out += character;
  }
  return `${out}…`;
}

/** Pads text with spaces to `width` columns. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + space : space + text;
}
