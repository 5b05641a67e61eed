/** Where the head of a Word document says where its tables lie, each a place and a length in bytes ([MS-DOC] §2.5.6). */
const STYLES_AT = 0xa2;
const CHARACTERS_AT = 0xfa;
const PARAGRAPHS_AT = 0x102;
const PAGE_BYTES = 512;
/** Properties of characters and paragraphs ([MS-DOC] §2.6.1, §2.6.2). */
const DELETED = 0x0800;
const HIDDEN = 0x083c;
const CHARACTER_STYLE = 0x4a30;
const SYMBOL = 0x6a09;
const ROW_END = 0x2417;
/** The definition of a table has a length of two bytes; nothing behind it counts here. */
const TABLE_DEFINITION = 0xd608;
/** Bytes that the value of a property takes, by the last three bits of its number ([MS-DOC] §2.2.5.1); of the seventh kind its first byte says so. */
const VALUE_BYTES: readonly number[] = [1, 1, 2, 4, 2, 2, 0, 3];
const COUNTED = 6;
/** Values of a toggle property beside off and on: as the style has it, and the opposite ([MS-DOC] §2.9.327). */
const AS_STYLE = 0x80;
const UNLIKE_STYLE = 0x81;
const NO_STYLE = 0xfff;
/** Styles may be based on each other in a circle. */
const MAX_BASES = 20;

/** A range of the stream `WordDocument` with one set of properties. */
export interface Run {
  readonly from: number;
  readonly to: number;
  readonly isDeleted: boolean;
  /** Value of the property that hides text, if the run itself has it. */
  readonly hidden: number | undefined;
  /** Number of its style: of a paragraph's, or of its characters' own (0: none). */
  readonly style: number;
  /** Each of its characters stands for this one. */
  readonly symbol: number | undefined;
  readonly endsRow: boolean;
}

/** Says of each place in the stream what its properties are. */
export interface WordRuns {
  readonly characters: readonly Run[];
  readonly paragraphs: readonly Run[];
  /** Number of a style, and whether it hides text. */
  readonly hidingStyles: ReadonlySet<number>;
}

/** Reads the properties of characters and paragraphs. A damaged table counts as empty: the text is worth more. */
export function wordRuns(words: Buffer, tables: Buffer): WordRuns {
  return {
    characters: orNothing(() => runsOf(words, tables, 'characters')),
    paragraphs: orNothing(() => runsOf(words, tables, 'paragraphs')),
    hidingStyles: new Set(orNothing(() => hidingStyles(words, tables))),
  };
}

function orNothing<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** True if text with these properties is not shown: deleted, or hidden by itself or by its styles ([MS-DOC] §2.4.6.6). */
export function isUnseen(
  run: Run | undefined,
  paragraph: Run | undefined,
  { hidingStyles: hiding }: WordRuns,
): boolean {
  if (run?.isDeleted === true) return true;
  // The two styles switch each other off (ECMA-376 part 1, §17.7.3).
  const byStyle = hiding.has(paragraph?.style ?? 0) !== (run !== undefined && run.style > 0 && hiding.has(run.style));
  return isOn(run?.hidden, byStyle);
}

function isOn(value: number | undefined, byStyle: boolean): boolean {
  if (value === undefined || value === AS_STYLE) return byStyle;
  return value === UNLIKE_STYLE ? !byStyle : value === 1;
}

/** The run at a place, or undefined. @param runs - in the order of their places */
export function runAt(runs: readonly Run[], place: number): Run | undefined {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.to <= place) low = middle + 1;
    else high = middle;
  }
  const run = runs[low];
  return run !== undefined && run.from <= place ? run : undefined;
}

/** Pages of runs: where each begins and ends, and where in the page its properties are ([MS-DOC] §2.9.33, §2.9.174). */
function runsOf(words: Buffer, tables: Buffer, of: 'characters' | 'paragraphs'): readonly Run[] {
  const head = of === 'characters' ? CHARACTERS_AT : PARAGRAPHS_AT;
  const table = words.readUInt32LE(head);
  const pages = Math.floor((words.readUInt32LE(head + 4) - 4) / 8);
  const runs: Run[] = [];
  for (let i = 0; i < pages; i++) {
    const at = tables.readUInt32LE(table + (pages + 1 + i) * 4) * PAGE_BYTES;
    const page = words.subarray(at, at + PAGE_BYTES);
    if (page.length === PAGE_BYTES) addRuns(page, of, runs);
  }
  return runs.sort((a, b) => a.from - b.from);
}

