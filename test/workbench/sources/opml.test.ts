import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TopicSpec } from '../../../src/core/index.ts';
import { parseOpml } from '../../../src/workbench/sources/opml.ts';
import { cpuMsSince } from '../../support/cpu-time.ts';

/** Topics as nested names with the addresses of their examples. */
function outline(topics: readonly TopicSpec[]): unknown {
  return topics.map(({ name, examples = [], topics: below }) => {
    const urls = examples.map((example) => (example.kind === 'url' ? example.url : ''));
    return below === undefined ? [name, urls] : [name, urls, outline(below)];
  });
}

const READER = `<?xml version="1.0" encoding="UTF-8"?>
<!-- from a feed reader -->
<opml version="1.0">
<head><title>Feeds &amp; links</title></head>
<body>
  <outline text="Databases &amp; more" title="ignored">
    <outline type="rss" text="VLDB" xmlUrl="https://www.vldb.org/feed" htmlUrl="https://www.vldb.org/?a=1&amp;b=2"/>
    <outline title="Recovery">
      <outline type="link" text="ARIES" url="https://aries.example/"></outline>
    </outline>
    <outline type="rss" text="Feed alone" xmlUrl="https://feed.example/rss"/>
  </outline>
  <OUTLINE TEXT="Top" URL="https://top.example/"/>
  <outline text="Script" url="javascript:alert(1)"/>
  <outline text="Just words"/>
</body>
</opml>`;

describe('OPML', () => {
  test('becomes topics: outlines with children are topics, those with an address are pages', () => {
    expect(outline(parseOpml(READER).topics)).toEqual([
      [
        'Databases & more',
        ['https://www.vldb.org/?a=1&b=2', 'https://feed.example/rss'],
        [['Recovery', ['https://aries.example/']]],
      ],
      ['unsorted', ['https://top.example/']],
    ]);
  });

  test('counts what it left out: scripts and duplicate pages', () => {
    const twice = READER.replace('</body>', '<outline text="again" url="https://top.example"/></body>');
    expect(parseOpml(twice)).toMatchObject({ kept: 4, notWeb: 1, repeated: 1 });
  });

  test('a page with outlines below it belongs to the topic above them', () => {
    const xml = '<outline text="A" url="https://a.example/"><outline text="B" url="https://b.example/"/></outline>';
    expect(outline(parseOpml(xml).topics)).toEqual([
      ['unsorted', ['https://a.example/']],
      ['A', ['https://b.example/']],
    ]);
  });

  test.each([
    ['nothing', ''],
    ['no OPML', '<html><a href="https://a.example/">x</a></html>'],
    ['an end too many', '</outline></outline>'],
    ['a tag cut short', '<outline text="a" url="https://a.exa'],
    ['entities of its own', '<!DOCTYPE o [<!ENTITY a "&b;&b;"><!ENTITY b "&a;">]><outline text="&a;"/>'],
  ])('bears %s', (_, xml) => {
    expect(parseOpml(xml).topics).toEqual([]);
  });

  test('is read quickly at any depth', () => {
    const deep = `${'<outline text="x">'.repeat(100_000)}<outline text="p" url="https://a.example/"/>`;
    const before = process.cpuUsage();
    expect(parseOpml(deep).kept).toBe(1);
    expect(cpuMsSince(before)).toBeLessThan(5_000);
  });

  test('survives any input', () => {
    const piece = fc.constantFrom(
      '<outline',
      ' text="',
      '"',
      ' url=',
      'https://a.example/',
      '>',
      '/>',
      '</outline>',
      '&amp',
      '&#x0;',
      '<![CDATA[',
      '-->',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        for (const topic of parseOpml(pieces.join('')).topics) expect(topic.name).not.toBe('');
      }),
    );
  });

  test('a feed without a site is used itself, and an empty site counts as missing', () => {
    const xml =
      '<opml><head><title/></head><body><outline text="Mills"><outline xmlUrl="https://a.test/feed"/><outline htmlUrl=" " xmlUrl="https://b.test/feed"/></outline></body></opml>';
    expect(outline(parseOpml(xml).topics)).toEqual([['Mills', ['https://a.test/feed', 'https://b.test/feed']]]);
  });

  test('names are read with HTML entities', () => {
    const xml =
      '<opml><body><outline text="Caf&eacute; &raquo; &amp;eacute; &#8220;x&#8221;"><outline url="https://a.test/?a=1&amp;copy=2"/></outline></body></opml>';
    expect(outline(parseOpml(xml).topics)).toEqual([['Café » &eacute; “x”', ['https://a.test/?a=1&copy=2']]]);
  });
});
