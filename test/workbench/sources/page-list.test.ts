import { describe, expect, it } from 'vitest';
import { parsePageList } from '../../../src/workbench/sources/page-list.ts';

describe('parsePageList', () => {
  it('leaves out pages that an export marks as gone, and other addresses of a page', () => {
    const row = (name: string, more: object) => ({
      url: `https://${name}.example/`,
      topic: 'a',
      ending: null,
      ...more,
    });
    const rows = [
      row('good', {}),
      row('gone', { ending: 'gone' }),
      row('copy', { duplicateOf: 'https://good.example/' }),
    ];
    const json = parsePageList(rows.map((one) => JSON.stringify(one)).join('\n'), 'x', 'x');
    const table =
      'url,topic,duplicateOf,ending\nhttps://good.example/,a,,\nhttps://gone.example/,a,,moved\nhttps://copy.example/,a,https://good.example/,\n';
    for (const list of [json, parsePageList(table, 'x', 'x')])
      expect([list.urls, list.past]).toEqual([['https://good.example/'], 2]);
  });

  it('reads exported JSON lines: pages of topics, without those of OTHERS', () => {
    const rows = [
      { url: 'https://a.example/', topic: 'databases/recovery' },
      { url: 'https://o.example/', topic: null },
      { url: 'https://b.example/', topic: 'databases' },
    ];
    const { topics, urls, mistakes } = parsePageList(rows.map((row) => JSON.stringify(row)).join('\n'), 'x', 'x');
    expect([urls, mistakes]).toEqual([['https://a.example/', 'https://b.example/'], []]);
    expect(topics).toMatchObject([{ name: 'databases', examples: [{ url: 'https://b.example/' }] }]);
    expect(topics[0]?.topics).toMatchObject([{ name: 'recovery', examples: [{ url: 'https://a.example/' }] }]);
  });

  it('reads CSV by column names, in any order, and removes the guard against formulas', () => {
    const text = 'title,topic,url\r\n"A, ""quoted""\ntitle",\'=maths,https://a.example/\r\nB,,https://o.example/\r\n';
    expect(parsePageList(text, 'x', 'x').topics).toMatchObject([
      { name: '=maths', examples: [{ url: 'https://a.example/' }] },
    ]);
  });

  it.each([';', '\t'])('reads what a spreadsheet saved with another separator: %j', (separator) => {
    const text = [
      ['url', 'title', 'topic'],
      ['https://a.example/', 'A and B', 'maths'],
    ]
      .map((cells) => cells.join(separator))
      .join('\n');
    expect(parsePageList(text, 'x', 'x').topics).toMatchObject([
      { name: 'maths', examples: [{ url: 'https://a.example/' }] },
    ]);
  });

  it('reports an unclosed quote instead of losing the pages after it', () => {
    const text = 'url,title\nhttps://a.example/,A\nhttps://b.example/,"B\nhttps://c.example/,C\n';
    expect(parsePageList(text, 'f', 'x').mistakes).toMatchObject([
      { file: 'f', line: 3, message: 'A quote is opened here and never closed.' },
    ]);
  });

  it('puts pages of a list without topics into the only topic', () => {
    expect(parsePageList('url,title\nhttps://a.example/,A\n', 'x', 'mine').topics).toMatchObject([{ name: 'mine' }]);
  });

  it('still reads one URL per line', () => {
    expect(parsePageList('https://a.example/x,y\tdatabases\n', 'x', 'x').urls).toEqual(['https://a.example/x,y']);
  });

  it('reports wrong lines by number', () => {
    expect(
      parsePageList('{"url": 1}\n{}\n{"url":"https://a.example/"}\nx', 'f', 'x').mistakes.map((m) => m.line),
    ).toEqual([1, 2, 4]);
    expect(parsePageList('url,title\n"ftp://x","a\nb"\nnonsense,b\n', 'f', 'x').mistakes.map((m) => m.line)).toEqual([
      2, 4,
    ]);
  });
});
