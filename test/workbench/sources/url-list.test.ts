import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../src/workbench/sources/decode-text.ts';
import { parseUrlList } from '../../../src/workbench/sources/url-list.ts';

describe('parseUrlList', () => {
  it('reads one URL per line, without comments and empty lines', () => {
    const { topics, urls } = parseUrlList('# mine\r\nhttps://a.example/\n\nhttps://b.example/\n', 'f', 'bikes');
    expect(urls).toEqual(['https://a.example/', 'https://b.example/']);
    expect(topics).toMatchObject([{ name: 'bikes', examples: [{}, {}] }]);
  });

  it('accepts a topic path after a tab', () => {
    const { topics } = parseUrlList('https://a.example/\tdatabases/recovery\nhttps://b.example/', 'f', 'rest');
    expect(topics).toMatchObject([{ name: 'databases', topics: [{ name: 'recovery' }] }, { name: 'rest' }]);
  });

  it('accepts blanks instead of a tab, and keeps those in the name of a topic', () => {
    const { topics, urls } = parseUrlList('  https://a.example/   data bases/crash recovery \n', 'f', 'rest');
    expect(urls).toEqual(['https://a.example/']);
    expect(topics).toMatchObject([{ name: 'data bases', topics: [{ name: 'crash recovery' }] }]);
  });

  it('cuts a topic name that is too long between two characters', () => {
    const { topics } = parseUrlList(`https://a.example/\ta${'😀'.repeat(60)}\n`, 'f', 'rest');
    expect(topics).toMatchObject([{ name: `a${'😀'.repeat(49)}` }]);
  });

  it('joins topics whose names look the same, despite combining accents', () => {
    const { topics } = parseUrlList('https://a.example/\tCaf\u00e9\nhttps://b.example/\tCafe\u0301\n', 'f', 'rest');
    expect(topics).toMatchObject([{ name: 'Caf\u00e9', examples: [{}, {}] }]);
  });

  it('reports the line of each mistake, with a remedy', () => {
    const { mistakes } = parseUrlList('https://a.example/\nwww.b.example\nftp://c.example/', 'list.txt', 'x');
    expect(mistakes).toMatchObject([
      { file: 'list.txt', line: 2, hint: 'Write the whole address: https://www.b.example' },
      { file: 'list.txt', line: 3, hint: 'Only http:// and https:// addresses can be crawled.' },
    ]);
  });

  it.each([
    ['localhost:8000/a', 'Write the whole address: http://localhost:8000/a'],
    ['www.a.example:8000', 'Write the whole address: http://www.a.example:8000'],
    ['mailto:a@b.example', 'Only http:// and https:// addresses can be crawled.'],
    ['http://a.example:99999/', 'No host can have this name, or this port: look for a typo, such as a blank.'],
    ['https://', 'No host can have this name, or this port: look for a typo, such as a blank.'],
  ])('says of %s what is wrong with it, and not with its scheme', (url, hint) => {
    expect(parseUrlList(`${url}\n`, 'list.txt', 'x').mistakes).toMatchObject([{ line: 1, hint }]);
  });
});

describe('decodeText', () => {
  it.each([
    ['UTF-8', Buffer.from('Zürich'), 'Zürich'],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffZürich'), 'Zürich'],
    ['UTF-16', Buffer.from('\ufeffZürich', 'utf16le'), 'Zürich'],
    ['windows-1252', Buffer.from([0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68, 0x80]), 'Zürich€'],
  ])('reads %s', (_name, bytes, text) => {
    expect(decodeText(bytes)).toBe(text);
  });
});
