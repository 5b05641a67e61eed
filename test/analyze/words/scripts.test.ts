import { describe, expect, it } from 'vitest';
import { LINK_FLAG } from '../../../src/core/index.ts';
import { documentOf, linksOf, urlsOf } from '../pages.ts';

const SENTENCE = 'A focused crawler fetches pages about given topics and leaves the others alone. ';
const NOTICE = '<noscript>You need to enable JavaScript to run this app.</noscript>';
const SHELL = `<title>Guide</title>${NOTICE}<div id=root>Loading…</div>`;

describe('a page that scripts fill', () => {
  const data = (value: unknown): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

  it('has the text of its structured data, or its description', () => {
    const article = { '@graph': [{ '@type': 'WebSite' }, { '@type': 'Article', articleBody: `${SENTENCE}A &amp; B` }] };
    expect(documentOf(data(article) + SHELL).text).toBe(`Loading…\n${SENTENCE}A & B`);
    const post = { '@type': 'DiscussionForumPosting', text: `<p>${SENTENCE}</p>` };
    expect(documentOf(data(post) + SHELL).text).toBe(`Loading…\n${SENTENCE.trim()}`);
    const film = { '@type': 'Movie', name: 'Hubs', description: `${SENTENCE}&amp; C` };
    expect(documentOf(`<meta name=description content=Films>${data(film)}${SHELL}`).text).toBe(
      `Loading…\n${SENTENCE}& C`,
    );
    for (const [before, behind] of [
      ['<!--', '-->'],
      ['//<![CDATA[\n', '\n//]]>'],
      ['/* <![CDATA[ */', '/* ]]> */'],
    ])
      expect(documentOf(data(article).replace('{', `${before}{`).replace('</', `${behind}</`)).text).toContain('A & B');
    const description = `<meta name=description content="What hubs are for.">`;
    expect(documentOf(description + data({ text: 'Short' }) + SHELL).text).toBe('Loading…\nWhat hubs are for.');
    expect(documentOf(`${description}<script type="application/ld+json">{"text": </script>${SHELL}`).text).toContain(
      'What hubs are for.',
    );
  });

  it('differs from another page of its site by that text', () => {
    const page = (name: string) => documentOf(`<meta name=description content="All about ${name}.">${NOTICE}`);
    expect(page('hubs').contentHash).not.toBe(page('authorities').contentHash);
  });

  it('keeps its visible text if that is enough', () => {
    const shown = `<p>${SENTENCE.repeat(2)}</p>`;
    const { text } = documentOf(
      `<meta name=description content="${'x'.repeat(500)}">${data({ text: 'y'.repeat(500) })}${shown}`,
    );
    expect(text).toBe(SENTENCE.repeat(2).trim());
    expect(documentOf('<meta name=description content=Hubs.><p>Longer than that.').text).toBe('Longer than that.');
  });

  it('ignores data of other kinds, and broken, deep or endless data', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    for (const inside of [deep, 'null', '"text"', '{"text": 5}', `{"name": "${SENTENCE}"}`])
      expect(documentOf(`<script type=application/ld+json>${inside}</script><p>Hub`).text).toBe('Hub');
    expect(documentOf(`<script type=application/json>{"text": "${SENTENCE}"}</script><p>Hub`).text).toBe('Hub');
  });

  describe('has its description, then the longest passage of its script data:', () => {
    const json = (value: unknown, attributes = ''): string =>
      `<script type="application/json" ${attributes}>${JSON.stringify(value)}</script>`;
    const BODY = SENTENCE.repeat(4).trim();
    const post = { title: 'Crawlers', slug: 'crawlers', body: `<p>${BODY}</p>`, author: { bio: 'Writes.' } };
    const tree = (value: string) => ({ nodeType: 'paragraph', content: [{ nodeType: 'text', value, marks: [] }] });
    const data = { data: post, meta: { count: 3 } };
    const flat = [['Reactive', 1], { data: 2, state: 5 }, { body: 3, title: 4 }, BODY, 'Crawlers', {}];
    const after = ';(function(){document.currentScript.remove()}())';

    it.each([
      ['Next', json({ props: { pageProps: { post } }, page: '/[slug]' }, 'id="__NEXT_DATA__"')],
      ['texts as trees', json({ page: { content: [tree(SENTENCE.repeat(2)), tree(`&amp; ${SENTENCE.repeat(2)}`)] } })],
      ['Nuxt', json(flat, 'id="__NUXT_DATA__"')],
      ['SvelteKit', json({ status: 200, body: JSON.stringify(data) }, 'data-sveltekit-fetched')],
      [
        'Vue',
        `<script>window.__INITIAL_STATE__={"a":undefined,"post":{"content":${JSON.stringify(`\\{${BODY}`)}}}${after}</script>`,
      ],
      ['Apollo', `<script>window["__APOLLO_STATE__"] = ${JSON.stringify({ 'Post:1': { bodyText: BODY } })}</script>`],
      [
        'JSON in a string',
        `<script>window.__INITIAL_STATE__ = JSON.parse(${JSON.stringify(JSON.stringify({ post }))});${after}</script>`,
      ],
      [
        'JSON in a string of other signs',
        `<script>window.__STATE__=JSON.parse('{"a":"it\\'s \\x41\\u0042","post":${JSON.stringify(post).replaceAll('<', '\\u003C')}}')</script>`,
      ],
      ['Inertia', `<div id=app data-page="${JSON.stringify({ props: post }).replaceAll('"', '&quot;')}"></div>`],
    ])('%s', (_, html) => {
      const { text } = documentOf(`<meta name=description content="What crawlers do.">${SHELL}${html}`);
      expect(text).toMatch(/^Loading…\nWhat crawlers do\. /);
      expect(text.split('A focused crawler').length - 1).toBe(4);
    });

    it('not what is shown', () => {
      expect(documentOf(`<p>${SENTENCE.repeat(2)}${json(post)}`).text).toBe(SENTENCE.repeat(2).trim());
    });

    it('replaces navigation and footer if it is longer', () => {
      const around = `<nav>Home</nav><footer><p>Example Corporation, ${'registered in England and Wales '.repeat(5)}</p></footer>`;
      expect(documentOf(`${around}${SHELL}${json(post)}`).text).toBe(`Loading…\n${BODY}`);
      expect(documentOf(`${around}${SHELL}${json({ body: BODY.slice(0, 80) })}`).text).toContain('Example Corporation');
    });

    it.each([
      ['phrases of the program', { i18n: { en: { cookie_text: BODY } }, messages: { text: BODY } }],
      [
        'parts that are not the page',
        { footer: { body: BODY }, relatedPosts: { related: [{ body: BODY }] }, nav: { text: BODY } },
      ],
      ['other values', { context: BODY, style: BODY, 0: BODY }],
      ['style sheets', { content: '.a{color:red;margin:0 auto} '.repeat(20) }],
      ['programs', { html: 'if (a < b) { return c; } '.repeat(20) }],
      ['packed bytes', { body: 'QmluZ28gcmVhZHM'.repeat(40) }],
      ['addresses', { text: 'https://a.test/images/one.jpg, '.repeat(20) }],
      ['labels', { text: 'Read more', summary: 'In short.' }],
    ])('ignores %s', (_, value) => {
      expect(documentOf(`${SHELL}${json(value)}`).text).toBe('Loading…');
    });

    it('up to 20,000 characters', () => {
      expect(documentOf(`${SHELL}${json({ body: SENTENCE.repeat(2_000) })}`).text.length).toBeLessThan(20_050);
    });
  });

  it('is read from a noscript with the page; a noscript with a notice is not text', () => {
    expect(documentOf(`<noscript><div>${`<p>${SENTENCE}</p>`.repeat(20)}</div></noscript>`).text).toContain('focused');
    const { text } = documentOf(`<p>${SENTENCE}<noscript>Please enable JavaScript.</noscript><p>More of it.`);
    expect(text).toBe(`${SENTENCE.trim()}\nMore of it.`);
  });

  it('keeps links of a noscript notice, and ignores its tracking frames', () => {
    const counter =
      '<noscript><iframe src="http://tags.test/ns.html?id=1" height=0></iframe><a href=plain.html>Text</a></noscript>';
    expect(urlsOf(counter)).toEqual(['http://a.test/dir/plain.html']);
  });

  it('shows the contents of a declarative shadow root, and of no other template', () => {
    const html = `<x-page><template shadowrootmode=open><p>${SENTENCE}<a href=in>in</a></template><p>Light.</x-page><template><p>Row <a href=row>x</a></template>`;
    expect(documentOf(html).text).toBe(`${SENTENCE}in\nLight.`);
    expect(urlsOf(html)).toEqual(['http://a.test/dir/in']);
  });
});

