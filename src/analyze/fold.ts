/** Where a word may be parted, marks of direction and the like. */
const INVISIBLE = /[\u00ad\u180e\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe]+/g;
const SPACES = /[\s\u0000-\u001f\u007f-\u009f\u200b]+/g;

/** To Unicode they are letters: Ukrainian has the one within words, Hawaiian and Uzbek the other. */
const LETTER_APOSTROPHES: Readonly<Record<string, string>> = { '\u02bb': '\u2018', '\u02bc': '\u2019' };

/** Apostrophes that count as letters become the signs that look the same: most people type these, or `'`. */
function foldApostrophes(text: string): string {
  return text.replace(/[\u02bb\u02bc]/g, (letter) => LETTER_APOSTROPHES[letter]!);
}

/** White space and control characters folded to single spaces, invisible marks left out, a letter and its accents as one (NFC), apostrophes no letters; lone surrogates replaced. */
export function foldLine(text: string): string {
  return foldApostrophes(text.replace(INVISIBLE, '').replace(SPACES, ' ').trim().toWellFormed().normalize('NFC'));
}

/** Lower case in which the Turkish capital I with a dot is the same letter as elsewhere, not two characters. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('i\u0307', 'i');
}

/** The first `maxChars` characters, never half a surrogate pair. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const unit = text.charCodeAt(maxChars);
  return text.slice(0, unit >= 0xdc00 && unit <= 0xdfff ? maxChars - 1 : maxChars);
}
