import { displayWidth } from '../src/workbench/words/terminal.ts';

/** The screen of a terminal, as `tmux capture-pane -e -p` prints it. */
export interface Screen {
  readonly text: string;
  readonly columns: number;
  /** The title in the bar above the screen. */
  readonly title: string;
}

interface Style {
  readonly fill: string;
  readonly ground: string | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly inverse: boolean;
}

interface Run {
  readonly text: string;
  readonly at: number;
  readonly style: Style;
}

const CELL = { width: 8.4, height: 18 } as const;
const PAD = 14;
const BAR = 30;
const GROUND = '#16181d';
const PLAIN: Style = { fill: '#d7dae0', ground: undefined, bold: false, dim: false, inverse: false };
const COLOURS = (
  '#3b4048 #ef6b73 #8ccf7e #e5c76b #67b0e8 #c47fd5 #6cbfbf #d7dae0 ' +
  '#6b7280 #ff8a91 #a5e597 #f4d98a #8ccbff #dba0e8 #8fdcdc #ffffff'
).split(' ');

/** Draws the screen as SVG with real text, which can be read aloud, searched and enlarged. */
export function terminalSvg({ text, columns, title }: Screen): string {
  const lines = text.replace(/\s+$/, '').split('\n');
  const width = Math.ceil(columns * CELL.width + 2 * PAD);
  const height = Math.ceil(lines.length * CELL.height + 2 * PAD + BAR);
  const rows = lines.map((line, row) => rowOf(line, BAR + PAD + row * CELL.height));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(title)}">
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
<text x="${width / 2}" y="20" text-anchor="middle" fill="#9aa1ad" font-family="sans-serif" font-size="12">${escapeText(title)}</text>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`;
}

function rowOf(line: string, top: number): string {
  return runsOf(line)
    .flatMap(({ text, at, style }) => {
      const x = PAD + at * CELL.width;
      const width = displayWidth(text) * CELL.width;
      const { fill, ground } = coloursOf(style);
      const box = `<rect x="${round(x)}" y="${round(top)}" width="${round(width)}" height="${CELL.height}" fill="${ground}"/>`;
      const weight = style.bold ? ' font-weight="bold"' : '';
      const faint = style.dim ? ' opacity="0.65"' : '';
      const words = wordsOf(text).map((word) => {
        const place = `x="${round(x + word.at * CELL.width)}" y="${round(top + 13.5)}"`;
        const size = `textLength="${round(displayWidth(word.text) * CELL.width)}" lengthAdjust="spacingAndGlyphs"`;
        return `<text ${place} ${size} fill="${fill}"${weight}${faint}>${escapeText(word.text)}</text>`;
      });
      return [...(ground === undefined ? [] : [box]), ...words];
    })
    .join('\n');
}

/** Splits a line at two or more spaces and positions each piece, because viewers treat spaces differently. */
function wordsOf(text: string): { text: string; at: number }[] {
  return [...text.matchAll(/\S+(?: \S+)*/g)].map((match) => ({
    text: match[0],
    at: displayWidth(text.slice(0, match.index)),
  }));
}

function coloursOf({ fill, ground, inverse }: Style): { fill: string; ground: string | undefined } {
  return inverse ? { fill: ground ?? GROUND, ground: fill } : { fill, ground };
}

/** Splits a line into pieces of the same style. Drops escape sequences except for colours. */
function runsOf(line: string): Run[] {
  const runs: Run[] = [];
  let style = PLAIN;
  let at = 0;
  for (const piece of line.split(/(\x1b\[[\d;:]*m)/)) {
    const codes = /^\x1b\[([\d;:]*)m$/.exec(piece)?.[1];
    if (codes !== undefined) style = styled(style, codes.split(/[;:]/).map(Number));
    else {
      const text = piece.replaceAll(/[\x00-\x1f]/g, '');
      if (text !== '') runs.push({ text, at, style });
      at += displayWidth(text);
    }
  }
  return runs;
}

function styled(style: Style, codes: readonly number[]): Style {
  let now = style;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 38 || code === 48) {
      const [colour, used] = longColour(codes.slice(i + 1));
      now = code === 38 ? { ...now, fill: colour } : { ...now, ground: colour };
      i += used;
    } else now = shortStyle(now, code);
  }
  return now;
}

function shortStyle(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 27) return { ...style, inverse: false };
  if (code >= 30 && code <= 37) return { ...style, fill: COLOURS[code - 30]! };
  if (code >= 90 && code <= 97) return { ...style, fill: COLOURS[code - 82]! };
  if (code >= 40 && code <= 47) return { ...style, ground: COLOURS[code - 40]! };
  if (code >= 100 && code <= 107) return { ...style, ground: COLOURS[code - 92]! };
  if (code === 39) return { ...style, fill: PLAIN.fill };
  if (code === 49) return { ...style, ground: undefined };
  return style;
}

/** Reads a colour of 256 or of three bytes, and returns how many codes it used. */
function longColour([kind, a = 0, b = 0, c = 0]: readonly number[]): [colour: string, used: number] {
  if (kind === 2) return [`rgb(${a},${b},${c})`, 4];
  if (a < 16) return [COLOURS[a]!, 2];
  if (a >= 232) return [`rgb(${[0, 0, 0].map(() => 8 + 10 * (a - 232)).join(',')})`, 2];
  const cube = a - 16;
  const level = (n: number): number => (n === 0 ? 0 : 55 + 40 * n);
  return [`rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).join(',')})`, 2];
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function round(x: number): number {
  return Math.round(x * 10) / 10;
}