describe('a page within srcdoc', () => {
  const framed = (html: string): string =>
    `<iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;

  it('belongs to the page around it: its text at the end, its links at the frame', () => {
    const inner = '<title>Inner</title><p>Inner &amp; <a href="in.html" rel="nofollow">in</a><p>More';
    const html = `<p>Before <a href=a.html>a</a>${framed(inner)}<p>After <a href=b.html>b</a>`;
    expect(documentOf(html)).toMatchObject({ title: '', text: 'Before a\nAfter b\nInner & in\nMore' });
    const [, , link] = linksOf(html);
    expect(link).toMatchObject({ url: 'http://a.test/dir/in.html', anchor: 'in', flags: LINK_FLAG.nofollow });
    expect(link!.position).toBeCloseTo(html.indexOf('iframe') / html.length, 3);
  });

  it('has the same main-text status as the part of the page with its frame', () => {
    const nav = `<nav>${framed('Menu <div>of <a href=m.html>all</a></div>')}</nav>`;
    expect(documentOf(`<p>${SENTENCE.repeat(2)}</p>${nav}`).text).toBe(SENTENCE.repeat(2).trim());
    expect(linksOf(nav)).toMatchObject([{ anchor: 'all', flags: LINK_FLAG.boilerplate }]);
    expect(documentOf(`<template>${framed('Inner')}</template><p>Text`).text).toBe('Text');
  });

  it('does not set metadata of the page around it', () => {
    const inner = '<link rel=canonical href=/c><base href=/b/><meta name=robots content=noindex><a href=x>x</a>';
    expect(documentOf(framed(inner))).toMatchObject({ canonical: '', noindex: false });
    expect(urlsOf(framed(inner))).toEqual(['http://a.test/dir/x']);
  });

  it('is read once, without its own frames, and at most twenty times per page', () => {
    expect(documentOf(framed(`<p>Outer${framed('<p>Inner')}`)).text).toBe('Outer');
    expect(documentOf(framed('<p>Word').repeat(30)).tokens).toBe(20);
  });

  it('is read beside the fallback URL of the frame', () => {
    expect(urlsOf('<iframe src=old.html srcdoc="<a href=new.html>new</a>"></iframe>')).toEqual(
      ['old.html', 'new.html'].map((name) => `http://a.test/dir/${name}`),
    );
  });
});

describe('documents in a page', () => {
  it('objects and embeds are frames; films and pictures are not', () => {
    const html = `<object data=chart.pdf type=application/pdf><a href=alt.html>alt</a></object><embed src=book.pdf title=Book>
      <object data=a.swf type=application/x-shockwave-flash></object><embed src=b.png type=image/png>`;
    expect(linksOf(html).map(({ url, anchor, flags }) => [url.slice(18), anchor, flags])).toEqual([
      ['chart.pdf', '', LINK_FLAG.frame],
      ['alt.html', 'alt', 0],
      ['book.pdf', 'Book', LINK_FLAG.frame],
    ]);
  });
});
