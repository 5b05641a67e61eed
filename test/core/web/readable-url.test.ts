import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize, readableHost, readableUrl } from '../../../src/core/index.ts';
import { sanitizeForTerminal } from '../../../src/kit/index.ts';

describe('readableUrl', () => {
  it.each([
    [
      'https://ru.wikipedia.org/wiki/%D0%92%D0%B5%D0%BB%D0%BE%20%D1%8F?q=%D1%8F',
      'https://ru.wikipedia.org/wiki/Вело%20я?q=я',
    ],
    ['http://xn--mller-kva.example:8080/%c3%a9', 'http://müller.example:8080/é'],
    ['https://x.example/%E0%A4%B9%E0%A4%BF%E0%A4%82', 'https://x.example/हिं'],
    ['https://x.example/%E2%80%AEa%E2%80%8Bb%E2%80%94c', 'https://x.example/%E2%80%AEa%E2%80%8Bb%E2%80%94c'],
    ['https://x.example/%CC%81a', 'https://x.example/%CC%81a'],
    ['https://x.example/%E3%85%A4', 'https://x.example/%E3%85%A4'],
    ['https://x.example/%FF%C3%A9', 'https://x.example/%FF%C3%A9'],
    ['https://x.example/a%2Fb%3Fc%23', 'https://x.example/a%2Fb%3Fc%23'],
    ['https://a@xn--mller-kva.example/', 'https://a@xn--mller-kva.example/'],
    ['notes/%C3%A9.txt', 'notes/%C3%A9.txt'],
  ])('%s → %s', (url, expected) => {
    expect(readableUrl(url)).toBe(expected);
  });

  it('reads back as the same URL, and a terminal shows all of it', () => {
    const part = fc.string({ unit: 'binary', maxLength: 8 });
    const url = fc
      .tuple(
        fc.array(part, { maxLength: 3 }),
        fc.option(part),
        fc.constantFrom('a.example', 'пример.рф', 'bücher.example', 'xn--a'),
      )
      .map(([path, query, host]) => {
        const encoded = path.map((text) => encodeURIComponent(text.toWellFormed())).join('/');
        return `http://${host}/${encoded}${query === null ? '' : `?${encodeURIComponent(query.toWellFormed())}`}`;
      });
    fc.assert(
      fc.property(url, (text) => {
        const canonical = canonicalize(text);
        fc.pre(canonical !== undefined);
        const readable = readableUrl(canonical!);
        expect(canonicalize(readable)).toBe(canonical);
        expect(sanitizeForTerminal(readable)).toBe(readable);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('readableHost', () => {
  it.each([
    'пример.рф',
    'почта.com',
    'bücher.de',
    'straße.de',
    '日本語.jp',
    'ひらがな.example',
    '한국.kr',
    'ελλάδα.gr',
    'עברית.co.il',
    'ไทย.example',
  ])('shows %s', (name) => {
    expect(readableHost(`www.${domainToASCII(name)}:81`)).toBe(`www.${name}:81`);
  });

  it.each([
    ['аррӏе.com', 'all letters look like Latin ones'],
    ['ορνο.example', 'all letters look like Latin ones'],
    ['pаypal.com', 'Latin and Cyrillic'],
    ['google日.com', 'Latin among other letters'],
    ['ɡoogle.com', 'a phonetic sign'],
  ])('leaves %s: %s', (name) => {
    const ascii = domainToASCII(name);
    expect(readableHost(ascii)).toBe(ascii);
  });

  it('shows letters that look like Latin ones below a top-level name of their script', () => {
    expect(readableHost(domainToASCII('аррӏе.рф'))).toBe('аррӏе.рф');
  });
});
