// Words of a query as the index has them: what the crawler's analyser does to pages, small enough for a browser.
(() => {
  const RUN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*/gu;
  const DENSE =
    /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
  const STRETCH = new RegExp(`${DENSE.source}(?:${DENSE.source}|\\p{M})+`, 'gu');
  /** Where a word may be parted, marks of direction and the like. */
  const INVISIBLE = /[\u00ad\u180e\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/g;
  const MAX_CHARS = 30;
  const MAX_DIGITS = 4;

  /** Of languages other than English that the portal has pages in. */
  const stemmers = new Map();
  let accents;
  let beginnings;

  function addStemmer(language, stemmer) {
    stemmers.set(language, stemmer);
  }

  function addAccents(functions) {
    accents = functions;
  }

  function addBeginnings(functions) {
    beginnings = functions;
  }

  /** A Turkish capital I with a dot becomes the same letter as elsewhere, an apostrophe that counts as a letter none. */
  function foldCase(text) {
    return text
      .replace(INVISIBLE, '')
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('i\u0307', 'i')
      .replace(/[\u02bb\u02bc]/g, '\u2019');
  }

  /**
   * Different words of a text in order: the stems of each as it stands, and of how pages in these languages may spell it; the more words
   * there are in all, the fewer of these.
   */
  function wordsOf(text, languages = [], inAll = 0) {
    const words = new Map();
    for (const [run] of foldCase(text).matchAll(RUN))
      for (const word of partsOf(run))
        if (word.length <= MAX_CHARS && !isLongNumber(word) && !words.has(stemOf(word))) words.set(stemOf(word), word);
    const most = accents.spellingsEach(Math.max(inAll, words.size));
    return [...words.values()].map((word) => {
      const stems = stemsOf(word);
      const spelled = accents.spellings(word, languages, most).flatMap((way) => stemsOf(way.word, [way.language]));
      return { stems, spelled: [...new Set(spelled)].filter((stem) => !stems.includes(stem)) };
    });
  }

  /** The stems under which pages in English, or in one of these languages, may have a word in lower case. */
  function stemsOf(word, languages = [...stemmers.keys()]) {
    return [...new Set([stemOf(word), ...languages.map((language) => stemmers.get(language)?.(word) ?? word), word])];
  }

  /** Places in the order of the index at which stems of words that begin so, or as pages in these languages may spell it, may stand: in German *straß* is *strass*, in Serbian *вело* *velo*. */
  function placesOf(beginning, languages) {
    const ways = [
      beginning,
      ...accents.spellings(beginning, languages, accents.spellingsEach(1)).map(({ word }) => word),
    ];
    const all = ways.flatMap((way) => beginnings.waysToBegin(way, [...stemmers.values()]));
    return [...new Set(all.map(placeOf))];
  }

  /** Stems, shorter than a beginning, of words that begin so: *electr* of *electrici*. */
  function shorterStemsOf(beginning) {
    return beginnings.shorterStemsBy(beginning, (word) => stemsOf(word));
  }

  /** The place of a stem in the order of the index. */
  function placeOf(stem) {
    return accents.withoutMarks(stem);
  }

  function isLongNumber(word) {
    return word.length > MAX_DIGITS && /^\p{N}+$/u.test(word);
  }

  /** Scripts without spaces give pairs of neighbouring characters. */
  function partsOf(run) {
    const parts = [];
    let word = '';
    let dense = '';
    const flush = () => {
      if (word !== '') parts.push(word);
      if (dense.length === 1) parts.push(dense);
      for (let i = 0; i + 1 < dense.length; i++) parts.push(dense.slice(i, i + 2));
      word = '';
      dense = '';
    };
    for (const sign of run) {
      const isDense = DENSE.test(sign);
      if (isDense ? word !== '' : dense !== '' && !/\p{M}/u.test(sign)) flush();
      if (isDense || dense !== '') dense += sign;
      else word += sign;
    }
    flush();
    return parts;
  }

  /** Start and end of what is found by such pairs, or by a character asked for alone, in a text; not where a pair of a longer word stands in another one. */
  function denseIn(text, stems) {
    const found = [];
    for (const { index, 0: stretch } of text.matchAll(STRETCH)) {
      let from = 0;
      for (let i = 0; i < stretch.length; i++) {
        if (i + 1 < stretch.length && stems.has(stretch.slice(i, i + 2))) continue;
        if (i > from || stems.has(stretch[i])) found.push([index + from, index + i + 1]);
        from = i + 1;
      }
    }
    const longest = found.reduce((most, [start, end]) => Math.max(most, end - start), 0);
    return found.filter(([start, end]) => end - start === 1 || 2 * (end - start) > longest);
  }

  // The stemmer of Porter 1980, with the two later rules of its author (bli, logi).

  const STEP_2 = {
    ...{ ational: 'ate', tional: 'tion', enci: 'ence', anci: 'ance', izer: 'ize', bli: 'ble', alli: 'al' },
    ...{ entli: 'ent', eli: 'e', ousli: 'ous', ization: 'ize', ation: 'ate', ator: 'ate', alism: 'al' },
    ...{ iveness: 'ive', fulness: 'ful', ousness: 'ous', aliti: 'al', iviti: 'ive', biliti: 'ble', logi: 'log' },
  };
  const STEP_3 = { icate: 'ic', ative: '', alize: 'al', iciti: 'ic', ical: 'ic', ful: '', ness: '' };
  const STEP_4 = 'al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize'.split(' ');

  function stemOf(word) {
    if (word.length < 3 || word.length > MAX_CHARS || !/^[a-z]+$/.test(word)) return word;
    let stem = withoutPlural(word);
    stem = withoutTense(stem);
    if (stem.endsWith('y') && stem.length > 1 && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
    stem = replaced(stem, STEP_2);
    stem = replaced(stem, STEP_3);
    stem = withoutEnding(stem);
    return tidied(stem);
  }

  /** One letter a sound: v for vowels, c for consonants; y is a vowel behind a consonant. */
  function soundsOf(text) {
    let sounds = '';
    for (const letter of text)
      sounds += 'aeiou'.includes(letter) || (letter === 'y' && sounds.endsWith('c')) ? 'v' : 'c';
    return sounds;
  }

  /** How often a vowel is followed by a consonant. */
  function measure(text) {
    return (soundsOf(text).match(/vc/g) || []).length;
  }

  function hasVowel(text) {
    return soundsOf(text).includes('v');
  }

  /** Consonants, one vowel, a consonant other than w, x, y: the shape of "hop", whose e is restored. */
  function isShort(text) {
    return /^c+vc$/.test(soundsOf(text)) && !/[wxy]$/.test(text);
  }

  function withoutPlural(word) {
    if (/.(ss|i)es$/.test(word)) return word.slice(0, -2);
    return /.[^s]s$/.test(word) ? word.slice(0, -1) : word;
  }

  function withoutTense(word) {
    if (/.eed$/.test(word)) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
    const ending = /.(ed|ing)$/.exec(word);
    if (ending === null) return word;
    const stem = word.slice(0, -ending[1].length);
    if (!hasVowel(stem)) return word;
    if (/(at|bl|iz)$/.test(stem)) return `${stem}e`;
    if (/([^aeiouylsz])\1$/.test(stem)) return stem.slice(0, -1);
    return isShort(stem) ? `${stem}e` : stem;
  }

  /** Replaces the longest ending of a table, if enough is left before it. */
  function replaced(word, endings) {
    for (let at = 1; at < word.length; at++) {
      const ending = word.slice(at);
      if (!Object.hasOwn(endings, ending)) continue;
      return measure(word.slice(0, at)) > 0 ? word.slice(0, at) + endings[ending] : word;
    }
    return word;
  }

  function withoutEnding(word) {
    for (let at = 1; at < word.length; at++)
      if (STEP_4.includes(word.slice(at))) return measure(word.slice(0, at)) > 1 ? word.slice(0, at) : word;
    return /.[st]ion$/.test(word) && measure(word.slice(0, -3)) > 1 ? word.slice(0, -3) : word;
  }

  function tidied(word) {
    let stem = word;
    if (/.e$/.test(stem)) {
      const before = stem.slice(0, -1);
      const m = measure(before);
      if (m > 1 || (m === 1 && !isShort(before))) stem = before;
    }
    return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem;
  }

  globalThis.bingoWords = {
    ...{ addAccents, addBeginnings, addStemmer, denseIn, foldCase, placeOf, placesOf },
    ...{ shorterStemsOf, stemOf, stemsOf, wordsOf },
  };
})();
