/**
 * Plain letters and the accented ones for which people type them, most frequent first, per language (ISO 639-1).
 * Letters such as й, ї or å are left out if they are never typed as another letter.
 */
const ACCENTED: Readonly<Record<string, string>> = {
  be: 'е:ё',
  ca: 'a:à e:éè i:íï o:óò u:úü c:ç',
  cs: 'a:á e:éě i:í o:ó u:úů y:ý c:č d:ď n:ň r:ř s:š t:ť z:ž',
  da: 'a:å o:ø ae:æ oe:ø aa:å',
  de: 'u:ü a:ä o:ö ss:ß ue:ü ae:ä oe:ö',
  el: 'α:ά ε:έ η:ή ι:ίϊ ο:ό υ:ύϋ ω:ώ',
  en: 'o:ö u:ü a:ä',
  eo: 'c:ĉ g:ĝ h:ĥ j:ĵ s:ŝ u:ŭ',
  es: 'o:ó i:í a:á e:é u:úü n:ñ',
  et: 'a:ä o:õö u:ü s:š z:ž',
  fa: 'ا:آ',
  fi: 'a:ä o:ö',
  fr: 'e:éèêë a:àâ i:îï o:ô u:ûùü c:ç oe:œ ae:æ',
  ga: 'a:á e:é i:í o:ó u:ú',
  hr: 'c:čć d:đ s:š z:ž',
  hu: 'a:á e:é i:í o:öóő u:üúű',
  is: 'a:á e:é i:í o:öó u:ú y:ý d:ð th:þ ae:æ',
  it: 'a:à e:èé i:ì o:ò u:ù',
  lt: 'e:ėę a:ą i:į u:ūų s:š c:č z:ž',
  lv: 'a:ā e:ē i:ī u:ū s:š c:č z:ž n:ņ l:ļ k:ķ g:ģ',
  nl: 'e:ëé i:ï o:ö u:ü',
  no: 'a:å o:ø ae:æ oe:ø aa:å',
  pl: 'e:ę o:ó a:ą s:ś l:ł z:żź c:ć n:ń',
  pt: 'a:ãáâà c:ç o:õóô e:éê i:í u:ú',
  ro: 'a:ăâ i:î s:șş t:țţ',
  ru: 'е:ё',
  sk: 'a:áä e:é i:í o:óô u:ú y:ý c:č d:ď l:ľĺ n:ň r:ŕ s:š t:ť z:ž',
  sl: 'c:č s:š z:ž',
  sv: 'a:äå o:ö',
  tr: 'i:ı s:ş u:ü o:ö g:ğ c:ç',
};
/**
 * Languages in which an accent makes another word, as *tähti* and *tahti*: two letters may replace an accented one,
 * but not one letter.
 */
const LETTERS_OF_THEIR_OWN: ReadonlySet<string> = new Set(['da', 'de', 'et', 'fi', 'is', 'no', 'sv', 'tr']);
/**
 * Accents of loanwords and names: *café*, *façade*, *señor*. For a word typed without accents, only the first of
 * these is searched.
 */
const LOANED = 'e:éèêë c:ç n:ñ a:áàâ i:íï o:óô u:ú';
/** Languages in which other accents make another word. */
const WITHOUT_LOANS: ReadonlySet<string> = new Set(['vi']);
const SAME_AS: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', sr: 'hr', bs: 'hr' };

/** Hebrew prefixes that are written together with the word, most frequent first: the, and, in, to, that, from, as. */
const HEBREW_PREFIXES = ['ה', 'ו', 'ב', 'ל', 'ש', 'מ', 'כ'];
const HEBREW_WORD = /^[\u05d0-\u05ea]+$/;

/** Shorter words are too often other words. */
const MIN_CHARS = 3;
/**
 * Approximate maximum number of other spellings per query; each costs one or two look-ups in every segment of the
 * index.
 */
const MAX_SPELLINGS = 16;

/** A spelling of a word, and the language of its letters. */
export interface Spelling {
  readonly word: string;
  readonly language: string;
}

/** Returns the number of other spellings searched per word of a query. */
export function spellingsEach(words: number): number {
  return Math.ceil(MAX_SPELLINGS / Math.max(1, words));
}

/** Returns a text without accents and other marks. */
export function withoutMarks(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '');
}

interface Change {
  readonly at: number;
  readonly length: number;
  readonly by: string;
  /** 0 for the most frequent accent of the letter. */
  readonly rank: number;
}