function addRuns(page: Buffer, of: 'characters' | 'paragraphs', runs: Run[]): void {
  const count = page.readUInt8(PAGE_BYTES - 1);
  for (let j = 0; j < count; j++) {
    const entry = (count + 1) * 4 + (of === 'characters' ? j : 13 * j);
    if (entry >= PAGE_BYTES) return;
    const from = page.readUInt32LE(4 * j);
    const to = page.readUInt32LE(4 * (j + 1));
    const at = 2 * page.readUInt8(entry);
    if (at === 0 && of === 'characters') continue;
    const [start, end] = of === 'characters' ? characterProperties(page, at) : paragraphProperties(page, at);
    const style = of === 'paragraphs' && end - start >= 2 ? page.readUInt16LE(start) : 0;
    runs.push({ from, to, ...propertiesIn(page.subarray(of === 'paragraphs' ? start + 2 : start, end), style) });
  }
}

function characterProperties(page: Buffer, at: number): readonly [number, number] {
  return [at + 1, at + 1 + page.readUInt8(at)];
}

function paragraphProperties(page: Buffer, at: number): readonly [number, number] {
  const words = page.readUInt8(at);
  return words > 0 ? [at + 1, at + 2 * words] : [at + 2, at + 2 + 2 * page.readUInt8(at + 1)];
}

function propertiesIn(bytes: Buffer, paragraphStyle: number): Omit<Run, 'from' | 'to'> {
  let [isDeleted, endsRow, style] = [false, false, paragraphStyle];
  let hidden: number | undefined;
  let symbol: number | undefined;
  eachProperty(bytes, (property, value) => {
    if (property === DELETED) isDeleted = ((value[0] ?? 0) & 1) === 1;
    else if (property === HIDDEN) hidden = value[0];
    else if (property === ROW_END) endsRow = value[0] === 1;
    else if (property === CHARACTER_STYLE && value.length >= 2) style = value.readUInt16LE(0);
    else if (property === SYMBOL && value.length >= 4) symbol = value.readUInt16LE(2);
  });
  return { isDeleted, hidden, style, symbol, endsRow };
}

function eachProperty(bytes: Buffer, tell: (property: number, value: Buffer) => void): void {
  for (let at = 0; at + 2 < bytes.length; ) {
    const property = bytes.readUInt16LE(at);
    if (property === TABLE_DEFINITION) return;
    const kind = property >> 13;
    const from = at + 2;
    at = from + (kind === COUNTED ? 1 + bytes.readUInt8(from) : VALUE_BYTES[kind]!);
    tell(property, bytes.subarray(from, at));
  }
}

interface Style {
  readonly base: number;
  readonly hidden: number | undefined;
}

/** Numbers of the styles that hide text, each by itself or by the style it is based on ([MS-DOC] §2.9.271, §2.9.260). */
function hidingStyles(words: Buffer, tables: Buffer): readonly number[] {
  const from = words.readUInt32LE(STYLES_AT);
  const sheet = tables.subarray(from, from + words.readUInt32LE(STYLES_AT + 4));
  if (sheet.length < 6) return [];
  const count = sheet.readUInt16LE(2);
  const baseBytes = sheet.readUInt16LE(4);
  const styles: Style[] = [];
  for (let i = 0, at = 2 + sheet.readUInt16LE(0); i < count && at + 2 <= sheet.length; i++) {
    const bytes = sheet.readUInt16LE(at);
    styles.push(styleOf(sheet.subarray(at + 2, at + 2 + bytes), baseBytes));
    at += 2 + bytes + (bytes % 2);
  }
  return [...styles.keys()].filter((number) => isHiding(number, styles));
}

/** A style: its head, its name, then its properties of paragraphs and of characters, each with its length and at an even place. */
function styleOf(bytes: Buffer, headBytes: number): Style {
  if (bytes.length < headBytes + 4) return { base: NO_STYLE, hidden: undefined };
  const kind = bytes.readUInt16LE(2) & 0xf;
  const base = bytes.readUInt16LE(2) >> 4;
  let hidden: number | undefined;
  let at = headBytes + 2 + 2 * bytes.readUInt16LE(headBytes) + 2;
  // Of a style of characters these are the first, of paragraphs the second.
  const before = kind === 2 ? 0 : 1;
  for (let i = 0; i <= before && at + 2 <= bytes.length; i++) {
    const length = bytes.readUInt16LE(at);
    if (i === before) hidden = propertiesIn(bytes.subarray(at + 2, at + 2 + length), 0).hidden;
    at += 2 + length + (length % 2);
  }
  return { base, hidden };
}

function isHiding(number: number, styles: readonly Style[], depth = 0): boolean {
  const style = styles[number];
  if (style === undefined || depth > MAX_BASES) return false;
  const byBase = style.base !== NO_STYLE && style.base !== number && isHiding(style.base, styles, depth + 1);
  return isOn(style.hidden, byBase);
}
