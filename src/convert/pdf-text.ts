/** A piece of text as pdf.js gives it: its words in the order of reading, the pieces as the program that made the PDF wrote them. */
export interface PdfPiece {
  readonly text: string;
  /** Where it stands on the page, in points: its left end, and its line. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isRightToLeft: boolean;
  readonly endsLine: boolean;
}

/** Pieces whose baselines are this far apart, in points, stand on different lines. */
const LINE_GAP = 4.6;
/** Pieces of a line that are this far apart are different words. */
const WORD_GAP = 7;

/** A part of a line with its place. */
interface Part {
  readonly text: string;
  readonly x: number;
  readonly isRightToLeft: boolean;
}

/** The text of a page, a line a line, with an empty line where there is room for one. */
export function pageText(pieces: readonly PdfPiece[]): string {
  let text = '';
  let line: Part[] = [];
  let last: PdfPiece | undefined;
  let lineHeight = 0;
  const chars = (of: Direction) => pieces.reduce((sum, p) => sum + (directionOf(p) === of ? p.text.length : 0), 0);
  const direction = chars('right') > chars('left') ? 'right' : 'left';
  const endLine = (): void => {
    text += `${readable(line, direction)}\n`;
    line = [];
    lineHeight = 0;
  };
  for (const piece of pieces) {
    const away = last === undefined ? 0 : Math.abs(last.y - piece.y);
    const isBreak = piece.text.startsWith('\n') || (piece.text.trim() === '' && piece.endsLine);
    if (away > LINE_GAP && away - 1 > lineHeight && !isBreak && line.length > 0) endLine();
    const isApart = last !== undefined && away < LINE_GAP && Math.abs(last.x + last.width - piece.x) > WORD_GAP;
    // What ends a line may have the place of the next one.
    if (piece.text !== '') {
      if (isApart) line.push({ text: '\t', x: piece.x, isRightToLeft: false });
      line.push(piece);
    }
    lineHeight = Math.max(lineHeight, piece.height);
    if (piece.endsLine) endLine();
    last = piece;
  }
  return `${text}${readable(line, direction)}`;
}

type Direction = 'left' | 'right';

/** Letters of Arabic as they look at the beginning, within or at the end of a word. */
const PRESENTATION_FORMS = /[\ufb50-\ufdff\ufe80-\ufefc]+/g;

/**
 * A line in the order of reading. Some programs write the parts of a line from left to right, whatever the script: Arabic and
 * Hebrew would stand the wrong way round.
 */
function readable(line: readonly Part[], direction: Direction): string {
  const isRight = line.some((part) => part.isRightToLeft);
  const isAscending = line.every(({ x }, i) => i === 0 || x >= line[i - 1]!.x);
  const text = (isRight && isAscending ? turned(line, direction) : line.map((part) => part.text)).join('');
  return isRight ? text.replace(PRESENTATION_FORMS, (forms) => forms.normalize('NFKC')) : text;
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const MIRRORED: Readonly<Record<string, string>> = { '(': ')', ')': '(', '[': ']', ']': '[', '«': '»', '»': '«' };

/** Parts that stand from left to right, put as they are read: what is read from the right is turned round, and the whole line where most of the page is. */
function turned(line: readonly Part[], whole: Direction): readonly string[] {
  const directions = line.map(directionOf);
  const before = lastKnown(directions);
  const behind = lastKnown(directions.toReversed()).toReversed();
  const runs: { readonly direction: Direction; readonly texts: string[] }[] = [];
  for (const [i, { text }] of line.entries()) {
    const direction = (before[i] === behind[i] ? before[i] : undefined) ?? whole;
    if (runs.at(-1)?.direction !== direction) runs.push({ direction, texts: [] });
    // Brackets between words are written as they look.
    runs.at(-1)!.texts.push(direction === 'right' && directions[i] === undefined ? mirrored(text) : text);
  }
  for (const run of runs) if (run.direction === 'right') run.texts.reverse();
  return (whole === 'right' ? runs.reverse() : runs).flatMap((run) => run.texts);
}

/** None of blanks and punctuation. */
function directionOf({ isRightToLeft, text }: Pick<Part, 'isRightToLeft' | 'text'>): Direction | undefined {
  if (isRightToLeft) return 'right';
  return LETTER_OR_DIGIT.test(text) ? 'left' : undefined;
}

function lastKnown(directions: readonly (Direction | undefined)[]): readonly (Direction | undefined)[] {
  let last: Direction | undefined;
  return directions.map((direction) => {
    last = direction ?? last;
    return last;
  });
}

function mirrored(text: string): string {
  return text.replace(/[()[\]«»]/g, (bracket) => MIRRORED[bracket] ?? bracket);
}
