import { describe, expect, it } from 'vitest';
import { isMessage } from '../../src/analyze/signatures.ts';
import { pageOfMessage } from '../../src/convert/message.ts';

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
  return pageOfMessage(Buffer.from(message, 'latin1'));
}

/** A message of parts, each with fields and a body. */
function related(parameters: string, ...parts: readonly (readonly [fields: string, body: string])[]): string {
  const inner = parts.map(([fields, body]) => `--x\n${fields}\n\n${body}\n`).join('');
  return `MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x${parameters}\n\n${inner}--x--\n`;
}

describe('pages that browsers save in one file', () => {
  it('are restored, with their original URL', () => {
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
    expect(isMessage(message, '')).toBe(true);
    expect(saved(message)).toBe(html);
  });

  it('become pages if they are texts', () => {
    expect(saved(related('', ['', 'A line\n\nand <more>']))).toContain('<p>and &lt;more&gt;</p>');
  });

  it.each([
    related('', ['Content-Type: image/png', 'x']),
    'Content-Type: multipart/related\n\n--x',
    related('; start=a'),
  ])('without a page are damaged: %j', (message) => {
    expect(() => saved(message)).toThrow('a saved page or a mail without a text in it');
  });

  it.each([
    'From: me\nTo: you\n\nmultipart/related',
    '<p>Content-Type: multipart/related',
    ' Content-Type: multipart/related',
  ])('are not mistaken for mails: %j', (text) => {
    expect(isMessage(text, '')).toBe(false);
  });
});

describe('mails', () => {
  it.each([
    [
      'a text, called by its subject, which may be in pieces',
      'Delivered-To: a@b.test\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe_?=\n =?UTF-8?B?YXVz?= Rom\n\nA line\n\nand <more>\n',
      ['<title>Grüße aus Rom</title>', '<p>A line</p>', '<p>and &lt;more&gt;</p>'],
    ],
    ['a text without a subject, called by its first line', 'From: a@b.test\n\nA line\n', ['<title>A line</title>']],
    [
      'a page rather than a text, and nothing that is attached',
      `Subject: News
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/html
Content-Disposition: attachment; filename="a.html"

<p>attached
--x
Content-Type: multipart/alternative; boundary=y

--y

plain
--y
Content-Type: text/html

<p>page <a href="http://b.test/">b</a>
--y--
--x--
`,
      ['<p>page <a href="http://b.test/">b</a><title>News</title>'],
    ],
  ])('are %s', (_, message, parts) => {
    expect(isMessage(message, 'message/rfc822')).toBe(true);
    for (const part of parts) expect(saved(message)).toContain(part);
    expect(saved(message)).not.toContain('attached');
  });

  it('that report a failed delivery keep its reason', () => {
    const report =
      'Content-Type: multipart/report; boundary=x\n\n--x\nContent-Type: message/delivery-status\n\nMailbox full\n--x--\n';
    expect(saved(report)).toContain('<p>Mailbox full</p>');
  });

  it('are recognised by their media type, or by fields that only mail programs write', () => {
    expect(isMessage('Subject: News\n\nA line', 'text/plain')).toBe(false);
    expect(isMessage('Received: by b.test\nMessage-ID: <1@b.test>\n\nA line', 'text/plain')).toBe(true);
    expect(isMessage('Received: by b.test\nReceived: by c.test\n\nMessage-ID: <1@b.test>', 'text/plain')).toBe(false);
    expect(isMessage('A line', 'message/rfc822')).toBe(false);
  });
});

describe('a mail', () => {
  const MAIL = 'From: a@b.test\nSubject: Gears\n\nThey turn, see https://c.test/x for more.\n';

  it.each([
    ['a byte order mark', '\xef\xbb\xbf'],
    ['empty lines', '\r\n \n'],
    ['the line of a mailbox', 'From a@b.test Mon Jan  1 10:00:00 2024\n'],
    ['such a line that was quoted, behind a mark', '\xef\xbb\xbf\n>From a@b.test Mon Jan  1 10:00:00 2024\r\n'],
    ['a long name of a field', `X-${'a'.repeat(200)}: b\n`],
    ['a field with signs in its name', 'X_a.b/c: d\n'],
    ['a field without a blank', 'Return-Path:<a@b.test>\n'],
    ['a blank before the colon', 'Received : by b\n'],
  ])('may begin with %s', (_, before) => {
    expect(isMessage(before + MAIL, 'message/rfc822')).toBe(true);
    const page = pageOfMessage(Buffer.from(before + MAIL, 'latin1'));
    expect(page).toContain('<title>Gears</title>');
    expect(page).toContain('They turn');
    expect(page).toContain('href="https://c.test/x"');
    expect(page).not.toContain('a@b.test');
  });

  it('is not recognised with another media type, or without a field', () => {
    expect(isMessage(MAIL, 'text/plain')).toBe(false);
    expect(isMessage('They turn: slowly\n', 'text/plain')).toBe(false);
    expect(isMessage('\n\nno field here\n', 'message/rfc822')).toBe(false);
  });
});
