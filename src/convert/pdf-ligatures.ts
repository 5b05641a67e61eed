/** A glyph as pdf.js names it in its list of operators; numbers are gaps. */
interface Glyph {
  readonly unicode?: unknown;
}

/** What makes a glyph of two letters or more a ligature that is read from the right. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
/** Glyphs that are looked through for the beginning of a piece; some that draw nothing are in no piece. */
const MAX_SKIPPED = 500;

/** The glyphs of a page that draw something, in their order. @param argumentLists - of all operators that show text */
export function glyphsOf(argumentLists: readonly (readonly unknown[])[]): readonly string[] {
  return argumentLists.flatMap(([glyphs]) =>
    (Array.isArray(glyphs) ? (glyphs as readonly (Glyph | number | null)[]) : []).flatMap((glyph) => {
      const text = typeof glyph === 'object' && glyph !== null ? glyph.unicode : undefined;
      const letters = typeof text === 'string' ? bare(text.normalize('NFKC')) : '';
      return letters === '' ? [] : [letters];
    }),
  );
}

/** True if a text that is read from the right may hold a ligature that pdf.js turned round. */
export function mayHoldLigature(text: string): boolean {
  return /[اأإآٱ]ل/.test(text);
}

/**
 * Returns texts with their ligatures the right way round. pdf.js turns a line that is drawn from left to right, letter by letter; of a glyph that stands for
 * two letters, as for lam and alef, it turns these as well: السالم for السلام.
 * @param texts - pieces in the order of the page, those read from the left undefined
 */
export function withLigatures(
  texts: readonly (string | undefined)[],
  glyphs: readonly string[],
): readonly (string | undefined)[] {
  let at = 0;
  return texts.map((text) => {
    const letters = text === undefined ? '' : bare(text);
    if (text === undefined || letters === '') return text;
    const found = sliceOf(glyphs, at, letters);
    if (found === undefined) return text;
    at = found.to;
    return mended(text, glyphs.slice(found.from, found.to));
  });
}

/** The next glyphs that have the same letters as a text, in whatever order. */
function sliceOf(glyphs: readonly string[], at: number, letters: string): { from: number; to: number } | undefined {
  const wanted = sorted(letters);
  for (let from = at; from < Math.min(glyphs.length, at + MAX_SKIPPED); from++) {
    let to = from;
    let length = 0;
    while (to < glyphs.length && length < letters.length) length += glyphs[to++]!.length;
    if (length === letters.length && sorted(glyphs.slice(from, to).join('')) === wanted) return { from, to };
  }
  return undefined;
}

/** Turns the ligatures of a piece. They are found by counting: where the same two letters stand apart, they are two glyphs. */
function mended(text: string, glyphs: readonly string[]): string {
  const kinds = new Set(glyphs.filter((glyph) => glyph.length > 1 && RIGHT_TO_LEFT.test(glyph)));
  let out = text;
  for (const ligature of kinds) {
    const turned = Array.from(ligature).reverse().join('');
    const isLigature = placesOf(turned, glyphs.toReversed(), ligature);
    const parts = out.split(turned);
    if (turned === ligature || parts.length - 1 !== isLigature.length) continue;
    out = parts.map((part, i) => part + (i === isLigature.length ? '' : isLigature[i] ? ligature : turned)).join('');
  }
  return out;
}

/** For each place of `turned` in the reversed glyphs, whether it is one glyph. */
function placesOf(turned: string, reversed: readonly string[], ligature: string): readonly boolean[] {
  const starts = new Set<number>();
  let all = '';
  for (const glyph of reversed) {
    if (glyph === ligature) starts.add(all.length);
    all += Array.from(glyph).reverse().join('');
  }
  const places: boolean[] = [];
  for (let at = all.indexOf(turned); at >= 0; at = all.indexOf(turned, at + turned.length)) places.push(starts.has(at));
  return places;
}

function bare(text: string): string {
  return text.replace(/\s+/g, '');
}

function sorted(text: string): string {
  return Array.from(text).sort().join('');
}
