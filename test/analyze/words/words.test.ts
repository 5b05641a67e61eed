import fc from 'fast-check';
import { stemmer } from 'porter-stemmer';
import { describe, expect, it } from 'vitest';
import { analyze, stem, stemHashesOf, stemsOf, tokenize } from '../../../src/analyze/index.ts';
import {
  STEMMED_LANGUAGES,
  shorterStems,
  stemBeginnings,
  stemmerScript,
  stemsIn,
} from '../../../src/analyze/words/stemmers.ts';
import { scanWords, TokenStream, unitsOf, vocabularyOf } from '../../../src/analyze/words/tokenize.ts';
import { NO_STEM, TAG_START, tagStep, Vocabulary } from '../../../src/analyze/words/vocabulary.ts';
import {
  type AnalyzedDocument,
  type CanonicalUrl,
  DEFAULTS,
  NO_HEADERS,
  packDocument,
  thinDocument,
} from '../../../src/core/index.ts';
import { HASH_START, hash32, hashStep, SECOND_SEED, WordTrail, wordPairs } from '../../../src/kit/index.ts';
import { documentOf } from '../pages.ts';

describe('stem', () => {
  it.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['motoring', 'motor'],
    ['relational', 'relat'],
    ['hopefulness', 'hope'],
    ['databases', 'databas'],
    ['yes', 'ye'],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
  ])('%s → %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
    expect(stem(word)).toBe(expected);
  });

  it('keeps very long words and words with other letters unchanged', () => {
    expect(stem('übungen')).toBe('übungen');
    expect(stem(`${'a'.repeat(40)}ing`)).toBe(`${'a'.repeat(40)}ing`);
  });

  it('agrees with another implementation, whatever the letters and the suffixes', () => {
    const suffixes =
      'ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti ' +
      'iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ou ism ' +
      'ate iti ous ive ize sion tion ion s es sses ies ed ing eed y ll e';
    const letter = fc.constantFrom(...'aeiouybdglnstwxz');
    const word = fc.tuple(
      fc.string({ unit: letter, minLength: 1, maxLength: 6 }),
      fc.array(fc.constantFrom(...suffixes.split(' ')), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(word, ([start, ends]) => {
        const whole = start + ends.join('');
        expect(stem(whole)).toBe(stemmer(whole));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('tokenize', () => {
  it('returns stems in lower case without stop words, in text order', () => {
    expect(stemsOf('The crawlers of the Web are crawling, and WE watch.')).toEqual([
      'crawler',
      'web',
      'crawl',
      'watch',
    ]);
  });

  it('words consist of letters and digits; everything else separates them', () => {
    expect(stemsOf('x86-64 foo_bar/baz C++ mp3,don’t O’Brien')).toEqual([
      'x86',
      '64',
      'foo',
      'bar',
      'baz',
      'c',
      'mp3',
      'brien',
    ]);
  });

  it('every kind of apostrophe separates words and is not a letter in text and title', () => {
    const wordsWith = (sign: string): string => {
      const { features, text, title } = documentOf(`<title>Об${sign}єкт</title><p>комп${sign}ютер, п${sign}ятий`);
      expect(title + text, sign).not.toMatch(/[\u02bb\u02bc]/);
      return features.terms!.features;
    };
    for (const sign of ['’', '‘', '＇', '\u02bc', '\u02bb', '&#700;']) expect(wordsWith(sign)).toBe(wordsWith("'"));
    expect(wordsWith('\u02bc')).toContain('ютер');
  });

  it('drops numbers of more than four digits and runs of more than 30 characters', () => {
    expect(stemsOf(`1984 12345 ${'a'.repeat(30)} ${'b'.repeat(31)} ５５５５５`)).toEqual(['1984', 'a'.repeat(30)]);
  });

  it('folds compatibility forms and capitals of all scripts', () => {
    expect(stemsOf('ﬁne ＦＵＬＬ ÜBER Ⅷ 𝐌ath')).toEqual(['fine', 'full', 'über', 'viii', 'math']);
    expect(stemsOf('½ cup, 2½ miles, ⅓x')).toEqual(['cup', '2', 'mile', 'x']);
  });

  it('reads the capital I with a dot as an i, in Turkish names anywhere', () => {
    expect(stemsOf('İzmir I\u0307zmir izmir')).toEqual(['izmir', 'izmir', 'izmir']);
  });

  it('joins an accent written as its own character with the letter', () => {
    expect(stemsOf('cafe\u0301 café')).toEqual(['café', 'café']);
  });

  it.each(['no', 'nb', 'nn'])('removes Norwegian stop words under each of its language tags: %s', (language) => {
    expect(tokenize('og jeg vet ikke hva', language)).toEqual(['vet']);
  });

  it('removes the stop words of other languages, and the most common ones of English', () => {
    expect(tokenize('Die Übung und der Hund', 'de')).toEqual(['ubung', 'hund']);
    expect(tokenize('Привет мир и все', 'ru')).toEqual(['привет', 'мир']);
    expect(tokenize('Running the mill with or without ours', 'xx')).toEqual(['running', 'mill', 'without', 'ours']);
  });

  it.each([
    ['or', 'fr', 'de'],
    ['or', 'ca', 'xx'],
    ['by', 'da', 'fr'],
    ['has', 'hu', 'da'],
  ])('%s is left out as an English word, but is a word of its own in %s: not so in %s', (word, own, other) => {
    expect(tokenize(word, own)).toEqual([word]);
    expect(tokenize(word, other)).toEqual([]);
    expect(tokenize(word, 'en')).toEqual([]);
  });

  it.each([
    ['ar', 'الكتاب كتاب'],
    ['bg', 'сигурността сигурност'],
    ['bg', 'ученик ученици учениците'],
    ['bg', 'вестник вестници вестниците'],
    ['cs', 'databáze databází databázích databázemi'],
    ['cs', 'kniha knihy knize knihou knihách'],
    ['cs', 'orel orla orlů orlem'],
    ['da', 'huset huse'],
    ['de', 'Haus Hauses Häuser HÄUSERN'],
    ['el', 'ασφάλεια ασφάλειας'],
    ['es', 'casa casas'],
    ['fa', 'کتاب کتابها کتاب\u200cهای كتابهاي كِتاب'],
    ['fi', 'talossa talosta talo'],
    ['fr', 'continuité continuer continue'],
    ['he', 'שלום שָׁלוֹם'],
    ['hu', 'ház házak házban'],
    ['it', 'sicurezza sicurezze'],
    ['ko', '데이터베이스 데이터베이스를 데이터베이스에서는 데이터베이스의'],
    ['ko', '마을 마을을 마을에서'],
    ['ko', '책 책을 책은'],
    ['ko', '서울 서울로'],
    ['ko', 'PDF PDF를 PDF로'],
    ['nl', 'hond honden'],
    ['no', 'hus huset'],
    ['pl', 'rower roweru rowerem rowery rowerów rowerach'],
    ['pl', 'książka książki książkę książek książkami'],
    ['pl', 'rowerowa rowerowe rowerowych rowerowymi'],
    ['pt', 'casa casas'],
    ['ro', 'casa case'],
    ['ru', 'важная важные важный'],
    ['sk', 'mesto mesta mestách mestami'],
    ['sk', 'kniha knihy knihou knihách kníh'],
    ['sv', 'hundar hunden hund'],
    ['uk', 'книга книги книгою'],
    ['tr', 'evler evlerden'],
    ['tr', 'ışıklar IŞIKLAR ışık'],
    ['tr', 'sınıflar SINIFI sınıf'],
    ['tr', 'kitapları KİTAPLARI kitap'],
    ['tr', 'Isparta ISPARTA ısparta'],
  ])('the forms of a word in %s have one stem', (language, forms) => {
    const stems = tokenize(forms, language);
    expect(stems).toHaveLength(forms.split(' ').length);
    expect(new Set(stems).size).toBe(1);
  });

  it('keeps the end of Korean words that only looks like a particle', () => {
    const words = ['가을', '마을', '사과', '지도', '국가', '나이'];
    expect(tokenize(words.join(' '), 'ko')).toEqual(words);
  });

  it('keeps distinguishing endings of Slavic words', () => {
    expect(new Set(tokenize('hrad hrady hradba brada vrata', 'cs')).size).toBe(4);
    expect(new Set(tokenize('kot kota kora koza korona', 'pl')).size).toBe(4);
    expect(new Set(tokenize('les lesy lev liek', 'sk')).size).toBe(3);
  });

  it.each(['bg', 'cs', 'de', 'fa', 'he', 'ko', 'pl', 'sk', 'tr'])('browsers get the same stemmer of %s', (language) => {
    const stemmer = new Function(stemmerScript(language))() as (word: string) => string;
    for (const word of [
      'häusern',
      'месеци',
      'evlerden',
      'ışıklar',
      'işiklar',
      'kitapları',
      '책을',
      'rowerów',
      'knihách',
      'שָׁלוֹם',
      'كتابهاي',
    ])
      expect(stemsIn(word, [language])).toContain(stemmer(word));
  });

  it('accepts Bulgarian words whose stem has a different letter', () => {
    expect(tokenize('месеци велосипеди червен гласове', 'bg')).toHaveLength(4);
  });

  it.each([
    ['de', 'über', 'Übersetzungen'],
    ['de', 'straß', 'Straßenbahn'],
    ['el', 'άνθ', 'άνθρωπος'],
    ['es', 'árb', 'árboles'],
    ['ru', 'чёр', 'чёрный'],
    ['sr', 'вело', 'велосипед'],
    ['sv', 'åter', 'återvinning'],
    ['ar', 'الكه', 'الكهرباء'],
    ['ar', 'المدر', 'المدرسة'],
    ['cs', 'zem', 'zemědělství'],
    ['ga', 'gcath', 'gcathair'],
    ['id', 'memba', 'membaca'],
    ['pl', 'żół', 'żółty'],
    ['ja', '自', '自転車'],
  ])('it is known how stems of words begin in %s that begin with %s', (language, beginning, word) => {
    const [stem] = tokenize(word, language);
    expect(stemBeginnings(beginning, ['en', language]).some((way) => stem!.startsWith(way))).toBe(true);
  });

  it.each([
    ['cs', 'cen'],
    ['cs', 'zlut'],
    ['cs', 'electri'],
    ['ar', 'ال'],
  ])('nor does the stemmer of %s take what begins with %s for anything else', (language, beginning) => {
    expect(stemBeginnings(beginning, ['en', language])).toEqual([beginning]);
  });

  it('stemmers of all languages accept any word', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...STEMMED_LANGUAGES),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        (language, text) => {
          for (const stem of tokenize(`${text} constructor __proto__`, language)) {
            expect(stem).not.toBe('');
            expect(stem).not.toMatch(/\s/);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('many languages one after the other need no more memory than a few', () => {
    const first = vocabularyOf('de');
    for (const language of STEMMED_LANGUAGES) vocabularyOf(language);
    expect(vocabularyOf('de')).not.toBe(first);
    expect(vocabularyOf('qq')).toBe(vocabularyOf('zz'));
    expect(tokenize('Häuser Haus', 'de')).toEqual(['haus', 'haus']);
  });

  it('folds half-width katakana to full width', () => {
    expect(tokenize('ｸﾞﾗﾌの図', 'ja')).toEqual(tokenize('グラフの図', 'ja'));
    expect(tokenize('ｸﾞﾗﾌの図', 'ja')).toHaveLength(4);
  });

  it('splits Chinese, Japanese and Thai into pairs of characters', () => {
    expect(tokenize('数据库系统 データ 猫 ภาษา', 'zh')).toEqual([
      '数据',
      '据库',
      '库系',
      '系统',
      'デー',
      'ータ',
      '猫',
      'ภา',
      'าษ',
      'ษา',
    ]);
  });

  it('finds words in Greek, Arabic, Hindi and Korean letters', () => {
    expect(tokenize('Καλημέρα κόσμε', 'xx')).toEqual(['καλημέρα', 'κόσμε']);
    expect(tokenize('مرحبا بالعالم', 'xx')).toEqual(['مرحبا', 'بالعالم']);
    expect(tokenize('हिन्दी भाषा', 'xx')).toEqual(['हिन्दी', 'भाषा']);
    expect(tokenize('안녕 세계', 'ko')).toEqual(['안녕', '세계']);
  });

  it('half a surrogate pair is not a letter', () => {
    expect(stemsOf('half\ud83dtwo\ude00three')).toEqual(['half', 'two', 'three']);
  });

  it('stems are non-empty, at most 30 characters, without white space, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const each of stemsOf(text)) {
          expect(each).toMatch(/^[\p{L}\p{N}\p{M}\u200c\u200d]+$/u);
          expect(each.length).toBeLessThanOrEqual(30);
        }
      }),
    );
  });

  it('agrees with a plain regular expression on ASCII text', () => {
    const naive = (text: string): string[] =>
      (text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
        .filter((word) => word.length <= 30 && !/^\d{5,}$/.test(word))
        .filter((word) => tokenize(word, 'en').length > 0)
        .map((word) => stem(word));
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (text) => {
        expect(tokenize(text, 'en')).toEqual(naive(text));
      }),
    );
  });
});

describe('the words of a text', () => {
  it('are the same pairs for the phrase index as if read for it alone', () => {
    const parts = [
      ...[
        'word',
        'Two',
        'x86',
        '12345',
        'Été',
        'naï',
        '数据',
        'カ',
        '、',
        'ไทย',
        'ſ',
        'ß',
        'e\u0301',
        '\u0301',
        '\u200d',
      ],
      ...['\u{1d400}', '😀', '\ud800', '\udc00', '–', '’', '_', ' ', ' ', '\n', 'w'.repeat(31), '５', 'Ⅷ', '\u0903'],
    ];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 30 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.nat(12), (text, limit) => {
        const trail = new WordTrail();
        scanWords(unitsOf(text), 0, text.length, {
          vocabulary: vocabularyOf('en'),
          stream: new TokenStream(),
          limit,
          trail,
        });
        expect([...trail.pairs()]).toEqual([...wordPairs(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  it('are packed from the analysis as if they were read from the document', () => {
    const html = `<title>Über “phrases”</title><p>${'Words – of the naïve 数据 index… '.repeat(40)}`;
    const options = { ...DEFAULTS.analyze, ...DEFAULTS.crawl, spaces: ['terms'] as const };
    const headers = { ...NO_HEADERS, contentType: 'text/html', charset: 'utf-8' };
    const page = { url: 'https://a.example/' as CanonicalUrl, headers, body: Buffer.from(html) };
    for (const maxTokens of [5, 1000]) {
      const plain = analyze(page, { ...options, maxTokens }) as AnalyzedDocument;
      const noted = analyze(page, { ...options, maxTokens, noted: true }) as AnalyzedDocument;
      expect(plain).not.toHaveProperty('noted');
      expect(noted.noted?.pairs.length).toBeGreaterThan(5);
      expect(packDocument(noted)).toEqual(packDocument(plain));
      expect(thinDocument(noted)).toEqual(thinDocument(plain));
    }
  });
});

describe('vocabulary', () => {
  const whole = (_: Uint8Array, length: number): number => length;
  const units = (word: string): Uint16Array => Uint16Array.from(word, (c) => c.charCodeAt(0));
  const find = (vocabulary: Vocabulary, word: string): number =>
    vocabulary.find(
      units(word),
      0,
      word.length,
      [...units(word)].reduce(hashStep, HASH_START),
      [...units(word)].reduce(tagStep, TAG_START),
    );

  it('gives equal ids to equal stems, through all growth', () => {
    const vocabulary = new Vocabulary({ stem: (_, length) => Math.min(5, length), stops: new Set() });
    const words = Array.from({ length: 20_000 }, (_, i) => `w${(i * 7919).toString(36)}`);
    const first = words.map((word) => find(vocabulary, word));
    expect(words.map((word) => find(vocabulary, word))).toEqual(first);
    expect(first.map((id) => vocabulary.word(id))).toEqual(words.map((word) => word.slice(0, 5)));
  });

  it('finds many words at once like one by one, also new words that grow the table', () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `w${((i * i) % 17_011).toString(36)}`);
    const vocabulary = new Vocabulary({ stem: (_, length) => Math.min(4, length), stops: new Set() });
    const stream = new TokenStream();
    const chars = unitsOf(text.join(' '));
    scanWords(chars, 0, text.join(' ').length, { vocabulary, stream, limit: text.length });
    const other = new Vocabulary({ stem: (_, length) => Math.min(4, length), stops: new Set() });
    expect([...stream.ids.subarray(0, stream.length)]).toEqual(text.map((word) => find(other, word)));
  });

  it('separates words whose first hashes are equal', () => {
    const vocabulary = new Vocabulary({ stem: whole, stops: new Set() });
    const a = vocabulary.find(units('one'), 0, 3, 42, 1);
    const b = vocabulary.find(units('two'), 0, 3, 42, 2);
    expect([vocabulary.word(a), vocabulary.word(b)]).toEqual(['one', 'two']);
    expect(vocabulary.find(units('one'), 0, 3, 42, 1)).toBe(a);
  });

  it('has no stem for stop words', () => {
    const vocabulary = new Vocabulary({ stem: whole, stops: new Set(['the', 'été']) });
    expect(['the', 'été', 'ÉTÉ', 'ｔｈｅ'].map((word) => find(vocabulary, word))).toEqual(Array(4).fill(NO_STEM));
    expect(vocabulary.size).toBe(0);
    vocabulary.freshen(-1);
    expect(find(vocabulary, 'the')).toBe(NO_STEM);
  });

  it('gives one id to a stem, whether or not its form must be normalised first', () => {
    const vocabulary = new Vocabulary({ stem: (_, length) => length - 1, stops: new Set() });
    const forms = ['files', 'ﬁles', 'FILED', 'ﬁlmé', 'ﬁlmé', 'filmé'];
    const ids = forms.map((form) => find(vocabulary, form));
    expect(ids).toEqual([0, 0, 0, 1, 1, 1]);
    expect(ids.map((id) => vocabulary.word(id))).toEqual(['file', 'file', 'file', 'filmé', 'filmé', 'filmé']);
    expect(vocabulary.join(Int32Array.of(1, 0))).toBe('filmé\nfile');
    expect([...vocabulary.hashes(Int32Array.of(1, 0))]).toEqual(
      ['filmé', 'file'].flatMap((stem) => [hash32(stem), hash32(stem, SECOND_SEED)]),
    );
  });

  it('is cleared between documents if it holds too much', () => {
    const vocabulary = new Vocabulary({ stem: whole, stops: new Set() });
    for (let i = 0; i < 100; i++) find(vocabulary, `w${i}`);
    vocabulary.freshen(100);
    expect(vocabulary.size).toBe(100);
    vocabulary.freshen(99);
    expect(vocabulary.size).toBe(0);
    expect(vocabulary.word(find(vocabulary, 'w7'))).toBe('w7');
  });
});

it.each(['The crawlers of the Web are crawling', 'ﬁne ＦＵＬＬ ÜBER Ⅷ 𝐌ath 中文字 x', '', 'word '.repeat(500)])(
  'hashes of stems are those of the stems: %s',
  (text) => {
    for (const language of ['', 'en', 'de', 'zh']) {
      const stems = tokenize(text, language);
      expect([...stemHashesOf(text, language)]).toEqual(stems.map((word) => hash32(word)));
    }
    expect(tokenize(text, '')).toEqual(stemsOf(text));
  },
);

describe('a prefix longer than the stem of its word', () => {
  it.each([
    ['electri', 'en', 'electr'],
    ['cycli', 'en', 'cycl'],
    ['internationa', 'en', 'intern'],
    ['électric', 'fr', 'électr'],
    ['elettricit', 'it', 'elettr'],
    ['elektris', 'de', 'elektr'],
  ])('%s* (%s) is found by %s', (beginning, language, stem) => {
    expect(shorterStems(beginning, ['', language])).toContain(stem);
  });

  it.each(['ber', 'constant', 'zyx'])('%s* has no shorter one', (beginning) => {
    expect(shorterStems(beginning, ['', 'en'])).toEqual([]);
  });
});
