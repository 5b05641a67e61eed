import { expect, test } from 'vitest';
import { analyze, isUnusable } from '../../src/analyze/index.ts';
import { type CanonicalUrl, DEFAULTS, type FeatureSpace } from '../../src/core/index.ts';

const OPTIONS = { ...DEFAULTS.analyze, maxLinksPerPage: 100, maxUrlChars: 1_000 };
const HEADERS = {
  contentType: 'text/html',
  charset: 'utf-8',
  contentLanguage: '',
  xRobotsTag: '',
  refresh: '',
  link: '',
};

/** Returns the features of a page by kind of feature. */
function formOf(url: string, html: string): Readonly<Record<string, readonly string[]>> {
  const spaces: readonly FeatureSpace[] = ['terms', 'form'];
  const page = { url: url as CanonicalUrl, headers: HEADERS, body: Buffer.from(html) };
  const document = analyze(page, { ...OPTIONS, spaces });
  if (isUnusable(document)) throw new Error(document.detail);
  const all = document.features.form?.features.split('\n') ?? [];
  expect(new Set(all).size).toBe(all.length);
  return Object.fromEntries(
    [...Map.groupBy(all, (feature) => feature.slice(0, feature.indexOf(' ')))].map(([kind, features]) => [
      kind,
      features.map((feature) => feature.slice(feature.indexOf(' ') + 1)),
    ]),
  );
}

const COURSE = `<html><head><title>CS 101: Databases (2024)</title>
<script type="application/ld+json">{"@type":"Course"}</script></head><body><nav><a href="/a">A</a></nav>
<h2>Time 10:15</h2><p>Mondays, 2024-10-01, mail to ada@example.org. Fee: 20 €.</p>
<table><tr><td>1<td>2<tr><td>3<td>4</table></body></html>`;

test('address, title, headings and declared types are patterns', () => {
  const form = formOf('https://u.example/courses/2024/cs-101.html?term=1', COURSE);
  expect(form).toMatchObject({ extension: ['html'], shape: ['a-0'], parameter: ['term'], type: ['course'] });
  expect(form.folder).toEqual(['courses', '0000']);
  expect(form.title).toEqual(['X_000_:_A']);
  expect(form.bracketed).toEqual(['0000']);
  expect(form.prefix).toEqual(['cs', '000']);
  expect(form.heading).toEqual(['time_0:0']);
});

test('a count is a feature for each power of two up to it', () => {
  const form = formOf('https://u.example/', COURSE);
  expect(form.td).toEqual(['1', '2', '4']);
  expect(form.table).toEqual(['1']);
  expect([form.mail, form.price, form.date]).toEqual([['1'], ['1'], ['1']]);
  expect(form.li).toBeUndefined();
});

test('pages of one kind are alike in any language', () => {
  const job = (title: string, text: string): string =>
    `<title>${title}</title><h1>${title}</h1><ul><li>${text}</ul><form action=/apply><input name=cv></form>`;
  const one = formOf('https://a.example/jobs/17', job('Baker (m/f)', 'From 2024-01-01, 1000 €'));
  const other = formOf('https://b.example/emplois/4', job('Boulanger (h/f)', 'Dès 2025-02-03, 2000 €'));
  for (const kind of ['title', 'title-pair', 'form', 'input', 'date', 'price']) expect(one[kind]).toEqual(other[kind]);
});

test('a source that never closes its elements takes no more time than its length', () => {
  for (const piece of ['<script>', '<h2>', '<p', '&a', '"@type":', 'itemtype  ', '<title'])
    expect(() => formOf('https://u.example/', piece.repeat(200_000 / piece.length))).not.toThrow();
});

test('the form of a page is bounded and built only on demand', () => {
  const many = Array.from({ length: 2_000 }, (_, i) => `<h2>Heading ${'abcdefghij'[i % 10]}${'x'.repeat(i % 50)}</h2>`);
  const form = formOf('https://u.example/', many.join(''));
  expect(Object.values(form).flat().length).toBeLessThanOrEqual(500);
  const page = { url: 'https://u.example/' as CanonicalUrl, headers: HEADERS, body: Buffer.from(COURSE) };
  const plain = analyze(page, { ...OPTIONS, spaces: ['terms'] });
  expect('features' in plain && plain.features.form).toBeUndefined();
});
