import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem, stemsIn } from '../../../src/analyze/index.ts';
import { shortened, snippet } from '../../../src/postprocess/index.ts';

const stems = (...words: string[]): ReadonlySet<string> => new Set(words.map(stem));
const filler = 'lorem ipsum dolor sit amet '.repeat(40);

describe('snippet', () => {
  it('shows a short text completely', () => {
    expect(snippet('A crawler fetches pages.', { stems: stems('page') }, 200).text).toBe('A crawler fetches pages.');
  });

  it('marks words of the same stem, in any case', () => {
    const { text, marks } = snippet('Crawled, crawl; CRAWLING is fun.', { stems: stems('crawl') }, 200);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['Crawled', 'crawl', 'CRAWLING']);
  });

  it('marks words with an initial dotted capital or with combining accents', () => {
    const wanted = { stems: new Set(['izmir', 'étape']) };
    const { text, marks } = snippet('From İzmir, a last e\u0301tape.', wanted, 200);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['İzmir', 'e\u0301tape']);
  });

  it.each([
    ['homme', 'fr', "Voici l'homme, l’homme", ['homme', 'homme']],
    ['dog', 'en', "The dog's tail, the dogs' legs, the dog’s ear", ['dog', 'dogs', 'dog']],
    ['acqua', 'it', "Un bicchiere d'acqua", ['acqua']],
    ['میخواهم', 'fa', 'کتاب می\u200cخواهم', ['می\u200cخواهم']],
    ['fine', 'en', 'A ﬁne ｆｉｎｅ day', ['ﬁne', 'ｆｉｎｅ']],
  ])(
    'marks words as pages are indexed by them, at an apostrophe or with joiners in them: %s',
    (word, language, text, marked) => {
      const wanted = { stems: new Set(stemsIn(word, [language])), languages: [language] };
      const { marks } = snippet(text, wanted, 200);
      expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(marked);
    },
  );

  it('marks the forms of a word in the language of the page', () => {
    const wanted = { stems: new Set(['haus']), languages: ['de'] };
    const { text, marks } = snippet('Viele Häuser, ein Haus.', { ...wanted, stems: new Set(['häusern', 'haus']) }, 200);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['Häuser', 'Haus']);
    expect(snippet('Viele Häuser.', { stems: wanted.stems }, 200).marks).toEqual([]);
  });

  it.each([
    ['one Chinese character', '数据库系统很重要。'.repeat(40), '武汉长江大桥建于上个世纪', ['桥'], ['桥']],
    ['Chinese', '数据库系统很重要。'.repeat(40), '武汉长江大桥建于上个世纪', ['长江', '江大', '大桥'], ['长江大桥']],
    ['Japanese', '花から蜜を集めます。'.repeat(40), '自転車の修理と車', ['自転', '転車'], ['自転車']],
    ['Thai', 'การซ่อมต้องใช้เครื่องมือ '.repeat(40), 'ข้ามสะพานเพื่อชมเรือนาน', ['สะ', 'ะพ', 'พา', 'าน'], ['สะพาน']],
  ])('shows where words stand in text without spaces, and marks them: %s', (_, before, passage, pairs, marked) => {
    const { text, marks } = snippet(before + passage + before, { stems: new Set(pairs) }, 80);
    expect(text).toContain(passage);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(marked);
  });

  it('marks words that begin differently from their stem', () => {
    const { text, marks } = snippet('ولد الناس أحرارا في الأرض', { stems: new Set(['احرار']), languages: ['ar'] }, 200);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['أحرارا']);
  });

  it('marks Turkish words with and without dots', () => {
    const wanted = { stems: new Set(['işik']), languages: ['tr'] };
    const { text, marks } = snippet('Gece ışıklar, IŞIKLAR.', wanted, 200);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['ışıklar', 'IŞIKLAR']);
  });

  it('finds the passage with the most different words', () => {
    const text = `${filler} recovery ${filler} recovery with the ARIES algorithm ${filler}`;
    expect(snippet(text, { stems: stems('recovery', 'aries', 'algorithm') }, 120).text).toContain(
      'recovery with the ARIES algorithm',
    );
  });

  it('shows with dots that the text continues', () => {
    const { text } = snippet(`${filler} needle ${filler}`, { stems: stems('needle') }, 100);
    expect(text).toMatch(/^… .*needle.* …$/);
  });

  it('begins and ends with whole words, even at line breaks', () => {
    const lines = filler.replaceAll(' ', '\n');
    const { text } = snippet(`${lines}needle\n${lines}`, { stems: stems('needle') }, 100);
    const known = new Set(['lorem', 'ipsum', 'dolor', 'sit', 'amet', 'needle', '…']);
    expect(text.split(/\s+/).filter((word) => !known.has(word))).toEqual([]);
    expect(text).toContain('needle');
  });

  it.each([
    ['needle', `needle ${'incomprehensibilities'.repeat(4)} ${filler}`, 'needle …'],
    ['needle', `${filler}before,incomprehensible/needle,incomprehensibilities/after ${filler}`, '… /needle, …'],
    ['xylophone', `one,two,incomprehensibilities,four ${filler}`, 'one,two, …'],
  ])('cuts no word beside %s, where no space is near, either', (word, text, shown) => {
    expect(snippet(text, { stems: stems(word) }, 12).text).toBe(shown);
  });

  it('shows the beginning if no word occurs', () => {
    expect(snippet(filler, { stems: stems('needle') }, 60).text).toMatch(/^lorem ipsum .* …$/);
  });

  it('prefers a phrase to any other passage, and marks it as one', () => {
    const text = `A hub of a dynamo, a dynamo of a hub. ${filler} To be, or not to be: ${filler} a Dynamo-hub ${filler}`;
    const wanted = { stems: stems('dynamo', 'hub'), phrases: [/dynamo[^a-z]+hub/iu] };
    const { text: shown, marks } = snippet(text, wanted, 100);
    expect(marks.map(([start, end]) => shown.slice(start, end))).toEqual(['Dynamo-hub']);
    const stop = snippet(text, { stems: new Set(), phrases: [/not[^a-z]+to[^a-z]+be/iu] }, 100);
    expect(stop.text).toContain('or not to be: lorem');
    expect(stop.marks.map(([start, end]) => stop.text.slice(start, end))).toEqual(['not to be']);
  });

  it('stays near its size, and marks whole words, for any text', () => {
    const words = fc.array(fc.constantFrom('needle', 'hay', 'straw', 'stack,', 'é', '漢字', '  '), { maxLength: 200 });
    fc.assert(
      fc.property(words, fc.integer({ min: 10, max: 120 }), (parts, size) => {
        const result = snippet(parts.join(' '), { stems: stems('needle') }, size);
        expect(result.text.length).toBeLessThanOrEqual(size + 4);
        for (const [start, end] of result.marks) expect(result.text.slice(start, end)).toBe('needle');
      }),
    );
  });
});

describe('a passage of a page with a snippet limit', () => {
  const passage = snippet(`needle in the 🚲 hay with a needle`, { stems: stems('needle') }, 200);

  it('is no longer than the page allows, and marks only whole words', () => {
    expect(shortened(passage, 15)).toEqual({ text: 'needle in the ', marks: [[0, 6]] });
    expect(shortened(passage, 3)).toEqual({ text: '', marks: [] });
    expect(shortened(passage, 12)).toEqual({ text: 'needle in ', marks: [[0, 6]] });
    expect(shortened(snippet('武汉长江大桥', { stems: stems('needle') }, 200), 3).text).toBe('武汉长');
  });

  it('is empty if the page allows none, and complete if it sets no limit', () => {
    expect(shortened(passage, 0)).toEqual({ text: '', marks: [] });
    expect(shortened(passage, undefined)).toEqual(passage);
  });
});
