import { describe, expect, it } from 'vitest';
import { LINK_FLAG } from '../../src/core/index.ts';
import { documentOf, linksOf } from './pages.ts';

const PROSE = `<p>${'A focused crawler fetches pages about given topics and leaves the others alone. '.repeat(5)}</p>`;
const MENU = `<ul>${['Home', 'Products', 'Support', 'Company', 'Careers'].map((name) => `<li><a href=/${name}>${name}</a>`).join('')}</ul>`;

describe('main text', () => {
  it('leaves out navigation, header, footer and asides', () => {
    const html = `<header>Site</header><nav>${MENU}</nav><main>${PROSE}</main><aside>Advert</aside><footer>Imprint</footer>`;
    expect(documentOf(html).text).toMatch(/^A focused crawler[^\n]*alone\.$/);
  });

  it('leaves out long runs of paragraphs that are nothing but links', () => {
    expect(documentOf(`<div>${MENU}</div>${PROSE}`).text).not.toContain('Careers');
  });

  it('keeps a short "see also" and lists of links with explanations', () => {
    const seeAlso = '<p>See also</p><ul><li><a href=/1>Hub</a><li><a href=/2>Authority</a></ul>';
    const explained = `<ul>${[1, 2, 3, 4, 5].map((n) => `<li><a href=/${n}>Paper ${n}</a>: a long account of what is in it`).join('')}</ul>`;
    const { text } = documentOf(PROSE + seeAlso + explained);
    expect(text).toContain('Authority');
    expect(text).toContain('Paper 3: a long account');
  });

  it('is everything when nothing else is left: a hub, or a class name that misleads', () => {
    expect(documentOf(`<div>${MENU}</div>`).text).toContain('Careers');
    expect(documentOf(`<div class=sidebar>${PROSE}</div>`).text).toContain('focused crawler');
  });

  it('keeps a short text beside a little navigation', () => {
    expect(documentOf('<nav>Home</nav><p>A short note about hubs.</p>').text).toBe('A short note about hubs.');
  });

  it('is a short definition below a large menu, or at least none of the menu', () => {
    const definition =
      '<p>An 8-bit microprocessor that was made for embedded use and needs little power; it is still sold today.</p>';
    const large = `<nav>${MENU.repeat(30)}</nav>`;
    expect(documentOf(large + definition).text).toMatch(/^An 8-bit[^\n]*today\.$/);
    const misled = `<div>${MENU.repeat(3)}</div><div class=sidebar>${PROSE}</div><p>Short.</p>`;
    expect(documentOf(misled).text).toContain('focused crawler');
    expect(documentOf(misled).text).not.toContain('Careers');
  });

  it('is not misled by a name: a box in a chapter, a section about searching, a post on navigation', () => {
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

  it('goes by a name where links, or few sentences, agree with it, or the name is sure', () => {
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

  it('is all of the text where that is asked for', () => {
    const html = `<nav>${MENU}</nav><main>${PROSE}</main>`;
    expect(documentOf(html).text).not.toContain('Careers');
    expect(documentOf(html, { options: { mainText: false } }).text).toContain('Careers');
  });

  it('goes on behind an unclosed element of the page proper', () => {
    expect(documentOf(`<div><div><p>one<nav>menu</nav><p>two</div></div></div><p>three`).text).toBe('one\ntwo\nthree');
  });
});
