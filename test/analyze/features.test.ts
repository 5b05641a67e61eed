import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeText, anchorFeatures, neighbourFeatures } from '../../src/analyze/index.ts';
import { unpackCounts } from '../../src/core/index.ts';
import { packCounts } from '../support/pack-counts.ts';
import { documentOf, TEXT_OPTIONS } from './pages.ts';

const PAIRS = { ...TEXT_OPTIONS, spaces: ['pairs'] as const };

/** Counts the bits in which two fingerprints differ. */
function distance(a: readonly [number, number], b: readonly [number, number]): number {
  const ones = (bits: number): number => bits.toString(2).replaceAll('0', '').length;
  return ones((a[0] ^ b[0]) >>> 0) + ones((a[1] ^ b[1]) >>> 0);
}

describe('terms', () => {
  it('are counted by stem, in order of first occurrence', () => {
    const { terms } = analyzeText('Crawlers crawl; a crawler crawls the web.', TEXT_OPTIONS).features;
    expect(unpackCounts(terms!)).toEqual([
      ['crawler', 2],
      ['crawl', 2],
      ['web', 1],
    ]);
  });

  it('are empty for a query of stop words alone', () => {
    expect(unpackCounts(analyzeText('to be or not to be', TEXT_OPTIONS).features.terms!)).toEqual([]);
  });

  it('have counts of at most 65,535', () => {
    const { terms } = analyzeText('crawl '.repeat(70_000), {
      ...TEXT_OPTIONS,
      maxTokens: 80_000,
      maxTextChars: 1e6,
    }).features;
    expect(unpackCounts(terms!)).toEqual([['crawl', 65_535]]);
  });
});

describe('pairs', () => {
  it('join stems at most pairWindow words apart, alphabetically; stop words count', () => {
    const { pairs } = analyzeText('hub links the authority pages', { ...PAIRS, pairWindow: 2 }).features;
    expect(new Map(unpackCounts(pairs!))).toEqual(
      new Map([
        ['hub link', 1],
        ['author link', 1],
        ['author page', 1],
      ]),
    );
  });

  it('count every occurrence in either order, and no pair of a stem with itself', () => {
    const { pairs } = analyzeText('hub page hub hub', { ...PAIRS, pairWindow: 1 }).features;
    expect(unpackCounts(pairs!)).toEqual([['hub page', 2]]);
  });
});

describe('the lead', () => {
  const LEAD = { ...TEXT_OPTIONS, spaces: ['lead'] as const };

  it('counts the title and the first 40 words of the text once each, stop words in the 40', () => {
    const text = `crawl ${'the '.repeat(38)}web index`;
    const { lead, terms } = analyzeText(text, { ...LEAD, title: 'crawl' }).features;
    expect(unpackCounts(lead!)).toEqual([
      ['crawl', 2],
      ['web', 1],
    ]);
    expect(terms).toBeUndefined();
  });
});

describe('anchors', () => {
  it('exclude words that anchors use everywhere', () => {
    const texts = ['Click here', 'home', 'ARIES recovery homepage', 'recovery'];
    for (const language of ['en', '']) {
      expect(unpackCounts(anchorFeatures(texts.map((text) => ({ text, language }))))).toEqual([
        ['ari', 1],
        ['recoveri', 2],
      ]);
    }
  });

  it('use the stems and stop words of the language of the linking page', () => {
    const bag = (text: string, language: string): [string, number][] =>
      unpackCounts(anchorFeatures([{ text, language }]));
    expect(bag('Alles über Öfen: hier zur Homepage', 'de')).toEqual([['ofen', 1]]);
    expect(bag('Last und Kraft', 'de')).toEqual([
      ['last', 1],
      ['kraft', 1],
    ]);
  });

  it('are empty for a page without in-links', () => {
    expect(unpackCounts(anchorFeatures([]))).toEqual([]);
  });
});

describe('neighbours', () => {
  it('count the neighbours that have a term among their most frequent ones', () => {
    const bag = neighbourFeatures(
      [
        packCounts([
          ['hub', 9],
          ['rare', 1],
        ]),
        packCounts([['hub', 2]]),
      ],
      1,
    );
    expect(unpackCounts(bag)).toEqual([['hub', 2]]);
  });
});

describe('simhash', () => {
  const text = (words: number): string => Array.from({ length: words }, (_, i) => `word${i}`).join(' ');

  it('is equal for equal words and differs little if few words differ', () => {
    const a = analyzeText(text(300), TEXT_OPTIONS).simhash;
    const b = analyzeText(`${text(300)} another`, TEXT_OPTIONS).simhash;
    const c = analyzeText(text(300).replaceAll('word', 'other'), TEXT_OPTIONS).simhash;
    expect(analyzeText(text(300), TEXT_OPTIONS).simhash).toEqual(a);
    expect(distance(a, b)).toBeLessThanOrEqual(3);
    expect(distance(a, c)).toBeGreaterThan(16);
  });

  it('does not depend on earlier analyses', () => {
    const first = analyzeText('alpha beta gamma', TEXT_OPTIONS);
    fc.assert(
      fc.property(fc.lorem({ maxCount: 50 }), (other) => {
        analyzeText(other, TEXT_OPTIONS);
        expect(analyzeText('alpha beta gamma', TEXT_OPTIONS)).toEqual(first);
      }),
      { numRuns: 20 },
    );
  });
});

describe('text without a page', () => {
  it('becomes a document with the given title and without links', () => {
    const document = analyzeText('see http://a.test/ for ARIES', { ...TEXT_OPTIONS, title: 'query' });
    expect(document).toMatchObject({ title: 'query', canonical: '', noindex: false, language: '' });
    expect(document.links.size).toBe(0);
    expect(unpackCounts(document.features.terms!)[0]).toEqual(['queri', 3]);
  });

  it('has the same terms as the same text in a page', () => {
    const page = documentOf('<p>hubs and authorities</p>');
    expect(analyzeText('hubs and authorities', TEXT_OPTIONS).features).toEqual(page.features);
  });
});
