import { describe, expect, it } from 'vitest';
import { LINK_FLAG } from '../../../src/core/index.ts';
import { documentOf, linksOf, urlsOf } from '../pages.ts';

const SENTENCE = 'A focused crawler fetches pages about given topics and leaves the others alone. ';
const NOTICE = '<noscript>You need to enable JavaScript to run this app.</noscript>';
const SHELL = `<title>Guide</title>${NOTICE}<div id=root>Loading…</div>`;

describe('a page that scripts would fill', () => {
  const data = (value: unknown): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

  it('has the text that its structured data have, or its description', () => {
    const article = { '@graph': [{ '@type': 'WebSite' }, { '@type': 'Article', articleBody: `${SENTENCE}A &amp; B` }] };
    expect(documentOf(data(article) + SHELL).text).toBe(`Loading…\n${SENTENCE}A & B`);
    const post = { '@type': 'DiscussionForumPosting', text: `<p>${SENTENCE}</p>` };
    expect(documentOf(data(post) + SHELL).text).toBe(`Loading…\n${SENTENCE.trim()}`);
    const description = `<meta name=description content="What hubs are for.">`;
    expect(documentOf(description + data({ text: 'Short' }) + SHELL).text).toBe('Loading…\nWhat hubs are for.');
    expect(documentOf(`${description}<script type="application/ld+json">{"text": </script>${SHELL}`).text).toContain(
      'What hubs are for.',
    );
  });

  it('is told from another page of its site by that', () => {
    const page = (name: string) => documentOf(`<meta name=description content="All about ${name}.">${NOTICE}`);
    expect(page('hubs').contentHash).not.toBe(page('authorities').contentHash);
  });

  it('keeps to what it shows where that is enough', () => {
    const shown = `<p>${SENTENCE.repeat(2)}</p>`;
    const { text } = documentOf(
      `<meta name=description content="${'x'.repeat(500)}">${data({ text: 'y'.repeat(500) })}${shown}`,
    );
    expect(text).toBe(SENTENCE.repeat(2).trim());
    expect(documentOf('<meta name=description content=Hubs.><p>Longer than that.').text).toBe('Longer than that.');
  });

  it('data of other kinds, broken, deep or endless, is none', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    for (const inside of [deep, 'null', '"text"', '{"text": 5}', `{"name": "${SENTENCE}"}`])
      expect(documentOf(`<script type=application/ld+json>${inside}</script><p>Hub`).text).toBe('Hub');
    expect(documentOf(`<script type=application/json>{"text": "${SENTENCE}"}</script><p>Hub`).text).toBe('Hub');
  });

  it('is read from a noscript that holds the page, and one that holds a notice is no text', () => {
    expect(documentOf(`<noscript><div>${`<p>${SENTENCE}</p>`.repeat(20)}</div></noscript>`).text).toContain('focused');
    const { text } = documentOf(`<p>${SENTENCE}<noscript>Please enable JavaScript.</noscript><p>More of it.`);
    expect(text).toBe(`${SENTENCE.trim()}\nMore of it.`);
  });

  it('links of a notice count, frames of it are for counting visitors', () => {
    const counter =
      '<noscript><iframe src="http://tags.test/ns.html?id=1" height=0></iframe><a href=plain.html>Text</a></noscript>';
    expect(urlsOf(counter)).toEqual(['http://a.test/dir/plain.html']);
  });

  it('shows the inside of a declarative shadow root, and of no other template', () => {
    const html = `<x-page><template shadowrootmode=open><p>${SENTENCE}<a href=in>in</a></template><p>Light.</x-page><template><p>Row <a href=row>x</a></template>`;
    expect(documentOf(html).text).toBe(`${SENTENCE}in\nLight.`);
    expect(urlsOf(html)).toEqual(['http://a.test/dir/in']);
  });
});

describe('a page within srcdoc', () => {
  const framed = (html: string): string =>
    `<iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;

  it('is part of the page around it: its text stands behind, its links where the frame is', () => {
    const inner = '<title>Inner</title><p>Inner &amp; <a href="in.html" rel="nofollow">in</a><p>More';
    const html = `<p>Before <a href=a.html>a</a>${framed(inner)}<p>After <a href=b.html>b</a>`;
    expect(documentOf(html)).toMatchObject({ title: '', text: 'Before a\nAfter b\nInner & in\nMore' });
    const [, , link] = linksOf(html);
    expect(link).toMatchObject({ url: 'http://a.test/dir/in.html', anchor: 'in', flags: LINK_FLAG.nofollow });
    expect(link!.position).toBeCloseTo(html.indexOf('iframe') / html.length, 3);
  });

  it('is as much of the page as the part in which its frame stands', () => {
    const nav = `<nav>${framed('Menu <div>of <a href=m.html>all</a></div>')}</nav>`;
    expect(documentOf(`<p>${SENTENCE.repeat(2)}</p>${nav}`).text).toBe(SENTENCE.repeat(2).trim());
    expect(linksOf(nav)).toMatchObject([{ anchor: 'all', flags: LINK_FLAG.boilerplate }]);
    expect(documentOf(`<template>${framed('Inner')}</template><p>Text`).text).toBe('Text');
  });

  it('says nothing of the page around it', () => {
    const inner = '<link rel=canonical href=/c><base href=/b/><meta name=robots content=noindex><a href=x>x</a>';
    expect(documentOf(framed(inner))).toMatchObject({ canonical: '', noindex: false });
    expect(urlsOf(framed(inner))).toEqual(['http://a.test/dir/x']);
  });

  it('is read once: not what it frames itself, nor more than twenty of them', () => {
    expect(documentOf(framed(`<p>Outer${framed('<p>Inner')}`)).text).toBe('Outer');
    expect(documentOf(framed('<p>Word').repeat(30)).tokens).toBe(20);
  });

  it('comes beside the address that the frame has for old browsers', () => {
    expect(urlsOf('<iframe src=old.html srcdoc="<a href=new.html>new</a>"></iframe>')).toEqual(
      ['old.html', 'new.html'].map((name) => `http://a.test/dir/${name}`),
    );
  });
});

describe('documents in a page', () => {
  it('shown by object and embed are frames, films and pictures are not', () => {
    const html = `<object data=chart.pdf type=application/pdf><a href=alt.html>alt</a></object><embed src=book.pdf title=Book>
      <object data=a.swf type=application/x-shockwave-flash></object><embed src=b.png type=image/png>`;
    expect(linksOf(html).map(({ url, anchor, flags }) => [url.slice(18), anchor, flags])).toEqual([
      ['chart.pdf', '', LINK_FLAG.frame],
      ['alt.html', 'alt', 0],
      ['book.pdf', 'Book', LINK_FLAG.frame],
    ]);
  });
});
