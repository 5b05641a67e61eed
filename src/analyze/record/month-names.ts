/**
 * Beginnings of the names of months without accents, by month. Catalan, Czech, Danish, Dutch, English, Finnish, French, German, Greek,
 * Hungarian, Italian, Norwegian, Polish, Portuguese, Romanian, Russian, Spanish, Swedish, Turkish, Ukrainian.
 */
const BEGINNINGS: readonly string[] = [
  'jan gen ene ian led sty tammi oca янв січ ιαν',
  'feb fev lut uno helmi sub фев лют φεβ',
  'mar mrt brez maalis maart мар бер μαρ',
  'apr avr abr dub kwi huhti nis апр кві απρ',
  'may mai maj mag mei kve touko мая маи тра μαι',
  'jun jui iun giu cze cervn kesa haz июн чер ιουν',
  'jul juil iul lug lip cervenc heina tem июл лип ιουλ',
  'aug ago aou srp sie elo agu авг сер αυγ',
  'sep set sze zar wrz syys eyl сен вер σεπ',
  'oct okt ott out rij paz loka eki окт жов οκτ',
  'nov noi lis marras kas ноя лис νοε',
  'dec dez dic des pro gru joulu ara дек гру δεκ',
];

const MONTHS: ReadonlyMap<string, number> = new Map(
  BEGINNINGS.flatMap((names, i) => names.split(' ').map((name) => [name, i + 1] as const)),
);
const MIN_CHARS = 3;
const MAX_CHARS = 7;

/** Returns the number of a month, 1 to 12, by its name or the beginning of it; `undefined` for another word. */
export function monthNamed(word: string): number | undefined {
  const letters = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  // `marraskuu` is not March, `juillet` is not June: the longest beginning counts.
  for (let chars = MAX_CHARS; chars >= MIN_CHARS; chars--) {
    const month = letters.length < chars ? undefined : MONTHS.get(letters.slice(0, chars));
    if (month !== undefined) return month;
  }
  return undefined;
}
