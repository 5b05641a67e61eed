/** `EQ \* jc2 \* "Font:MS Mincho" \* hps10 …`: how it looks. */
const LOOKS = /\\\*\s{0,9}(?:"[^"]{0,200}"|[^\s\\(),;]{1,100})/g;
/** Letters raised over others, as readings are: `\s\up 9(えき)`. */
const RAISED = /\\s\s{0,9}\\up\s{0,9}-?\d{0,5}\s{0,9}\((?:\\.|[^()\\]){0,1000}\)\s{0,9}[,;]?/gi;
const OVERLAY = /\\o/i;
const SWITCH = /\\[a-z]{1,20}(?:\s{0,9}-?\d{1,5})?/gi;

/**
 * Returns the words of an EQ field, by which Word sets formulas and, in Japanese, letters with their readings above them (furigana). Of the
 * latter the base is returned, without the reading.
 * @param instruction - of the field
 * @returns undefined for other fields
 */
export function equationText(instruction: string): string | undefined {
  if (!/^\s*EQ\b/i.test(instruction)) return undefined;
  const formula = instruction.replace(/^\s*EQ\b/i, '').replace(LOOKS, '');
  const base = OVERLAY.test(formula) ? formula.replace(RAISED, '') : formula;
  return wordsOf(base) || wordsOf(formula);
}

function wordsOf(formula: string): string {
  return formula
    .replace(SWITCH, ' ')
    .replace(/\\([(),;\\])/g, '$1')
    .replace(/[(),;\s]+/g, ' ')
    .trim();
}
