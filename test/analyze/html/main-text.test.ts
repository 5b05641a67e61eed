import { describe, expect, it } from 'vitest';
import { LINK_FLAG, mainTextOf } from '../../../src/core/index.ts';
import { documentOf, linksOf } from '../pages.ts';

const PROSE = `<p>${'A focused crawler fetches pages about given topics and leaves the others alone. '.repeat(5)}</p>`;
const MENU = `<ul>${['Home', 'Products', 'Support', 'Company', 'Careers'].map((name) => `<li><a href=/${name}>${name}</a>`).join('')}</ul>`;

describe('main text', () => {
  it('excludes navigation, header, footer and asides', () => {
    const html = `<header>Site</header><nav>${MENU}</nav><main>${PROSE}</main><aside>Advert</aside><footer>Imprint</footer>`;
    expect(documentOf(html).text).toMatch(/^A focused crawler[^\n]*alone\.$/);
  });

  it('excludes long runs of paragraphs that consist of links', () => {
    expect(documentOf(`<div>${MENU}</div>${PROSE}`).text).not.toContain('Careers');
  });

  it('keeps a short "see also" and lists of links with explanations', () => {
    const seeAlso = '<p>See also</p><ul><li><a href=/1>Hub</a><li><a href=/2>Authority</a></ul>';
    const explained = `<ul>${[1, 2, 3, 4, 5].map((n) => `<li><a href=/${n}>Paper ${n}</a>: a long account of what is in it`).join('')}</ul>`;
    const { text } = documentOf(PROSE + seeAlso + explained);
    expect(text).toContain('Authority');
    expect(text).toContain('Paper 3: a long account');
  });

  it('is the whole text if nothing else is left: a hub, or a misleading class name', () => {
    expect(documentOf(`<div>${MENU}</div>`).text).toContain('Careers');
    expect(documentOf(`<div class=sidebar>${PROSE}</div>`).text).toContain('focused crawler');
  });

  it('keeps a short text beside a small navigation', () => {
    expect(documentOf('<nav>Home</nav><p>A short note about hubs.</p>').text).toBe('A short note about hubs.');
  });

  it('is a short definition below a large menu, or at least nothing of the menu', () => {
    const definition =
      '<p>An 8-bit microprocessor that was made for embedded use and needs little power; it is still sold today.</p>';
    const large = `<nav>${MENU.repeat(30)}</nav>`;
    expect(documentOf(large + definition).text).toMatch(/^An 8-bit[^\n]*today\.$/);
    const misled = `<div>${MENU.repeat(3)}</div><div class=sidebar>${PROSE}</div><p>Short.</p>`;
    expect(documentOf(misled).text).toContain('focused crawler');
    expect(documentOf(misled).text).not.toContain('Careers');
  });

  it('ignores a misleading name: a box in a chapter, a section about searching', () => {
    const rest = `<p>${'All prices include the tax of the country that the goods are sent to. '.repeat(3)}</p>`;
    const box = PROSE.replaceAll('crawler', 'boxed crawler');
    for (const misleading of [
      `<div class=main-with-sidebar>${PROSE}</div>`,
      `<div class="post category-ads tag-navigation">${PROSE}</div>`,
      `<div class="section" id="search"><h2>Search</h2><p>Short.</p>${PROSE}</div>`,
      `<section id="pagination"><h2>Pagination</h2><p>A focused crawler has pages.</p></section>`,
      `<div class="chapter-level-extent" id="Menu"><h2>Menu</h2><p>A focused crawler has none.</p></div>`,
      `<div class=overlay>${PROSE}</div>`,
    ])
      expect(documentOf(misleading + rest).text, misleading).toContain('focused crawler');
    expect(documentOf(`${PROSE.repeat(4)}<div class=sidebar>${box}</div>`).text).toContain('boxed crawler');
    expect(linksOf(`${rest}<div id=menu>${PROSE}<a href=/in>in it</a></div>`)[0]?.flags).toBe(0);
  });

  it('follows a class name if links or few sentences agree, or the name is certain', () => {
    const teasers = [1, 2, 3, 4]
      .map((n) => `<h4><a href=/${n}>What a hub looks like from near by, part ${n}</a></h4>${PROSE.slice(0, 100)}</p>`)
      .join('');
    for (const [name, inside] of [
      ['related', teasers],
      ['sidebar', '<p>About me: I write about hubs.</p>'],
      ['site-cookie-notice', PROSE],
      ['cmplz-cookiebanner-container', PROSE],
      ['newsletter', PROSE],
      ['main menu', `<div class=sidebar>${PROSE}</div>`],
    ])
      expect(
        documentOf(`${PROSE.replaceAll('crawler', 'spider').repeat(4)}<div class="${name}">${inside}</div>`).text,
        name,
      ).not.toMatch(/crawler|hub/);
    const [link] = linksOf(`${PROSE}<div class=sidebar><a href=/in>in it</a></div>`);
    expect(link?.flags).toBe(LINK_FLAG.boilerplate);
  });

  it('of an article excludes short paragraphs around it, and single links within it', () => {
    const long = PROSE + PROSE;
    const inner = '<p><a href=/1>Read this, too</a><p>A short one.<ul><li><a href=/2>Hubs</a></ul>';
    const html = `<nav>Home</nav><p>Share<h1>Crawlers</h1><p>By Ada${long}${inner}${long}<p>71 comments<p>Print`;
    expect(documentOf(html).text).toMatch(
      /^Crawlers\nBy Ada\nA focused(?:.|\n)*alone\.\nA short one\.\nHubs\nA focused(?:.|\n)*alone\.$/,
    );
    expect(documentOf(`<nav>Home</nav>${long}<pre>final code</pre>`).text).toContain('final code');
    expect(documentOf(`${long}<p>The end`).text).toContain('The end');
    expect(documentOf('<nav>Home</nav><p>Share<h1>A hub</h1><p><a href=/1>One page</a><p>Print').text).toBe(
      'Share\nA hub\nOne page\nPrint',
    );
  });

  it('excludes headings of excluded parts', () => {
    const part = `<h2>Related</h2>${MENU}`;
    expect(documentOf(`<h2>Hubs</h2>${PROSE}<h2>More</h2><h3>Elsewhere</h3>${MENU}`).text).toMatch(
      /^Hubs\n[^\n]*alone\.$/,
    );
    expect(documentOf(`${PROSE}${part}<p>A closing word.`).text).toContain('Related\nA closing word.');
    expect(documentOf(`${PROSE}<h2>Nothing yet</h2>`).text).toContain('Nothing yet');
  });

  it('excludes forms, unless they hold the text of the page', () => {
    const field = '<form><label>Your name</label><input><p>We never show it.</form>';
    expect(documentOf(PROSE + field).text).toMatch(/^A focused[^\n]*alone\.$/);
    expect(documentOf(`<form id=aspnetForm><h1>Hubs</h1>${PROSE}</form>`).text).toMatch(/^Hubs\nA focused/);
  });

  it("excludes rows of links that are not a list, and keeps a paper's authors", () => {
    const names = ['Boats', 'Sails', 'Ropes', 'Anchors', 'Compasses'];
    const row = names.map((name) => `<a href=/${name}>${name}</a>`);
    const { text } = documentOf(`<div>${row.join('')}</div>${PROSE}<div>${row.join(' ').repeat(9)}</div>`);
    expect(text).toMatch(/^A focused crawler[^\n]*alone\.$/);
    expect(documentOf(`<p>By ${row.join(', ')}</p>${PROSE}`).text).toContain('Boats, Sails, Ropes');
  });

  it('separates adjacent links, except in scripts without blanks', () => {
    const html = `${PROSE}<p>See <a href=/1>hubs</a><a href=/2>authorities</a>, <a href=/3>東京</a><a href=/4>大学</a>.`;
    expect(documentOf(html).text).toContain('See hubs authorities, 東京大学.');
    expect(linksOf(html)[0]?.context).toMatch(/See … authorities/);
  });

  it('excludes buttons, except in headings', () => {
    const html = `<h2><button>What is a hub?</button></h2>${PROSE}<div><button>Share</button><button>Copy link</button></div><table><th><button>Port</button><td>Dover</table>`;
    expect(documentOf(html).text).toMatch(/^What is a hub\?\nA focused[^\n]*alone\.\nPort\nDover$/);
  });

  it('excludes links that only lead to the text, and commands in brackets', () => {
    const edit = '<span>[<a href=/e>edit</a> | <a href=/s>edit source</a>]</span>';
    const html = `<a href=#main>Skip to content</a><h2>Hubs</h2>${edit}<p><a href=#note>1</a> a note${PROSE}`;
    expect(documentOf(html).text).toMatch(/^Hubs\n1 a note\nA focused[^\n]*alone\.$/);
  });

  it.each([
    ['<p hidden>gone</p>kept', 'kept'],
    ['<p style="color: red; DISPLAY : none">gone</p>kept', 'kept'],
    ['a <span hidden>gone <span>gone</span> gone</span>b', 'a b'],
    ['un<b style="display:none">gone</b>like', 'unlike'],
    ['a <a hidden href=/1>gone</a> b <a href=/2>c</a>', 'a b c'],
    ['<ul><li hidden>gone<ul><li>gone</li></ul>gone</li><li>kept</ul>', 'kept'],
    ['<dl><dt hidden>gone<dd hidden>gone<dt>kept<dd>kept</dl>', 'kept\nkept'],
    ['<table><tr><td hidden>gone<td>kept<tr hidden><td>gone<tr><td>kept</table>', 'kept\nkept'],
    ['<table><tr><td>kept<tbody hidden><tr><td>gone<tr><td>gone<tbody><tr><td>kept</table>', 'kept\nkept'],
    [
      '<table><caption hidden>gone</caption><thead hidden><tr><th>gone<tbody><tr><td>kept<tfoot><tr><td>kept</table>',
      'kept\nkept',
    ],
    ['<details hidden>gone</details><fieldset hidden><legend>gone</legend>gone</fieldset><center>kept', 'kept'],
    ['<blockquote hidden>gone<blockquote>gone</blockquote>gone</blockquote>kept', 'kept'],
    ['<h2 hidden>gone</h2>kept<article hidden><p>gone</article>kept', 'kept\nkept'],
    ['<p aria-hidden=true>kept</p><p hidden=until-found>kept', 'kept\nkept'],
    ['kept <span hidden>gone<div>gone<p>gone</div>gone <span>gone</span> gone</span> kept', 'kept\nkept'],
    ['<a hidden href=/1><div>gone</div></a>kept', 'kept'],
    ['<ul><li>kept <b style="display: none"><ul><li>gone<li>gone</ul>gone</b><li>kept</ul>', 'kept\nkept'],
    ['<span hidden><table><tr><td>gone<tr><td>gone</table></span><table><tr><td>kept</table>', 'kept'],
    ['<span hidden><h2>gone</h2><i><p>gone</i>gone</span>kept', 'kept'],
  ])('leaves out what is not shown: %s', (html, text) => {
    expect(documentOf(`${PROSE}${html}`).text.split('\n').slice(1).join('\n')).toBe(text);
  });

  it.each([
    ['<p hidden>gone<p>kept', 'kept'],
    ['<p hidden>gone<div>kept</div>kept', 'kept\nkept'],
    ['<div><p hidden>gone</div>kept', 'kept'],
    ['<p>kept <span hidden>gone<p>kept</p>kept', 'kept\nkept\nkept'],
    ['<div>kept <b hidden>gone</div>kept', 'kept\nkept'],
    ['<div>kept <b hidden>gone<p>gone<section>gone</div>kept', 'kept\nkept'],
    ['<ul><li>kept <b hidden>gone<p>gone</li>kept</ul>kept', 'kept\nkept\nkept'],
    ['<ul><li>kept <b hidden>gone<li>kept</ul>', 'kept\nkept'],
    ['<table><tr><td>kept <b hidden>gone<td>kept</table>', 'kept\nkept'],
    ['<a hidden href=/1><div>gone</div><a href=/2>kept</a> kept', 'kept kept'],
    ['<a hidden href=/1>gone<a href=/2>kept</a> kept', 'kept kept'],
    ['<h2 hidden>gone</h3>kept', 'kept'],
    ['<ul><li hidden>gone<li>kept</ul>kept', 'kept\nkept'],
  ])('shows what follows something hidden that was left open: %s', (html, text) => {
    expect(documentOf(`${PROSE}${html}`).text.split('\n').slice(1).join('\n')).toBe(text);
  });

  it('includes hidden text that scripts show later, if the page has no other text', () => {
    expect(documentOf(`<p>Loading<main style="display:none">${PROSE}</main>`).text).toContain('focused crawler');
  });

  it('excludes the permalink sign of a heading from title, text and contexts', () => {
    for (const mark of ['¶', '#', '§', '🔗', ' &para;', '\u00b6\ufe0f']) {
      const html = `<h1>Hubs<a href="#hubs">${mark}</a></h1>${PROSE}<h2><a href="page.html#two">${mark}</a> Two</h2><p>See <a href=/3>three</a>`;
      const { title, text } = documentOf(html);
      expect([title, text.split('\n')[0], text.split('\n').at(-2)], mark).toEqual(['Hubs', 'Hubs', 'Two']);
      expect(linksOf(html).at(-1)?.context).toMatch(/alone\. Two See …$/);
    }
    expect(documentOf(`<h1>C</h1>${PROSE}<p><a href="#a">C#</a>, <a href=/b>#</a>, § 3`).text).toMatch(/\nC#, #, § 3$/);
  });

  it("excludes a wiki's link to edit a section", () => {
    const edit = '<span class="mw-editsection"><span>[</span><a href=/edit>edit</a><span>]</span></span>';
    const html = `<h2>Hubs${edit}</h2>${PROSE}<p>See <a href=/1>more</a>`;
    expect(documentOf(html).text).toMatch(/^Hubs\nA focused/);
    expect(linksOf(html).map(({ flags }) => flags)).toEqual([LINK_FLAG.boilerplate, 0]);
  });

  it('recognises custom elements by their names', () => {
    const html = `<site-menu><a href=/1>Boats</a></site-menu><amp-consent><p>We use cookies.</p></amp-consent><main-text>${PROSE}</main-text><x-time>now</x-time><site-footer>Imprint</site-footer>`;
    expect(documentOf(html).text).toMatch(/^A focused[^\n]*alone\.\nnow$/);
  });

  it('excludes pronunciation marks, which would split words', () => {
    const words = '<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</ruby><ruby>都<rt>と</rt></ruby>の話';
    expect(documentOf(`<p>${words}`).text).toBe('東京都の話');
  });

  it('excludes the source of formulas', () => {
    const formula = String.raw`<math><semantics><mi>x</mi><mo>=</mo><mn>2</mn><annotation encoding="application/x-tex">{\displaystyle x=2}</annotation></semantics></math>`;
    expect(documentOf(`<p>Where ${formula} holds.`).text).toBe('Where x=2 holds.');
  });

  it('is the whole text if the caller asks for it', () => {
    const html = `<nav>${MENU}</nav><main>${PROSE}</main>`;
    expect(documentOf(html).text).not.toContain('Careers');
    expect(documentOf(html, { options: { mainText: false } }).text).toContain('Careers');
  });

  it('continues after an unclosed element of the content', () => {
    expect(documentOf(`<div><div><p>one<nav>menu</nav><p>two</div></div></div><p>three`).text).toBe('one\ntwo\nthree');
  });
});

describe('main parts and articles', () => {
  const ARTICLE = `<article><h1>Gears</h1>${PROSE}</article>`;
  const OTHER = `<div class="other"><p>${'Advertiser disclosure: offers on this site are from companies that pay for them. '.repeat(6)}</p></div>`;

  it.each([
    ['div class="sticky-banner"', 'main'],
    ['div class="cookie-recipes"', 'article'],
    ['div id="newsletter"', 'article'],
    ['div role="dialog"', 'article'],
    ['aside class="sidebar"', 'article'],
    ['footer', 'main'],
    ['my-banner', 'article'],
    ['div class="sidebar"', 'main'],
  ])('outweigh what is around them: <%s><%s>', (wrapper, tag) => {
    const part = `<${tag}><h1>Gears</h1>${PROSE}</${tag}>`;
    expect(documentOf(`<${wrapper}>${part}</${wrapper.split(' ')[0]}>${OTHER}`).text).toContain('A focused crawler');
  });

  it.each(['above-footer', 'before-nav', 'below-banner'])('class %s does not mark a main part', (name) => {
    expect(documentOf(`<div class="${name}">${PROSE}</div>${OTHER}`).text).toContain('A focused crawler');
  });

  it('exclude hidden articles', () => {
    expect(documentOf(`<div hidden>${ARTICLE}</div>${OTHER}`).text).not.toContain('A focused crawler');
    expect(documentOf(`<div class="banner" style="display:none">${ARTICLE}</div>${OTHER}`).text).not.toContain(
      'A focused crawler',
    );
  });

  it('exclude teasers in an aside', () => {
    const teaser = '<article><h3><a href=/x>Another page</a></h3><p>A few words on it.</p></article>';
    expect(documentOf(`<main>${PROSE}</main><aside>${teaser.repeat(6)}</aside>`).text).not.toContain('A few words');
  });
});

describe('what stands beside the main text', () => {
  const beside = (html: string): string => mainTextOf(documentOf(PROSE + html));

  it('is in the text, but not in the main text: captions, bylines, comments', () => {
    const html =
      '<figure><img src=a.png><figcaption>A spider on its web</figcaption></figure><div class="entry-meta">Ada Byron wrote this</div><p><span class="photo-credit">Somebody</span></p><div class="comment-list-item">A reader says so.</div>';
    expect(documentOf(PROSE + html).text).toContain('A spider on its web\nAda Byron wrote this\nSomebody\nA reader');
    expect(beside(html)).toBe(mainTextOf(documentOf(PROSE)));
  });

  it('is not a table or code in a figure', () => {
    const html = `<figure class="block-table"><table><tr><th>Year<th>Pages<tr><td>1999<td>12</table></figure>${PROSE}`;
    expect(beside(html)).toContain('Year\nPages\n1999\n12');
  });

  it('is not a part with much of the prose, whatever its name', () => {
    expect(beside(`<div class="comment-body">${PROSE}${PROSE}</div>`).match(/A focused/g)).toHaveLength(15);
  });

  it('is a remark by its first words, or a date alone', () => {
    const html =
      '<p>Photo: Ada Byron</p><p>Lesen Sie auch: noch ein Text</p><p>12. Mai 2021</p><p>Datum und Uhrzeit.</p>';
    expect(beside(html)).toMatch(/\nDatum und Uhrzeit\.$/);
    expect(beside(html)).not.toMatch(/Photo|Lesen|2021/);
  });

  it('is all that follows a heading of related articles after the text', () => {
    expect(beside('<h3>Related articles</h3><h4>One</h4><p>About one of the others.</p>')).not.toMatch(
      /Related|One|others\.$/,
    );
    expect(mainTextOf(documentOf(`<h3>Comments</h3>${PROSE}`))).toContain('Comments');
  });
});