/**
 * Returns other spellings of a word, with accents if it has none (*cafe*: *café*, *мед*: *мёд*, *strasse*: *straße*),
 * without if it has some (*müller*: *mueller*); in Hebrew also with and without an article or preposition. One or two
 * letters change; likelier spellings are first.
 * @param word in lower case, NFC
 * @param languages of the texts
 * @param most maximum number of spellings
 */
export function spellings(word: string, languages: readonly string[], most: number): readonly Spelling[] {
  if (word.length < MIN_CHARS) return [];
  const tables = languages.map((language) => SAME_AS[language] ?? language);
  const found = new Map<string, Spelling>();
  const add = (way: string, language: string): void => {
    const key = `${way} ${language}`;
    if (way !== word && found.size < most && !found.has(key)) found.set(key, { word: way, language });
  };
  if (languages.includes('he') && HEBREW_WORD.test(word)) {
    for (const prefix of HEBREW_PREFIXES) add(prefix + word, 'he');
    if (word.length > MIN_CHARS && HEBREW_PREFIXES.includes(word[0]!)) add(word.slice(1), 'he');
  }
  // A word typed with accents means exactly these.
  if (tables.some((table) => lettersOf(table).some(({ accented }) => word.includes(accented)))) {
    const own = tables.filter((table) => LETTERS_OF_THEIR_OWN.has(table)).flatMap(ownLettersOf);
    const kept = new Set(own.map(({ accented }) => accented));
    for (const [i, table] of tables.entries()) add(plainWay(word, table, kept), languages[i]!);
    return [...found.values()];
  }
  // English texts have other accents only in a few names; searching every spelling would cost more than it finds.
  const own = tables.map((table) => (table === 'en' ? [] : changesOf(word, ownLettersOf(table))));
  const loaned = tables.map((table) => changesOf(word, loanedLettersOf(table).slice(0, 1)));
  // The likeliest spellings of each language first, loanwords last.
  for (const changes of [own, loaned]) {
    const single = changes.map((those, i) => those.map((change) => ({ ways: [change], i })));
    const double = changes.map((those, i) => pairsOf(those).map((ways) => ({ ways, i })));
    for (const lists of [single, double])
      for (const { ways, i } of lists.flat().sort((a, b) => rankOf(a.ways) - rankOf(b.ways)))
        add(changed(word, ways), languages[i]!);
  }
  return [...found.values()];
}

/**
 * Returns the word as typed without accents.
 * @param own letters that are distinct letters in a language of the texts
 */
function plainWay(word: string, table: string, own: ReadonlySet<string>): string {
  const letters = lettersOf(table).filter(({ plain, accented }) => plain.length > 1 || !own.has(accented));
  return letters.reduce((way, { accented, plain }) => way.replaceAll(accented, plain), word);
}

function changesOf(word: string, letters: readonly Letter[]): readonly Change[] {
  const changes: Change[] = [];
  for (const { plain, accented, rank } of letters)
    for (let at = word.indexOf(plain); at >= 0; at = word.indexOf(plain, at + 1))
      changes.push({ at, length: plain.length, by: accented, rank });
  return changes;
}

/** Returns pairs of changes at different positions. */
function pairsOf(changes: readonly Change[]): readonly (readonly [Change, Change])[] {
  return changes.flatMap((a) => changes.filter((b) => a.at + a.length <= b.at).map((b) => [a, b] as const));
}

function rankOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { rank }) => sum + rank, 0);
}

/** @param changes sorted by position in the word */
function changed(word: string, changes: readonly Change[]): string {
  return changes.reduceRight((way, { at, length, by }) => way.slice(0, at) + by + way.slice(at + length), word);
}

interface Letter {
  readonly plain: string;
  readonly accented: string;
  readonly rank: number;
}

function lettersOf(table: string): readonly Letter[] {
  return [...ownLettersOf(table), ...loanedLettersOf(table)];
}

function loanedLettersOf(table: string): readonly Letter[] {
  return WITHOUT_LOANS.has(table) ? [] : lettersIn(LOANED);
}

function ownLettersOf(table: string): readonly Letter[] {
  return Object.hasOwn(ACCENTED, table) ? lettersIn(ACCENTED[table]!) : [];
}

const known = new Map<string, readonly Letter[]>();

function lettersIn(rules: string): readonly Letter[] {
  let letters = known.get(rules);
  if (letters === undefined) {
    letters = rules.split(' ').flatMap((rule) => {
      const [plain = '', accents = ''] = rule.split(':');
      return [...accents].map((accented, rank) => ({ plain, accented, rank }));
    });
    known.set(rules, letters);
  }
  return letters;
}
