import { describe, expect, it } from 'vitest';
import { stemsOf, tokenize } from '../../../src/analyze/index.ts';
import { wordPairs } from '../../../src/kit/index.ts';
import { beginningsIn, misreadings, readQuery, wantedWords } from '../../../src/postprocess/index.ts';

const holds = (query: string, text: string, title = ''): boolean => readQuery(query).check?.({ title, text }) ?? true;

describe('readQuery', () => {
  it('turns words into stems, each also unstemmed, without stop words', () => {
    const { all, any, none, check } = readQuery('the recovery of routes');
    expect({ all, none, check }).toEqual({ all: [], none: [], check: undefined });
    expect(any).toEqual([
      ['recoveri', 'recovery'],
      ['rout', 'routes'],
    ]);
  });

  it('stems a word in the languages of the pages, too', () => {
    const { any, stems, languages } = readQuery('Häusern', { languages: ['', 'en', 'de', 'zh'] });
    expect(any).toEqual([['häusern', 'haus', 'haeusern', 'haeus']]);
    expect([...stems]).toEqual(['häusern', 'haus', 'haeusern', 'haeus']);
    expect(languages).toContain('de');
    expect(readQuery('master', {}).any).toEqual([['master']]);
  });

  it('uses English stop words for languages without their own', () => {
    const stemsOf = (query: string, languages: readonly string[]): string[] => [
      ...readQuery(query, { languages }).stems,
    ];
    expect(stemsOf('See', ['en', 'de'])).toContain('see');
    expect(stemsOf('Brief', ['en', 'de'])).toContain('brief');
    expect(stemsOf('See', ['en'])).toEqual([]);
    expect(stemsOf('the in', ['en', 'de', 'pl', 'zh'])).toEqual([]);
    expect(stemsOf('see bridges', ['en', 'de'])).not.toContain('see');
    expect(readQuery('-See', { languages: ['de'] }).any).toEqual([]);
  });

  it('matches a word with and without accents, but not in a phrase', () => {
    const languages = ['en', 'fr', 'ru', 'de'];
    expect(readQuery('мед', { languages }).any[0]).toContain('мёд');
    expect(readQuery('resume', { languages: ['fr'] }).any[0]).toContain('résumé');
    expect(readQuery('resume the work of others today', { languages: ['fr'] }).any[0]).not.toContain('résumé');
    expect(readQuery('мёд', { languages }).any[0]).toContain('мед');
    expect(readQuery('cafe', { languages }).any[0]).toContain('café');
    expect(readQuery('Strasse', { languages }).any[0]).toContain('straße');
    expect(readQuery('-cafe', { languages }).none[0]).toContain('café');
    expect(readQuery('"mon café noir"', { languages }).check?.({ title: '', text: 'mon cafe noir' })).toBe(false);
  });

  it('requires every word in exact mode', () => {
    expect(readQuery('aries log', { exact: true })).toMatchObject({ all: [['ari', 'aries'], ['log']], any: [] });
  });

  it('requires the words of a phrase, side by side, despite punctuation and spelling', () => {
    expect(readQuery('log "Source Code"')).toMatchObject({ all: [['sourc', 'source'], ['code']], any: [['log']] });
    expect(holds('"source code"', 'The SOURCE-\ncode of it')).toBe(true);
    expect(holds('"source code"', 'source of the code')).toBe(false);
    expect(holds('"source code"', 'resource codes')).toBe(false);
    expect(holds('"source code"', '', 'Source code')).toBe(true);
  });

  it('treats a quotation mark inside a Hebrew word as part of it', () => {
    expect(readQuery('צה"ל "ארץ ישראל"')).toMatchObject({ any: [['צה'], ['ל']] });
    expect(readQuery('צה"ל "ארץ ישראל"').phrases).toHaveLength(1);
  });

  it('treats a letter-like apostrophe as a plain one, as in pages', () => {
    expect(readQuery('комп\u02bcютер').any).toEqual(readQuery("комп'ютер").any);
    expect(holds('"п\u02bcять років"', 'за п’ять років')).toBe(true);
  });

  it('ignores invisible characters like page analysis: soft hyphens, direction marks', () => {
    expect(readQuery('\u200fDonau\u00addampf\u2060schiff "zwei\u200b Wör\u00adter"').any).toEqual(
      readQuery('Donaudampfschiff "zwei Wörter"').any,
    );
    expect(holds('"zwei Wör\u00adter"', 'Zwei Wörter.')).toBe(true);
  });

  it('counts stop words inside a phrase', () => {
    expect(holds('"state of the art"', 'the state of the art')).toBe(true);
    expect(holds('"state of the art"', 'the state of art')).toBe(false);
  });

  it('excludes words and phrases with a minus', () => {
    const { none, any } = readQuery('aries -zodiac');
    expect({ none, any }).toEqual({ none: [['zodiac']], any: [['ari', 'aries']] });
    expect(holds('aries -"star sign"', 'aries, a star sign')).toBe(false);
    expect(holds('aries -"star sign"', 'a sign of stars')).toBe(true);
    expect(holds('aries -star-sign', 'aries, a star sign')).toBe(false);
  });

  it('reads typographic quotation marks, and an unclosed one', () => {
    for (const text of ['„source code“', '“source code”', '«source code»', '"source code'])
      expect(readQuery(text).all).toEqual([['sourc', 'source'], ['code']]);
  });

  it('finds the word pairs of a phrase, unless a word may be part of a longer one', () => {
    const pairs = (text: string): number[] => [...wordPairs(text)];
    expect(readQuery('log "state of the art"').pairs.toSorted((a, b) => a - b)).toEqual(pairs('State of the ART'));
    expect(readQuery('"source" code -"star sign"').pairs).toEqual([]);
    expect(readQuery('"東京タワー 観光"').pairs).toEqual([]);
  });

  it('accepts a phrase of stop words, and one with stop words of another language', () => {
    expect(readQuery('"to be or not to be"')).toMatchObject({ all: [], any: [] });
    expect(readQuery('"to be or not to be"').pairs).toHaveLength(4);
    // A German page is indexed without "die".
    expect(readQuery('"die bahn"')).toMatchObject({ all: [['bahn']], any: [['die']] });
    expect(readQuery('die bahn', { exact: true }).all).toHaveLength(2);
  });

  it('finds a phrase in scripts without spaces', () => {
    expect(holds('"東京 タワー"', '昨日東京タワーに行った')).toBe(false);
    expect(holds('"東京タワー 観光"', '昨日東京タワー、観光した')).toBe(true);
  });

  it('treats operators of other search engines and of patterns as plain text', () => {
    for (const text of ['((', '"a.*b" [', '"(c++) \\d"', '-', '--', '"', '-"', '""'])
      expect(() => readQuery(text).check?.({ title: '', text: 'a b' })).not.toThrow();
    expect(holds('"a.*b c"', 'axxb c')).toBe(false);
  });
});

