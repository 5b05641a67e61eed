import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUnusable } from '../../src/analyze/index.ts';
import { type AnalyzedDocument, canonicalize, FEATURE_SPACES, unpackCounts } from '../../src/core/index.ts';
import { analyzePage, PAGE_URL, type PageParts } from './pages.ts';

const TYPES = ['text/html', 'application/xhtml+xml', 'text/plain', 'text/markdown', '', 'image/png'];
const TAGS = [
  'a',
  'p',
  'div',
  'nav',
  'ul',
  'li',
  'table',
  'td',
  'svg',
  'title',
  'script',
  'template',
  'base',
  'meta',
  'h1',
  'br',
  'x-y',
];
const ATTRIBUTES = [
  'href="/a b"',
  'href=x&amp;y',
  'href="http://b.test/\n"',
  "class='nav'",
  'alt="p\nq"',
  'content="0;url=/r"',
  'name=robots',
  'rel=nofollow',
  'hidden',
  '=',
];

/** Random text similar to HTML: tags opened, closed and cut in any order, with text of all kinds between. */
const soup = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom(...TAGS), fc.subarray(ATTRIBUTES))
        .map(([tag, attributes]) => `<${tag} ${attributes.join(' ')}>`),
      fc.constantFrom(...TAGS).map((tag) => `</${tag}>`),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.lorem({ maxCount: 12 }),
      fc.constantFrom(
        '<a href="/open',
        '<!--',
        '-->',
        '<![CDATA[',
        '&',
        '&#xD800;',
        '&nbsp',
        '\u2028',
        '\r\n',
        '[x](/m)',
        'http://c.test/',
        '\ud800',
      ),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

function lines(text: string, size: number): string[] {
  return size === 0 ? [] : text.split('\n');
}

function checkLinks({ links }: AnalyzedDocument): void {
  const urls = lines(links.urls, links.size);
  const anchors = lines(links.anchors, links.size);
  for (const column of [urls, anchors, lines(links.contexts, links.size), links.flags, links.positions]) {
    expect(column.length).toBe(links.size);
  }
  for (const url of urls) expect(canonicalize(url)).toBe(url);
  expect(urls).not.toContain(PAGE_URL);
  expect(new Set(urls.map((url, i) => `${url}\n${anchors[i]}`)).size).toBe(links.size);
}

function checkFeatures(document: AnalyzedDocument): void {
  for (const bag of Object.values(document.features)) {
    const entries = unpackCounts(bag);
    expect(new Set(entries.map(([feature]) => feature)).size).toBe(bag.counts.length);
    for (const [feature, count] of entries) {
      expect(feature).toMatch(/^\S+(?: \S+)?$/);
      expect(count).toBeGreaterThanOrEqual(1);
    }
  }
}

function check(body: string | Uint8Array, parts: PageParts): void {
  const result = analyzePage(body, parts);
  if (isUnusable(result)) return;
  checkLinks(result);
  checkFeatures(result);
  for (const text of [result.title, result.text, result.links.anchors, result.links.contexts]) {
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  }
  expect(result.title).not.toContain('\n');
  expect(result.text).toBe(result.text.trim());
  expect(result.text).not.toMatch(/ {2}|\n\n| \n|\n /);
  expect(result.language).toMatch(/^(?:[a-z]{2})?$/);
  for (const half of result.simhash) expect(half).toBe(half >>> 0);
  expect(result.canonical === '' || canonicalize(result.canonical) === result.canonical).toBe(true);
}

describe('analysis returns a valid document or a reason, whatever the page', () => {
  const options = { spaces: FEATURE_SPACES, maxLinksPerPage: 20, maxTextChars: 300, maxTokens: 60 };

  it('for text similar to HTML', () => {
    fc.assert(
      fc.property(soup, fc.constantFrom(...TYPES), (html, contentType) => {
        check(html, { headers: { contentType }, options });
      }),
      { numRuns: 1_000 },
    );
  });

  it('for any bytes under any label', () => {
    const charset = fc.constantFrom(
      '',
      'utf-8',
      'utf-16le',
      'shift_jis',
      'iso-2022-jp',
      'windows-1252',
      'no such thing',
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        charset,
        fc.constantFrom(...TYPES),
        (bytes, label, contentType) => {
          check(Buffer.concat([Buffer.from('<p>'), bytes]), { headers: { contentType, charset: label }, options });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('and returns equal results for equal pages', () => {
    fc.assert(
      fc.property(soup, soup, (html, other) => {
        const first = analyzePage(html, { options });
        analyzePage(other, { options });
        expect(analyzePage(html, { options })).toEqual(first);
      }),
      { numRuns: 200 },
    );
  });
});
