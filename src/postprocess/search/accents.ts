/**
 * What people leave out when they type: letters with accents by the plain ones they are typed as, most frequent first, in each
 * language (ISO 639-1). й, ї or å are left out where nobody types them as another letter.
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
/** Where *tähti* is not *tahti* with an accent, but another word: two letters may stand for one, and no single one. */
const LETTERS_OF_THEIR_OWN: ReadonlySet<string> = new Set(['da', 'de', 'et', 'fi', 'is', 'no', 'sv', 'tr']);
/** Words from elsewhere and names keep theirs: *café*, *façade*, *señor*. Typed without, the first of these alone is looked for. */
const LOANED = 'e:éèêë c:ç n:ñ a:áàâ i:íï o:óô u:ú';
/** Where other accents make another word. */
const WITHOUT_LOANS: ReadonlySet<string> = new Set(['vi']);
const SAME_AS: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', sr: 'hr', bs: 'hr' };

/** What Hebrew writes in one with the word behind it, most frequent first: the, and, in, to, that, from, as. */
const HEBREW_PREFIXES = ['ה', 'ו', 'ב', 'ל', 'ש', 'מ', 'כ'];
const HEBREW_WORD = /^[\u05d0-\u05ea]+$/;

/** Shorter words are too often other words. */
const MIN_CHARS = 3;
/** Other spellings that a query looks for at about the most: each costs a look-up or two in every segment of the index. */
const MAX_SPELLINGS = 16;

/** A way to write a word, and the language whose letters it has. */
export interface Spelling {
  readonly word: string;
  readonly language: string;
}

/** How many other spellings of each of its words a query looks for. */
export function spellingsEach(words: number): number {
  return Math.ceil(MAX_SPELLINGS / Math.max(1, words));
}

/** A text without the marks over and under its letters. What differs in them alone stands together in the order of these. */
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
 * Other ways to write a word, for texts that have accents where the word has none (*cafe*: *café*, *мед*: *мёд*, *strasse*: *straße*),
 * and none where it has them (*müller*: *mueller*); in Hebrew with the article or a preposition before it, and without. One letter of it, or two of them, may have accents; the likelier ways come first.
 * @param word in lower case, NFC
 * @param languages of the texts
 * @param most ways are given
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
  // A word that is typed with accents is meant to have those.
  if (tables.some((table) => lettersOf(table).some(({ accented }) => word.includes(accented)))) {
    const own = tables.filter((table) => LETTERS_OF_THEIR_OWN.has(table)).flatMap(ownLettersOf);
    const kept = new Set(own.map(({ accented }) => accented));
    for (const [i, table] of tables.entries()) add(plainWay(word, table, kept), languages[i]!);
    return [...found.values()];
  }
  // English texts have other accents in a few names alone: each way to write every word would cost more than it finds.
  const own = tables.map((table) => (table === 'en' ? [] : changesOf(word, ownLettersOf(table))));
  const loaned = tables.map((table) => changesOf(word, loanedLettersOf(table).slice(0, 1)));
  // The likeliest of each language come first, words from elsewhere last.
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
 * The word as people write it who leave accents out.
 * @param own letters that are letters of their own in a language of the texts
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

/** Two changes at different places. */
function pairsOf(changes: readonly Change[]): readonly (readonly [Change, Change])[] {
  return changes.flatMap((a) => changes.filter((b) => a.at + a.length <= b.at).map((b) => [a, b] as const));
}

function rankOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { rank }) => sum + rank, 0);
}

/** @param changes the later in the word the later in the list */
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