describe('operators in a query', () => {
  it('are not words; minus excludes, quotation marks hold blanks, case does not matter', () => {
    const { filters, any, all, none } = readQuery(
      'site:Example.org aries -type:pdf Topic:"a b/c" filetype:word since:7d',
    );
    expect({ any, all, none }).toEqual({ any: [['ari', 'aries']], all: [], none: [] });
    expect(filters).toEqual([
      { name: 'site', value: 'Example.org', isRuledOut: false },
      { name: 'type', value: 'pdf', isRuledOut: true },
      { name: 'topic', value: 'a b/c', isRuledOut: false },
      { name: 'type', value: 'word', isRuledOut: false },
      { name: 'since', value: '7d', isRuledOut: false },
    ]);
  });

  it('have values that are prefixes of topic names', () => {
    expect(readQuery('log topic:_misc topic:#1').filters.map(({ value }) => value)).toEqual(['_misc', '#1']);
  });

  it.each([
    'http://x.example',
    'std::vector',
    'c:',
    'site:',
    'site: example',
    'type::x',
    '"site:example.org"',
    'on-site:example',
    'typed:x',
  ])('are not read from %s', (query) => {
    expect(readQuery(query)).toMatchObject({ filters: [] });
    expect(readQuery(query).stems.size).toBeGreaterThan(0);
  });

  it('search titles for words in any form, and for exact phrases', () => {
    const titled = (query: string, title: string): boolean => readQuery(query).title!(title);
    expect(readQuery('log title:routes')).toMatchObject({ all: [['rout', 'routes']], any: [['log']] });
    expect(titled('title:routes', 'The Route to it')).toBe(true);
    expect(titled('title:routes', 'Router')).toBe(false);
    expect(titled('intitle:"dynamo hub"', 'My Dynamo-Hub!')).toBe(true);
    expect(titled('title:"dynamo hub"', 'Hub and dynamo')).toBe(false);
    expect(titled('title:log -title:book', 'Log')).toBe(true);
    expect(titled('title:log -title:book', 'Log books')).toBe(false);
    expect(readQuery('-title:book')).toMatchObject({ all: [], any: [], none: [] });
    expect(readQuery('log').title).toBeUndefined();
  });
});

