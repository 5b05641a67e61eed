import { describe, expect, test } from 'vitest';
import { packDocument, unpackDocument } from '../../../src/core/index.ts';
import { chunksOf, joinedMarkdown, type MarkedParagraph, markedParagraphs } from '../../../src/postprocess/index.ts';
import { documentOf } from '../../analyze/pages.ts';

const URL_OF_PAGE = 'http://a.test/dir/page.html';
const PROSE = 'A paragraph that is long enough to be read as the text of the page, and not as navigation of some kind.';

/** Analyses, packs, unpacks and writes a page. */
function paragraphsOf(body: string): readonly MarkedParagraph[] {
  const document = documentOf(`<html><body><main>${body}</main></body></html>`);
  return markedParagraphs({ ...unpackDocument(document, packDocument(document).content), url: URL_OF_PAGE });
}
const markdownOf = (body: string): string => joinedMarkdown(paragraphsOf(body));

describe('Markdown of a page', () => {
  test('keeps headings, lists, quotations, links and images', () => {
    const body = `<h1>Hubs &amp; spokes</h1><p>${PROSE} See <a href="/hub">the hub</a>, or not.</p>
      <ul><li>one<ul><li>deep</li></ul></li><li>two <a href="two.html">links</a></li></ul><ol><li>first</li><li>second</li></ol>
      <h2>Next</h2><img src="a (1).png" alt="A *hub*"><blockquote><p>Said.</p></blockquote><p>${PROSE}</p>`;
    expect(markdownOf(body)).toBe(`# Hubs & spokes

${PROSE} See [the hub](http://a.test/hub), or not.

- one
  - deep
- two [links](http://a.test/dir/two.html)
1. first
2. second

## Next

![A \\*hub\\*](http://a.test/dir/a%20%281%29.png)

> Said.

${PROSE}`);
  });

  test('leaves out what stands beside the main text', () => {
    const caption = '<figure><img src=a.png alt=hub><figcaption>A picture</figcaption></figure>';
    expect(markdownOf(`<p>${PROSE}</p>${caption}`)).toBe(`${PROSE}\n\n![hub](http://a.test/dir/a.png)`);
  });

  test('keeps line breaks and indentation of source code', () => {
    const code = 'if (a &lt; b) {\n  <b>run</b>();\n\n  // ``` done\n}';
    expect(markdownOf(`<p>${PROSE}</p><pre><code>${code}</code></pre><p>${PROSE}</p>`)).toBe(
      `${PROSE}\n\n\`\`\`\`\nif (a < b) {\n  run();\n\n  // \`\`\` done\n}\n\`\`\`\`\n\n${PROSE}`,
    );
  });

  test('keeps tables of data with empty cells, and not tables that only lay out a page', () => {
    const table =
      '<table><tr><th>Name</th><th>Teeth</th></tr><tr><td></td><td>42</td></tr><tr><td>a|b</td></tr></table>';
    expect(markdownOf(`<p>${PROSE}</p>${table}`)).toBe(
      `${PROSE}\n\n| Name | Teeth |\n| --- | --- |\n|  | 42 |\n| a\\|b |  |`,
    );
    const laidOut = `<table><tr><td><p>${PROSE}</p><p>${PROSE}</p></td><td>aside</td></tr><tr><td>x</td><td>y</td></tr></table>`;
    expect(markdownOf(laidOut)).toBe(`${PROSE}\n\n${PROSE}\n\naside\n\nx\n\ny`);
  });

  test('lets no text of the page become markup', () => {
    expect(markdownOf(`<p>${PROSE}</p><p># not a heading</p><p>- no item</p><p>1. no number</p>`)).toBe(
      `${PROSE}\n\n\\# not a heading\n\n\\- no item\n\n1\\. no number`,
    );
    expect(markdownOf(`<p>${PROSE} &lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:1) *y*</p>`)).toContain(
      '\\<script\\>alert(1)\\</script\\> \\[x\\](javascript:1) \\*y\\*',
    );
    const evil = '<p><img alt="a" src="javascript:alert(1)"><a href="http://b.test/)\n[x](y">go</a></p>';
    expect(markdownOf(`${evil}<p>${PROSE}</p>`)).toContain('![a]()');
  });

  test('survives unclosed, nested and hostile markup', () => {
    expect(markdownOf(`</ul></blockquote><li>x<h2>y<td>z<pre>code<p>${PROSE}`)).toContain('long enough');
    const start = performance.now();
    markdownOf('<ul><li>'.repeat(3_000) + '<blockquote>'.repeat(3_000) + '<pre>'.repeat(3_000));
    markdownOf(`<pre>${'<'.repeat(200_000)}</pre>`.repeat(3) + '<img alt=x src=y>'.repeat(20_000));
    markdownOf('<tr><td>x'.repeat(20_000));
    markdownOf('<p><a href=/x>y</a> z</p>'.repeat(5_000));
    expect(performance.now() - start).toBeLessThan(8_000);
  });
});

describe('paragraph ids', () => {
  test('stay the same if other paragraphs change, and are distinct', () => {
    const ids = (body: string): string[] => paragraphsOf(body).map(({ id }) => id);
    const [first, second, third] = ids(`<p>${PROSE} one</p><p>${PROSE} two</p><p>${PROSE} one</p>`);
    expect(ids(`<p>New: ${PROSE}</p><p>${PROSE} two</p>`)[1]).toBe(second);
    expect(third).toBe(`${first}-2`);
  });
});

describe('chunks', () => {
  const page = {
    ...{ finalUrl: URL_OF_PAGE, title: 'Hubs', topic: 'bikes', language: 'en', fetchedAt: Date.parse('2026-11-27') },
    bibliography: { authors: ['Ada Byron'], published: '2024', sources: {} },
  };
  const body = `<h1>Hubs</h1><p>${PROSE} 1</p><p>${PROSE} 2</p><h2>Front</h2><p>${PROSE} 3</p><h2>Rear</h2><p>${PROSE} 4</p>`;

  test('keep to their size, begin at headings, and name what leads back', () => {
    const chunks = chunksOf(page, paragraphsOf(body), { size: 200, overlap: 0 });
    expect(chunks.map(({ headings }) => headings)).toEqual([['Hubs'], ['Hubs'], ['Hubs', 'Front'], ['Hubs', 'Rear']]);
    expect(chunks.every(({ text }) => text.length <= 200)).toBe(true);
    expect(chunks.map(({ text }) => text).join('\n\n')).toBe(markdownOf(body));
    expect(chunks[1]).toMatchObject({
      ...{ url: URL_OF_PAGE, authors: ['Ada Byron'], published: '2024', fetchedAt: '2026-11-27T00:00:00.000Z' },
      citation: `Hubs. Ada Byron. 2024. ${URL_OF_PAGE}`,
      link: `${URL_OF_PAGE}#:~:text=A%20paragraph%20that%20is%20long%20enough%20to%20be`,
    });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(4);
  });

  test('repeat whole paragraphs of the one before, but not under another heading', () => {
    const chunks = chunksOf(page, paragraphsOf(body), { size: 215, overlap: 120 });
    const texts = chunks.map(({ text }) => text.match(/\d$/gm) ?? []);
    expect(texts).toEqual([['1'], ['1', '2'], ['3'], ['4']]);
  });

  test('keep their ids if another part of the page changes', () => {
    const ids = (html: string): string[] =>
      chunksOf(page, paragraphsOf(html), { size: 200, overlap: 0 }).map(({ id }) => id);
    const changed = ids(body.replace('2</p>', '2, revised</p>'));
    expect(ids(body).map((id) => changed.includes(id))).toEqual([true, false, true, true]);
  });
});
