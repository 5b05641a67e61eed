import { describe, expect, it } from 'vitest';
import { isSavedPage, savedPage } from '../../../src/analyze/convert/saved-page.ts';

const CHROME = `From: <Saved by Blink>
Snapshot-Content-Location: http://b.test/dir/page.html
Subject: =?utf-8?Q?Hubs?=
MIME-Version: 1.0
Content-Type: multipart/related;
	type="text/html";
	boundary="----MultipartBoundary--abc----"


------MultipartBoundary--abc----
Content-Type: text/html
Content-ID: <frame-1@mhtml.blink>
Content-Transfer-Encoding: quoted-printable
Content-Location: http://b.test/dir/page.html

<html><head><meta http-equiv=3D"Content-Type" content=3D"text/html; charse=
t=3DUTF-8"><title>Hubs =E2=80=93 and more</title></head><body><a href=3D"ne=
xt.html">gr=C3=BC=C3=9Fe</a></body></html>
------MultipartBoundary--abc----
Content-Type: text/css
Content-Transfer-Encoding: quoted-printable
Content-Location: cid:css-1@mhtml.blink

body { color: red }
------MultipartBoundary--abc------
`.replaceAll('\n', '\r\n');

function saved(message: string): string {
  return savedPage(Buffer.from(message, 'latin1'));
}

/** A message of parts, each with fields and a body. */
function related(parameters: string, ...parts: readonly (readonly [fields: string, body: string])[]): string {
  const inner = parts.map(([fields, body]) => `--x\n${fields}\n\n${body}\n`).join('');
  return `MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x${parameters}\n\n${inner}--x--\n`;
}

describe('pages that browsers save in one file', () => {
  it('come out as they were, with the address that they were saved from', () => {
    expect(saved(CHROME)).toBe(
      '<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><title>Hubs – and more</title></head>' +
        '<body><a href="next.html">grüße</a></body></html><base href="http://b.test/dir/page.html">',
    );
  });

  it.each([
    [
      'in base64, in an older encoding that the part names',
      related('', [
        'Content-Type: text/html; charset="windows-1251"\nContent-Transfer-Encoding: base64\nContent-Location: file:///C:/x.htm',
        Buffer.from('<p>\xcf\xf0\xe8\xe2\xe5\xf2', 'latin1').toString('base64'),
      ]),
      '<p>Привет',
    ],
    [
      'as it is',
      related('', ['Content-Type: text/html\nContent-Transfer-Encoding: 8bit', '<p>a = b\n--not the end']),
      '<p>a = b\n--not the end',
    ],
    [
      'behind a style sheet',
      related('', ['Content-Type: text/css', 'p {}'], ['Content-Type: text/html', '<p>a']),
      '<p>a',
    ],
    [
      'where another part is named as the page',
      related(
        '; start="<2>"',
        ['Content-Type: text/html', 'frame'],
        ['Content-Type: text/html\nContent-ID: <2>', 'page'],
      ),
      'page',
    ],
    [
      'in one of several forms',
      related('', [
        'Content-Type: multipart/alternative; boundary=y',
        '--y\nContent-Type: text/plain\n\nplain\n--y\nContent-Type: text/html\n\n<p>page\n--y--',
      ]),
      '<p>page',
    ],
    ['cut short', related('', ['Content-Type: text/html', '<p>the beginning']).slice(0, -11), '<p>the begin'],
  ])('%s', (_, message, html) => {
    expect(isSavedPage(message)).toBe(true);
    expect(saved(message)).toBe(html);
  });

  it('that are texts become pages', () => {
    expect(saved(related('', ['', 'A line\n\nand <more>']))).toContain('<p>and &lt;more&gt;</p>');
  });

  it.each([
    related('', ['Content-Type: image/png', 'x']),
    'Content-Type: multipart/related\n\n--x',
    related('; start=a'),
  ])('without a page are damaged: %j', (message) => {
    expect(() => saved(message)).toThrow('a saved page without a page in it');
  });

  it.each([
    'From: me\nTo: you\n\nmultipart/related',
    '<p>Content-Type: multipart/related',
    ' Content-Type: multipart/related',
  ])('are told from texts: %j', (text) => {
    expect(isSavedPage(text)).toBe(false);
  });
});
