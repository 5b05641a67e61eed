import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { cpuMsSince } from '../support/cpu-time.ts';
import { documentOf } from './pages.ts';

/** Far above the measured time, far below the time of a quadratic step. */
const LIMIT_MS = 3_000;

function repeated(text: string, bytes: number): string {
  return text.repeat(Math.ceil(bytes / text.length));
}

/** JSON in a string in JSON, and so on: each level doubles the backslashes. */
function stateInState(bytes: number): string {
  let json = '{"body":"x"}';
  while (json.length < bytes) json = JSON.stringify({ body: json, text: json.slice(0, 10) });
  return json;
}

/** A list state that refers to values by index; the text has index 0. */
function referring(text: string, values: readonly unknown[]): string {
  return `<script type=application/json>${JSON.stringify([text, ...values])}</script>`;
}

const MB = 1_000_000;
const HOSTILE: readonly (readonly [string, string, string])[] = [
  ['2 MB of <div>', 'text/html', `${repeated('<div>', 2 * MB)}end`],
  ['2 MB of unclosed tables', 'text/html', repeated('<table><tr><td>', 2 * MB)],
  ['2 MB of <svg>', 'text/html', repeated('<svg><g>', 2 * MB)],
  [
    'deep nesting and end tags that match nothing',
    'text/html',
    repeated('<div>', 10_000) + repeated('</ul></td>', 2 * MB),
  ],
  ['2 MB of nested lists of links', 'text/html', repeated('<ul><li><a href=/x>a</a>', 2 * MB)],
  ['2 MB of unclosed anchors', 'text/html', repeated('<a href=x>', 2 * MB)],
  ['2 MB of headers in an article', 'text/html', `<article>${repeated('<header></header>', 2 * MB)}`],
  ['a tag with 2 MB of attributes', 'text/html', `<a ${repeated('b=c href=d ', 2 * MB)}>`],
  [
    '2 MB of frames with pages in them',
    'text/html',
    repeated('<div class=menu>a</div><iframe srcdoc="<div class=menu>b</div><iframe srcdoc=c>"></iframe>', 2 * MB),
  ],
  [
    'state of 20,000 texts',
    'text/html',
    `<script type=application/json>${JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ body: `a ${i}` })))}</script>`,
  ],
  ['state in state', 'text/html', `<script type=application/json>${stateInState(300_000)}</script>`],
  [
    'state that refers to itself',
    'text/html',
    `<script type=application/json>[${`[${'0,'.repeat(400)}0],`.repeat(400)}0]</script>`,
  ],
  [
    'state that tells of one text a thousand times, in one passage',
    'text/html',
    referring('lorem ipsum '.repeat(8_000), [{ body: Array(9_000).fill({ text: 0 }) }]),
  ],
  [
    'state that tells of one text a thousand times, each a passage',
    'text/html',
    referring('&lt;a&gt; '.repeat(8_000), Array(15_000).fill({ text: 0 })),
  ],
  [
    '2 MB of state',
    'text/html',
    repeated(`<script>window.__A__={"body":"${repeated('&<a', 90_000)}"}</script>`, 2 * MB),
  ],
  ['2 MB of scripts that begin with blanks', 'text/html', repeated(`<script>${' '.repeat(2_400)}x</script>`, 2 * MB)],
  [
    '2 MB of scripts with blanks behind an address',
    'text/html',
    repeated(`<script>location="x"${' '.repeat(2_400)}y</script>`, 2 * MB),
  ],
  ['state without end', 'text/html', `<script>window.__A__=${repeated('{[', 400_000)}`],
  ['an attribute of 2 MB', 'text/html', `<a href="${repeated('x&amp;', 2 * MB)}">x</a>`],
  ['2 MB of &', 'text/html', repeated('&', 2 * MB)],
  ['2 MB of character references', 'text/html', repeated('&eacute;&#x1F600;&#0;', 2 * MB)],
  ['2 MB of <', 'text/html', repeated('<', 2 * MB)],
  ['2 MB of comment starts', 'text/html', repeated('<!--', 2 * MB)],
  ['2 MB of comments before anything else', '', repeated('<!-- -->', 2 * MB)],
  ['2 MB of white space', '', repeated(' \n', 2 * MB)],
  ['a title of 2 MB', 'text/html', `<title>${repeated('a &amp; ', 2 * MB)}`],
  ['a refresh of 1 MB', 'text/html', `<meta http-equiv=refresh content="${repeated(' ;', MB)}x">`],
  ['a class of 1 MB', 'text/html', `<div class="${repeated('a ', MB)}">x</div>`],
  ['a style of 1 MB', 'text/html', `<div style="${repeated('display ', MB)}">x</div>`],
  ['a word of 2 MB', 'text/html', repeated('a', 2 * MB)],
  ['a URL of 2 MB', 'text/plain', `http://a.test/${repeated('a', 2 * MB)}`],
  ['hidden items in each other', 'text/html', repeated('<ul><li hidden>x', MB)],
  ['hidden paragraphs without end', 'text/html', repeated('<p hidden>x', MB)],
  ['videos without end', 'text/html', repeated('<video>x', MB)],
  ['1 MB of [', 'text/markdown', repeated('[', MB)],
  ['1 MB of [a](', 'text/markdown', repeated('[a](', MB)],
  ['2 MB of lines', 'text/plain', repeated('a\n', 2 * MB)],
  ['2 MB of http://', 'text/plain', repeated('http://', 2 * MB)],
  ['2 MB of NUL in a page', 'text/html', `<p>${repeated('word word ', 5_000)}${repeated('\0', 2 * MB)}`],
];

