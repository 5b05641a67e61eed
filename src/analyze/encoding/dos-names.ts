/** Western European letters of DOS (code page 850) from 0x80 on; code page 437 has them at the same positions. */
const DOS_LATIN = 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑ';
const SHARP_S = 0xe1;

/** Bytes that are rarely or never one of these letters. */
const NOT_DOS_LATIN = /[\x92\x9c\x9e\x9f\xa6-\xe0\xe2-\xff]/;
/**
 * Such a byte without a plain letter beside it. Bytes that are quotation marks or dashes in other encodings need
 * letters on both sides.
 */
const STRAY =
  /(?<![A-Za-z\x80-\xff])[\x80-\xff]+(?![A-Za-z\x80-\xff])|(?<![A-Za-z\x80-\xff])[\x91\x93-\x97]|[\x91\x93-\x97](?![A-Za-z\x80-\xff])/;
/** First bytes of Shift_JIS syllables. */
const JAPANESE = /\x83[@-Z[-`]/;
/** Letters beyond ASCII, for each plain one, at the most. */
const MAX_SHARE = 1 / 3;

/** Code page 866: its letters lie in two parts, the small ones in the upper of them. */
const NOT_DOS_CYRILLIC = /[\xb0-\xdf\xf2-\xff]/;
const DOS_CYRILLIC_SMALL = /[\xa0-\xaf\xe0-\xef]/g;
const DOS_CYRILLIC_SURE = /[\x80-\xaf]/g;
const MIN_CYRILLIC = 4;

/**
 * Names of files as programs of DOS and Windows write them into archives, in the code page of its command line: which no page has, and too short for statistics
 * of letters.
 * @param names - their bytes, one character each, none of them UTF-8
 * @returns `undefined` where they do not look like that
 */
export function dosNames(names: readonly string[]): readonly string[] | undefined {
  const all = names.join('\n');
  if (isDosCyrillic(all)) return names.map((name) => new TextDecoder('ibm866').decode(Buffer.from(name, 'latin1')));
  return isDosLatin(all) ? names.map(dosLatin) : undefined;
}

function isDosCyrillic(text: string): boolean {
  const letters = text.replace(/[\0-\x7f]/g, '');
  return (
    letters.length >= MIN_CYRILLIC &&
    !NOT_DOS_CYRILLIC.test(letters) &&
    count(letters, DOS_CYRILLIC_SMALL) > 0.7 * letters.length &&
    count(letters, DOS_CYRILLIC_SURE) > 0.3 * letters.length
  );
}

function isDosLatin(names: string): boolean {
  // A word of a single letter (à).
  const text = names.replaceAll(' \x85 ', ' ');
  if (NOT_DOS_LATIN.test(text) || STRAY.test(text) || JAPANESE.test(text)) return false;
  // The one letter that other encodings also have at its position.
  const letters = text.replace(/[\0-\x7f\xe1]/g, '');
  return letters.length > 0 && letters.length <= MAX_SHARE * count(text, /[A-Za-z]/g);
}

function dosLatin(name: string): string {
  return name.replace(/[\x80-\xff]/g, (c) => (c.charCodeAt(0) === SHARP_S ? 'ß' : DOS_LATIN[c.charCodeAt(0) - 0x80]!));
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
