import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TopicSpec } from '../../../src/core/index.ts';
import { parseBookmarks } from '../../../src/workbench/sources/bookmarks.ts';

/** Topics as nested names with the addresses of their examples. */
function outline(topics: readonly TopicSpec[]): unknown {
  return topics.map(({ name, examples = [], topics: below }) => {
    const urls = examples.map((example) => (example.kind === 'url' ? example.url : ''));
    return below === undefined ? [name, urls] : [name, urls, outline(below)];
  });
}

const FIREFOX = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>
<DL><p>
    <DT><H3 ADD_DATE="1" LAST_MODIFIED="2">Databases &amp; more</H3>
    <DL><p>
        <DT><A HREF="https://www.vldb.org/?a=1&amp;b=2" ADD_DATE="1" ICON="data:image/png;base64,AA>BB">VLDB</A>
        <DD>A description with <B>markup</B>
        <DT><H3>Recovery</H3>
        <DL><p>
            <DT><A HREF="https://aries.example/">ARIES</A>
        </DL><p>
        <DT><A HREF="place:sort=8">Recent</A>
    </DL><p>
    <DT><H3>Empty</H3>
    <DL><p></DL><p>
    <HR>
    <DT><A HREF="https://top.example/">Top</A>
    <DT><A HREF="javascript:alert(1)">Bookmarklet</A>
</DL>`;

describe('parseBookmarks', () => {
  it('turns folders into topics, and nested folders into subtopics', () => {
    expect(outline(parseBookmarks(FIREFOX).topics)).toEqual([
      ['Databases & more', ['https://www.vldb.org/?a=1&b=2'], [['Recovery', ['https://aries.example/']]]],
      ['unsorted', ['https://top.example/']],
    ]);
  });

  it('makes no topics of the built-in folders of a browser, whatever their names', () => {
    const html = `<DL><p>
      <DT><H3 ADD_DATE="1" PERSONAL_TOOLBAR_FOLDER="true">Lesezeichenleiste</H3>
      <DL><p>
        <DT><H3 ADD_DATE="1">Trains</H3>
        <DL><p><DT><A HREF="http://rail.example/">1</A></DL><p>
        <DT><A HREF="http://loose.example/">2</A>
      </DL><p>
      <DT><H3 UNFILED_BOOKMARKS_FOLDER="true">Weitere Lesezeichen</H3>
      <DL><p>
        <DT><H3>Trains</H3>
        <DL><p><DT><A HREF="http://steam.example/">3</A></DL><p>
      </DL><p>
    </DL>`;
    expect(outline(parseBookmarks(html).topics)).toEqual([
      ['Trains', ['http://rail.example/', 'http://steam.example/']],
      ['unsorted', ['http://loose.example/']],
    ]);
  });

  it('makes no topics of the built-in folders of Safari, and a folder of unlisted pages', () => {
    const html = `<HTML><H1>Bookmarks</H1>
      <DT><H3 FOLDED>Favoriten</H3>
      <DL><p>
        <DT><A HREF="http://loose.example/">1</A>
        <DT><H3 FOLDED>Ships</H3>
        <DL><p><DT><A HREF="http://sea.example/">2</A></DL><p>
      </DL><p>
      <DT><H3 FOLDED>Bookmarks Menu</H3>
      <DL><p><DT><A HREF="http://menu.example/">3</A></DL><p>
      <DT><H3 FOLDED>Trains</H3>
      <DL><p><DT><A HREF="http://rail.example/">4</A></DL><p>
      <DT><H3 FOLDED id="com.apple.ReadingList">Leseliste</H3>
      <DL><p><DT><A HREF="http://later.example/">5</A></DL><p>
    </HTML>`;
    expect(outline(parseBookmarks(html).topics)).toEqual([
      ['unsorted', ['http://loose.example/', 'http://menu.example/', 'http://later.example/']],
      ['Ships', ['http://sea.example/']],
      ['Trains', ['http://rail.example/']],
    ]);
  });

  it('counts what it leaves out', () => {
    expect(parseBookmarks(FIREFOX)).toMatchObject({ kept: 3, notWeb: 2, repeated: 0 });
  });

  it('keeps a page that is in two folders in the first one', () => {
    const html =
      '<DL><DT><H3>a</H3><DL><DT><A HREF="http://x.example">1</A></DL><DT><H3>b</H3><DL><DT><A HREF="http://x.example/#top">2</A></DL></DL>';
    expect(parseBookmarks(html)).toMatchObject({ kept: 1, repeated: 1 });
  });

  it('cleans names that topics cannot have', () => {
    const html = '<DL><DT><H3>Rock / Pop\x1b[31m</H3><DL><DT><A HREF="http://x.example/">1</A></DL></DL>';
    expect(parseBookmarks(html).topics[0]?.name).toBe('Rock-Pop');
  });

  it('joins folders of the same name', () => {
    const folder = (url: string): string => `<DT><H3>a</H3><DL><DT><A HREF="${url}">1</A></DL>`;
    const html = `<DL>${folder('http://x.example/')}${folder('http://y.example/')}</DL>`;
    expect(outline(parseBookmarks(html).topics)).toEqual([['a', ['http://x.example/', 'http://y.example/']]]);
  });

  it('reads lower case, missing end tags and unquoted attributes', () => {
    const html = "<dl><dt><h3>a</h3><dl><dt><a href=http://x.example/>1<dt><a href='http://y.example/'>2";
    expect(outline(parseBookmarks(html).topics)).toEqual([['a', ['http://x.example/', 'http://y.example/']]]);
  });

  it('joins deeper folders at the tenth level', () => {
    const depth = 5000;
    const html = `${'<DL><DT><H3>f</H3>'.repeat(depth)}<DL><DT><A HREF="http://x.example/">1</A>${'</DL>'.repeat(depth)}`;
    let level = 0;
    for (let topics = parseBookmarks(html).topics; topics.length > 0; topics = topics[0]?.topics ?? []) level++;
    expect(level).toBe(10);
  });

  it('survives any input', () => {
    const tag = fc.constantFrom(
      '<DL>',
      '</DL>',
      '<H3>',
      '</H3>',
      '<A HREF="http://x.example/',
      '">',
      '&#',
      ';',
      '<!--',
      '<title>',
      'x',
    );
    fc.assert(
      fc.property(fc.array(tag, { maxLength: 60 }), (parts) => {
        expect(parseBookmarks(parts.join('')).kept).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
