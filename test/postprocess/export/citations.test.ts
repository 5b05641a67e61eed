import { describe, expect, test } from 'vitest';
import { bibtexLines, type CitationLines, type CitedPage, cslLines, risLines } from '../../../src/postprocess/index.ts';

const ARTICLE: CitedPage = {
  finalUrl: 'https://dl.example/10.1145/128765_{1}',
  title: 'ARIES | Library',
  sequence: 7,
  fetchedAt: Date.parse('2026-11-27T10:00:00Z'),
  language: 'en',
  bibliography: {
    ...{ title: 'ARIES: 100% & {more}', authors: ['C. Mohan', 'Ludwig van Beethoven', '毛泽东'], published: '1992-03' },
    ...{ journal: 'TODS', volume: '17', issue: '1', pages: '94-162', doi: '10.1145/128765.128770' },
    sources: {},
  },
};
const BARE: CitedPage = { ...ARTICLE, title: 'A page', sequence: 8, language: '', bibliography: undefined };

async function text(lines: CitationLines, ...pages: readonly CitedPage[]): Promise<string> {
  async function* all(): AsyncGenerator<CitedPage> {
    yield* pages;
  }
  let whole = '';
  for await (const part of lines(all())) whole += part;
  return whole;
}

describe('references', () => {
  test('BibTeX escapes what TeX reads as a command', async () => {
    expect(await text(bibtexLines, ARTICLE)).toBe(`@article{mohan1992-7,
  title = {ARIES: 100\\% \\& \\{more\\}},
  author = {Mohan, C. and van Beethoven, Ludwig and 毛泽东},
  year = {1992},
  month = {03},
  journal = {TODS},
  volume = {17},
  number = {1},
  pages = {94--162},
  doi = {10.1145/128765.128770},
  language = {en},
  url = {https://dl.example/10.1145/128765_%7B1%7D},
  urldate = {2026-11-27},
}

`);
    expect(await text(bibtexLines, BARE)).toContain('@misc{page-8,\n  title = {A page},\n  url =');
  });

  test('RIS has one author per line, and a line break cannot begin a tag', async () => {
    const record = await text(risLines, {
      ...ARTICLE,
      bibliography: { title: 'A\nUR  - evil', authors: ['Ada Byron'], sources: {} },
    });
    expect(record).toContain('TY  - ELEC\r\nTI  - A UR - evil\r\nAU  - Byron, Ada\r\n');
    expect(record.endsWith('ER  - \r\n\r\n')).toBe(true);
    expect(await text(risLines, ARTICLE)).toContain('SP  - 94\r\nEP  - 162\r\n');
  });

  test('CSL-JSON is one array, also without pages', async () => {
    expect(JSON.parse(await text(cslLines))).toEqual([]);
    const [article, bare] = JSON.parse(await text(cslLines, ARTICLE, BARE));
    expect(article).toMatchObject({
      type: 'article-journal',
      author: [{ family: 'Mohan', given: 'C.' }, { family: 'van Beethoven', given: 'Ludwig' }, { literal: '毛泽东' }],
      issued: { 'date-parts': [[1992, 3]] },
      accessed: { 'date-parts': [[2026, 11, 27]] },
    });
    expect(bare).toMatchObject({ id: 'page-8', type: 'webpage', title: 'A page' });
  });
});
