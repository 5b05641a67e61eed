/** Accents that stand for themselves, beside those that are put on a letter. */
const MARKS: Readonly<Record<string, string>> = {
  '¨': '\u0308',
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  ˇ: '\u030c',
  '˚': '\u030a',
  '¸': '\u0327',
};
/** Where a letter is one that has such an accent; `don´t` has an apostrophe. */
const APART = /([¨´ˆ])([aeiouyıAEIOUY])|(˜)([anoANO])|(ˇ)([cdenrstzCDENRSTZ])|(˚)([auAU])|(¸)([csCS])/g;

/** Old fonts of TeX have no letters with accents: the two are drawn over each other, the accent first, and are put together here. */
export function withAccents(text: string): string {
  return text.replace(APART, (pair: string) => {
    const letter = pair[1] === 'ı' ? 'i' : pair.slice(1);
    return `${letter}${MARKS[pair[0]!]}`.normalize('NFC');
  });
}
