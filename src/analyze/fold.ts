/** Soft hyphens, direction marks and similar characters. */
const INVISIBLE = /[\u00ad\u180e\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe]+/g;
const SPACES = /[\s\u0000-\u001f\u007f-\u009f\u200b]+/g;

/** Letters according to Unicode: Ukrainian has one of them within words, Hawaiian and Uzbek the other. */
const LETTER_APOSTROPHES: Readonly<Record<string, string>> = { '\u02bb': '\u2018', '\u02bc': '\u2019' };

/** Replaces letter-like apostrophes by the quotation marks that look the same: most users type these, or `'`. */
function foldApostrophes(text: string): string {
  return text.replace(/[\u02bb\u02bc]/g, (letter) => LETTER_APOSTROPHES[letter]!);
}

/**
 * Folds white space and control characters to single spaces, removes invisible marks, composes letters and accents
 * (NFC), replaces letter-like apostrophes and lone surrogates.
 */
export function foldLine(text: string): string {
  return foldApostrophes(text.replace(INVISIBLE, '').replace(SPACES, ' ').trim().toWellFormed().normalize('NFC'));
}

/** Lower-cases text; the Turkish dotted capital I becomes a plain i, not two characters. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('i\u0307', 'i');
}

/** Returns the first `maxChars` characters, never half a surrogate pair. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const unit = text.charCodeAt(maxChars);
  return text.slice(0, unit >= 0xdc00 && unit <= 0xdfff ? maxChars - 1 : maxChars);
}