describe('hostile pages are read in linear time', () => {
  it.each(HOSTILE)('%s', (_, contentType, body) => {
    const before = process.cpuUsage();
    const document = documentOf(body, { headers: { contentType } });
    expect(cpuMsSince(before)).toBeLessThan(LIMIT_MS);
    expect(document.text.length).toBeLessThanOrEqual(200_000);
    expect(document.links.size).toBeLessThanOrEqual(2_000);
  });

  it('keeps the first 2,000 of 200,000 links', () => {
    const html = Array.from({ length: 200_000 }, (_, i) => `<a href=/${i}>${i}</a>`).join('');
    const before = process.cpuUsage();
    const { links } = documentOf(html);
    expect(cpuMsSince(before)).toBeLessThan(2 * LIMIT_MS);
    expect(links.size).toBe(2_000);
    expect(links.urls.endsWith('/1999')).toBe(true);
  });

  it('ignores a base of 2 MB', () => {
    const html = `<base href="/${repeated('b/', 2 * MB)}">${Array.from({ length: 2_000 }, (_, i) => `<a href=${i}>x</a>`).join('')}`;
    const before = process.cpuUsage();
    const { links } = documentOf(html);
    expect(cpuMsSince(before)).toBeLessThan(LIMIT_MS);
    expect(links.urls.startsWith('http://a.test/dir/0\n')).toBe(true);
  });

  it('reads text after the deepest nesting', () => {
    expect(documentOf(`${'<div>'.repeat(5_000)}deep${'</div>'.repeat(5_000)}<p>after`).text).toBe('deep\nafter');
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

describe('a document does not retain its page in memory', () => {
  it('sixty documents of 1 MB pages need a few megabytes', () => {
    const filler = `<!-- ${'x'.repeat(1_000_000)} -->`;
    const documents: unknown[] = [];
    const keep = (i: number): void => {
      const link = `<a href="http://b.test/a/rather/long/path/${i}">an anchor of more than thirteen characters ${i}</a>`;
      const head = `<html lang=en><title>Aonewordtitleofgreatlength${i}</title><link rel=canonical href="http://b.test/canonical/${i}">`;
      documents.push(
        documentOf(
          `${filler}${head}<p class="unusual-class-name-${i}-nav">Text ${i} with wordsofgreatlength${i}. ${link}`,
        ),
      );
    };
    for (let i = 0; i < 20; i++) keep(i);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let i = 20; i < 80; i++) keep(i);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    expect(documents).toHaveLength(80);
  });
});
