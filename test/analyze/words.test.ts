import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem, stemsOf, tokenize } from '../../src/analyze/index.ts';
import { HASH_START, hashStep, NO_STEM, TAG_START, tagStep, Vocabulary } from '../../src/analyze/vocabulary.ts';

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

  it('leaves words with other letters and very long ones alone', () => {
    expect(stem('übungen')).toBe('übungen');
    expect(stem(`${'a'.repeat(40)}ing`)).toBe(`${'a'.repeat(40)}ing`);
  });

  it('forgets before it grows without bound', () => {
    for (let i = 0; i < 60_000; i++) stem(`w${i.toString(36)}`);
    expect(stem('crawling')).toBe('crawl');
  });
});

describe('tokenize', () => {
  it('gives stems in lower case without stop words, in text order', () => {
    expect(stemsOf('The crawlers of the Web are crawling, and WE watch.')).toEqual([
      'crawler',
      'web',
      'crawl',
      'watch',
    ]);
  });

  it('words are letters and digits; everything else parts them', () => {
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

  it('numbers of more than four digits and runs of more than 30 characters are dropped', () => {
    expect(stemsOf(`1984 12345 ${'a'.repeat(30)} ${'b'.repeat(31)} ５５５５５`)).toEqual(['1984', 'a'.repeat(30)]);
  });

  it('compatibility forms and capitals of all scripts are folded', () => {
    expect(stemsOf('ﬁne ＦＵＬＬ ÜBER Ⅷ 𝐌ath')).toEqual(['fine', 'full', 'über', 'viii', 'math']);
  });

  it('an accent written as a character of its own is part of the letter', () => {
    expect(stemsOf('cafe\u0301 café')).toEqual(['café', 'café']);
  });

  it('other languages keep their words whole and lose their own stop words', () => {
    expect(tokenize('Die Übungen und der Hund', 'de')).toEqual(['übungen', 'hund']);
    expect(tokenize('Привет мир и все', 'ru')).toEqual(['привет', 'мир']);
    expect(tokenize('Running the mill', 'fi')).toEqual(['running', 'the', 'mill']);
  });

  it('Chinese, Japanese and Thai give pairs of characters', () => {
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

  it('Greek, Arabic, Hindi and Korean words stay whole', () => {
    expect(tokenize('Καλημέρα κόσμε', 'el')).toEqual(['καλημέρα', 'κόσμε']);
    expect(tokenize('مرحبا بالعالم', 'ar')).toEqual(['مرحبا', 'بالعالم']);
    expect(tokenize('हिन्दी भाषा', 'hi')).toEqual(['हिन्दी', 'भाषा']);
    expect(tokenize('안녕 세계', 'ko')).toEqual(['안녕', '세계']);
  });

  it('half a surrogate pair is no letter', () => {
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

describe('vocabulary', () => {
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
    const vocabulary = new Vocabulary({ stem: (word) => word.slice(0, 5), stops: new Set() });
    const words = Array.from({ length: 20_000 }, (_, i) => `w${(i * 7919).toString(36)}`);
    const first = words.map((word) => find(vocabulary, word));
    expect(words.map((word) => find(vocabulary, word))).toEqual(first);
    expect(first.map((id) => vocabulary.word(id))).toEqual(words.map((word) => word.slice(0, 5)));
  });

  it('tells words apart whose first hashes are equal', () => {
    const vocabulary = new Vocabulary({ stem: (word) => word, stops: new Set() });
    const a = vocabulary.find(units('one'), 0, 3, 42, 1);
    const b = vocabulary.find(units('two'), 0, 3, 42, 2);
    expect([vocabulary.word(a), vocabulary.word(b)]).toEqual(['one', 'two']);
    expect(vocabulary.find(units('one'), 0, 3, 42, 1)).toBe(a);
  });

  it('knows no stem for stop words', () => {
    expect(find(new Vocabulary({ stem: (word) => word, stops: new Set(['the']) }), 'the')).toBe(NO_STEM);
  });

  it('starts afresh between documents once it holds too much', () => {
    const vocabulary = new Vocabulary({ stem: (word) => word, stops: new Set() });
    for (let i = 0; i < 100; i++) find(vocabulary, `w${i}`);
    vocabulary.freshen(100);
    expect(vocabulary.size).toBe(100);
    vocabulary.freshen(99);
    expect(vocabulary.size).toBe(0);
    expect(vocabulary.word(find(vocabulary, 'w7'))).toBe('w7');
  });
});