describe('a query that combines words', () => {
  const pages = {
    bike: 'A bike with a dynamo hub.',
    bicycles: 'Bicycles and their generators.',
    car: 'A car has a generator.',
    hub: 'The dynamo drives a hub.',
  };
  /**
   * Returns the pages that match a query: those with every required word and one optional word that pass the final
   * check.
   */
  const found = (text: string, exact = false): string[] => {
    const { all, any, none, check, title } = readQuery(text, { exact });
    return Object.entries(pages).flatMap(([name, page]) => {
      const has = (stems: readonly string[]): boolean =>
        stems.some((stem) => stemsOf(page).includes(stem) || tokenize(page, 'unknown').includes(stem));
      const isMatch = all.every(has) && !none.some(has) && (all.length > 0 || any.some(has));
      return isMatch && (check?.({ title: name, text: page }) ?? true) && (title?.(name) ?? true) ? [name] : [];
    });
  };

  it.each<[string, string[]]>([
    ['bike OR bicycle', ['bike', 'bicycles']],
    ['bike | bicycle', ['bike', 'bicycles']],
    ['+generator bike', ['bicycles', 'car']],
    ['generator AND bicycle', ['bicycles']],
    ['generator NOT car', ['bicycles']],
    ['generator AND NOT bicycle', ['car']],
    ['(bike OR car) AND (dynamo OR generator)', ['bike', 'car']],
    ['(bike dynamo) AND hub', ['bike']],
    ['hub AND (bike dynamo)', ['bike']],
    ['((bike dynamo) a) AND hub', ['bike']],
    ['(bike dynamo) drives AND hub', ['hub']],
    ['bike OR car AND generator', ['car']],
    ['+(bike OR bicycle) generator', ['bike', 'bicycles']],
    ['generator -(car OR bike)', ['bicycles']],
    ['dynamo NOT (car OR bike)', ['hub']],
    ['"dynamo hub" OR bicycle', ['bike', 'bicycles']],
    ['"dynamo hub" OR "has a generator"', ['bike', 'car']],
    ['"dynamo hub" OR title:car', ['bike', 'car']],
    ['dynamo-hub OR car', ['bike', 'car']],
    ['title:bike OR title:hub', ['bike', 'hub']],
    ['"the dynamo" OR bicycle', ['bicycles', 'hub']],
    ['the OR car', ['car']],
    ['OR car', ['car']],
    ['car OR', ['car']],
    ['bike or', ['bike']],
    ['(car', ['car']],
    ['car)', ['car']],
  ])('%s', (query, names) => {
    expect(found(query)).toEqual(names);
  });

  it('treats alternatives joined by OR as one required word', () => {
    expect(found('generator bike OR bicycle', true)).toEqual(['bicycles']);
  });

  it('knows the words that suffice for a match', () => {
    expect(readQuery('"dynamo hub" OR bicycle').sure).toEqual([['bicycl', 'bicycle']]);
    expect(readQuery('("dynamo hub" OR bicycle) ("a car" OR hub)').sure).toEqual([['bicycl', 'bicycle'], ['hub']]);
    expect(readQuery('("dynamo hub" OR bicycle) "a car"').sure).toBeUndefined();
    expect(readQuery('"dynamo hub" OR "a car"').sure).toBeUndefined();
    expect(readQuery('bicycle').sure).toBeUndefined();
  });

  it('requires no indexed word if alternatives consist of single letters', () => {
    const { all, any, check } = readQuery('O OR "s O"', { exact: true });
    expect([all, any]).toEqual([[], []]);
    expect(['of s o much', 'of so much'].map((text) => check!({ title: '', text }))).toEqual([true, false]);
  });

  it('gives the index the word pairs of a phrase joined by OR', () => {
    const pairs = (text: string): number[] => [...wordPairs(text)];
    const [dynamo, bicycle] = [{ stems: ['dynamo'], pairs: pairs('dynamo hub') }, ['bicycl', 'bicycle']];
    expect(readQuery('"dynamo hub" OR bicycle').ways).toEqual([[dynamo, { stems: bicycle, pairs: [] }]]);
    expect(readQuery('"to be" OR title:bicycle').ways).toEqual([
      [
        { stems: [], pairs: pairs('to be') },
        { stems: bicycle, pairs: [] },
      ],
    ]);
    expect(readQuery('bike OR bicycle').ways).toEqual([]);
    expect(readQuery('"dynamo hub" bicycle').ways).toEqual([]);
    expect(readQuery('"dynamo hub" OR "のは"').ways).toEqual([[dynamo, { stems: ['のは'], pairs: [] }]]);
  });

  it('searches the snippet for all alternatives of OR', () => {
    const { stems, phrases } = readQuery('"dynamo hub" OR bicycle');
    expect([...stems]).toEqual(['dynamo', 'bicycl', 'bicycle']);
    expect(phrases).toHaveLength(1);
  });

  it('reads an asterisk after a word as a prefix search', () => {
    const beginnings = new Map([
      ['curren', ['currenc', 'current']],
      ['the', ['theori']],
    ]);
    const read = (query: string) => readQuery(query, { beginnings });
    expect(beginningsIn('Curren* -the* "no* way" title:mon* a* *b c*d site:ex* curren*')).toEqual([
      'curren',
      'the',
      'mon',
    ]);
    expect(read('Curren* log')).toMatchObject({ any: [['curren', 'currenc', 'current'], ['log']] });
    expect(read('the*').any).toEqual([['theori']]);
    expect(read('log -curren*').none).toEqual([['curren', 'currenc', 'current']]);
    expect(read('curren* OR log').any).toEqual([['curren', 'currenc', 'current', 'log']]);
    expect(read('title:curren*').title?.('Electric currents')).toBe(true);
    expect(read('title:curren*').title?.('Electric cables')).toBe(false);
    expect(readQuery('curren*').any).toEqual([['curren']]);
    expect(wantedWords('curren* log')).toBe('curren log');
  });

  it('keeps a plus or parenthesis inside a word or before a number', () => {
    expect(readQuery('c++ f(x) +49')).toMatchObject({ all: [], none: [] });
    expect(readQuery('aries -f(x)').none).toEqual([]);
    expect(holds('aries -f(x)', 'aries f(x)')).toBe(false);
    expect(holds('aries -f(x)', 'aries x f')).toBe(true);
  });

  it('reads sites joined by OR as alternatives', () => {
    const { filters, any } = readQuery('aries site:a.example OR site:b.example');
    expect(filters.map(({ value }) => value)).toEqual(['a.example', 'b.example']);
    expect(any).toEqual([['ari', 'aries']]);
  });
});

