import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AnalyzedDocument,
  FEATURE_SPACES,
  hashesOf,
  MAX_STEM_COUNT,
  packDocument,
  packLinks,
  packStems,
  statementsOf,
  stemNumber,
  thinDocument,
  unpackDocument,
  unpackFollowed,
  unpackHashes,
  unpackText,
} from '../../../src/core/index.ts';
import { packCounts } from '../../support/pack-counts.ts';

const EMPTY: AnalyzedDocument = {
  title: 'A title',
  language: 'en',
  text: '',
  tokens: 0,
  features: {},
  links: packLinks([]),
  canonical: '',
  noindex: false,
  nofollow: true,
  contentHash: '0123456789abcdef0123456789abcdef',
  simhash: [1, 2],
};

const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replace(/[\n\r]/g, ' '));
const bag = fc
  .uniqueArray(
    fc.tuple(
      line.filter((text) => text !== ''),
      fc.integer({ min: 1, max: 65_535 }),
    ),
    {
      selector: ([feature]) => feature,
      maxLength: 60,
    },
  )
  .map(packCounts);
const link = fc.record({
  url: fc.webUrl(),
  anchor: line,
  context: line,
  flags: fc.nat(255),
  position: fc.nat(65_535).map((n) => n / 65_535),
});
const documents = fc.record({
  text: fc.string({ unit: 'grapheme' }),
  features: fc.record(Object.fromEntries(FEATURE_SPACES.map((space) => [space, bag])), { requiredKeys: [] }),
  links: fc.array(link).map(packLinks),
});

describe('a packed document', () => {
  test('gives counts and hashes of its features, in ASCII and other scripts, as the features have them', () => {
    fc.assert(
      fc.property(documents, fc.boolean(), (parts, isAscii) => {
        const ascii = {
          terms: packCounts([
            ['plain', 3],
            ['words', 1],
          ]),
        };
        const features = isAscii ? { ...parts.features, ...ascii } : parts.features;
        const found = unpackHashes(packDocument({ ...EMPTY, ...parts, features }).content);
        const hashed = (bags: AnalyzedDocument['features']) =>
          Object.entries(bags).map(([space, bag]) => [space, bag.counts, hashesOf(bag)]);
        expect(hashed(found).sort()).toEqual(hashed(features).sort());
      }),
    );
  });

  test('is restored completely, whatever its size', () => {
    for (const length of [0, 1, 131_015, 131_016, 131_017, 262_088, 400_000]) {
      const document = { ...EMPTY, text: 'abc '.repeat(length).slice(0, length) };
      const { content } = packDocument(document);
      expect(unpackDocument(EMPTY, content)).toEqual(document);
      expect(unpackText(content)).toBe(document.text);
    }
  });

  test('unpacks to the same document', () => {
    fc.assert(
      fc.property(documents, (parts) => {
        const document = { ...EMPTY, ...parts };
        const { content } = packDocument(document);
        expect(unpackDocument(thinDocument(document), content)).toEqual(document);
        expect(unpackText(content)).toBe(document.text);
        const units = Uint16Array.from({ length: document.text.length }, (_, i) => document.text.charCodeAt(i));
        expect(unpackFollowed(content)).toEqual({ links: document.links, statements: statementsOf(units) });
      }),
      { examples: [[{ text: '', features: {}, links: packLinks([]) }]] },
    );
  });

  test('owns its memory, so that it can move to another thread', () => {
    const { content, stems } = packDocument({ ...EMPTY, text: 'x', features: { terms: packCounts([['x', 1]]) } });
    expect(content.buffer.byteLength).toBe(content.byteLength);
    expect(stems.buffer.byteLength).toBe(stems.byteLength);
  });

  test('is complete after a large one has released its scratch memory', () => {
    const large = { ...EMPTY, text: 'long '.repeat(400_000) };
    expect(unpackText(packDocument(large).content)).toBe(large.text);
    expect(unpackText(packDocument({ ...EMPTY, text: 'short' }).content)).toBe('short');
  });

  test('omits text and features of a thin document', () => {
    const document = { ...EMPTY, text: 'text', features: { terms: packCounts([['text', 1]]) } };
    expect(thinDocument(document)).toEqual(EMPTY);
  });

  test('is rejected if a single bit was flipped on disk', () => {
    const text = Array.from({ length: 300 }, (_, i) => `word${(i * 7919) % 1000}`).join(' ');
    const { content } = packDocument({ ...EMPTY, text });
    for (let bit = 0; bit < 8 * content.length; bit++) {
      const turned = Uint8Array.from(content);
      turned[bit >> 3]! ^= 1 << (bit & 7);
      // A few bits of the head are unused. If one of them is flipped, the text is unchanged.
      expect(textOrRefusal(turned, text)).toBe(true);
    }
  });

  const textOrRefusal = (content: Uint8Array, text: string): boolean => {
    try {
      return unpackText(content) === text;
    } catch {
      return true;
    }
  };

  test('is rejected if it was cut short', () => {
    const { content } = packDocument({ ...EMPTY, text: 'some text of the page' });
    expect(() => unpackText(content.subarray(0, content.length - 3))).toThrow();
    expect(() => unpackText(Uint8Array.of(1, 2, 3))).toThrow();
  });
});

describe('stems for the search index', () => {
  test('store the number and the clipped count of each stem', () => {
    const packed = packStems(
      packCounts([
        ['log', 3],
        ['naïv', 900],
      ]),
    );
    const numbers = ['log', 'naïv'].map(stemNumber);
    expect([...packed]).toEqual([
      numbers[0]!.low * 0x10000 + 3,
      numbers[0]!.high,
      numbers[1]!.low * 0x10000 + MAX_STEM_COUNT,
      numbers[1]!.high,
    ]);
  });

  test('store each Chinese character that occurs in pairs once, with its count', () => {
    const terms = { 紅茶: 2, 茶葉: 1, 葉: 1, のお: 3, tea: 1 };
    const packed = packStems(packCounts(Object.entries(terms)));
    const counts = new Map<number, number>();
    for (let i = 0; i < packed.length; i += 2) counts.set(packed[i + 1]!, packed[i]! & 15);
    expect(counts.get(stemNumber('茶').high)).toBe(2);
    expect(counts.get(stemNumber('紅').high)).toBe(2);
    expect(counts.get(stemNumber('葉').high)).toBe(1);
    expect(packed).toHaveLength(2 * (Object.keys(terms).length + 2));
  });

  test('are missing for an empty bag', () => {
    expect(packStems(packCounts([]))).toHaveLength(0);
  });
});

test('packing leaves no memory to the garbage collector', () => {
  const text = Array.from({ length: 4_000 }, (_, i) => `word${i}`).join(' ');
  const noted = { utf8: Buffer.from(text), pairs: new Uint8Array(0) };
  const before = process.memoryUsage().arrayBuffers;
  const packed = Array.from({ length: 200 }, () => packDocument({ ...EMPTY, text: '', noted }));
  const bytes = packed.flatMap(Object.values).reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(bytes + 500_000);
});
