import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_HEADERS } from '../../src/core/index.ts';
import { type Need, needOf, sourceFigures } from '../../src/fetch/browser/page-need.ts';
import { isGain, SiteGains } from '../../src/fetch/browser/site-gains.ts';

const needOfSource = (source: string, contentType = 'text/html'): Need =>
  needOf({ headers: { ...NO_HEADERS, contentType }, body: Buffer.from(source) });
const script = '<script src="/app.js"></script>';

test.each<[string, string, Need]>([
  ['an empty root element with a script', `<div id="root"></div>${script}`, 'likely'],
  ['a request to enable JavaScript', `<noscript>Please enable JavaScript.</noscript>${script}`, 'likely'],
  ['next to no text and no links, with a script', `<p>Loading…</p>${script}`, 'likely'],
  ['little text and a few links, with a script', `<p>Hi</p>${'<a href="/x">x</a>'.repeat(5)}${script}`, 'maybe'],
  ['the same without a script', '<div id="root"></div><p>Hi</p>', 'no'],
  ['only data in scripts', '<p>Hi</p><script type="application/ld+json">{}</script>', 'no'],
  ['an article, whatever its scripts', `<div id="root"><p>${'words of it '.repeat(200)}</p></div>${script}`, 'no'],
])('judges %s', (_, source, need) => {
  expect(needOfSource(source)).toBe(need);
});

test('leaves everything but HTML alone', () => {
  expect(needOfSource(`<div id="root"></div>${script}`, 'application/pdf')).toBe('no');
});

test('counts neither scripts nor tags as text', () => {
  expect(
    sourceFigures('<p>one  two</p>\n<script>var x = "<b>";</script><STYLE>b{}</STYLE><a href="/">three</a>'),
  ).toEqual({
    ...{ text: 'one two'.length + 'three'.length, links: 1, scripts: 1, isShell: false },
  });
});

test('ends for any source', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('<', '>', 'script', '</script', '<a ', ' ', 'x', '<noscript>')), (parts) => {
      expect(sourceFigures(parts.join('')).text).toBeLessThanOrEqual(parts.join('').length);
    }),
  );
});

test('stops rendering on a site where it brings nothing, and tries again now and then', () => {
  const gains = new SiteGains();
  for (let i = 0; i < 3; i++) {
    expect(gains.isWorth('a.example', 'likely')).toBe(true);
    gains.note('a.example', 'likely', false);
  }
  const tried = Array.from({ length: 100 }, () => gains.isWorth('a.example', 'likely')).filter(Boolean).length;
  expect(tried).toBe(2);
  expect(gains.isWorth('b.example', 'likely')).toBe(true);
  expect(gains.isWorth('b.example', 'no')).toBe(false);
});

test('counts as gained what doubles the text or adds links', () => {
  const figures = { text: 100, links: 1, scripts: 1, isShell: true };
  expect(isGain(figures, { ...figures, text: 250 })).toBe(true);
  expect(isGain(figures, { ...figures, links: 4 })).toBe(true);
  expect(isGain(figures, { ...figures, text: 150, links: 3 })).toBe(false);
});