describe('misreadings', () => {
  it.each([
    ['*rrent', 'The asterisk of "*rrent" is ignored'],
    ['cur*nt log', 'The asterisk of "cur*nt" is ignored'],
    ['c* log', 'after at least two letters'],
    ['title:c*', 'after at least two letters'],
    ['"curren* log"', 'phrases match exactly'],
    ['vpn inurl:wiki', 'inurl: is read as a word'],
    ['vpn since:-3d', 'since:-3d is read as words'],
    ['vpn before:2020-01-01', 'since: and until:'],
    ['(dynamo hub) OR car', 'OR joins single words and phrases'],
    ['car OR (dynamo hub)', 'OR joins single words and phrases'],
    ['site:a.example OR car', 'operators of one name'],
    ['car OR -bike', 'excluded words'],
    ['car OR NOT bike', 'excluded words'],
    ['(dynamo OR generator', 'A parenthesis is not closed'],
    ['dynamo) hub', 'Ignored a closing parenthesis'],
    ['"dynamo hub', 'A quotation mark is not closed'],
    ['hub -title:„dynamo', 'A quotation mark is not closed'],
  ])('reports the part of %s that has another meaning here', (query, said) => {
    expect(misreadings(query)).toEqual([expect.stringContaining(said)]);
  });

  it.each([
    'std::vector c++ a * b curren* title:lo*',
    '"current * NOT" site:a.example',
    'this OR that',
    'not and or',
    'notinurl:x',
    'a AND (b OR c) NOT (d OR e) +f',
    '(a b) c OR d',
    '((a OR "b c") OR title:d)',
    'x site:a.example OR site:b.example',
    'x -type:pdf OR -type:word',
    '„dynamo hub“ «car» ("x y") f(x)',
  ])('tells nothing of %s', (query) => {
    expect(misreadings(query)).toEqual([]);
  });
});

describe('wantedWords', () => {
  it.each([
    ['mercury -planet -"solar system" element', 'mercury element'],
    ['write-ahead logging', 'write-ahead logging'],
    ['"dynamo hub" -car', '"dynamo hub"'],
    ['-car', ''],
    ['site:a.example aries -type:pdf title:"log book"', 'aries "log book"'],
    ['+aries AND (log OR “the journal”) NOT (zodiac OR sign)', 'aries log OR "the journal"'],
  ])('leaves out what is ruled out: %s', (query, wanted) => {
    expect(wantedWords(query)).toBe(wanted);
  });
});
