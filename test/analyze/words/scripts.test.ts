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
