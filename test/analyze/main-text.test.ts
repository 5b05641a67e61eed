import { describe, expect, it } from 'vitest';
import { documentOf } from './pages.ts';

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

  it('is all of the text where that is asked for', () => {
    const html = `<nav>${MENU}</nav><main>${PROSE}</main>`;
    expect(documentOf(html).text).not.toContain('Careers');
    expect(documentOf(html, { options: { mainText: false } }).text).toContain('Careers');
  });

  it('goes on behind an unclosed element of the page proper', () => {
    expect(documentOf(`<div><div><p>one<nav>menu</nav><p>two</div></div></div><p>three`).text).toBe('one\ntwo\nthree');
  });
});
