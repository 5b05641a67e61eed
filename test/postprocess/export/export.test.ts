import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type TopicId, topicTree } from '../../../src/core/index.ts';
import {
  bookmarkLines,
  type CorpusPage,
  gexfLines,
  type OutlinedPage,
  opmlLines,
  writeCorpus,
} from '../../../src/postprocess/index.ts';

const HOSTILE = `</A><script>x</script>"' & \u202Etxt\n---\nurl: "evil"`;
const tree = topicTree([{ name: 'bikes & "cars"', topics: [{ name: 'touring' }] }, { name: 'empty' }], []);

async function* pagesOf(topic: TopicId): AsyncGenerator<OutlinedPage> {
  if (topic === 'bikes & "cars"')
    yield { title: HOSTILE, finalUrl: 'https://a.example/?a=1&b=2', fetchedAt: 1_700_000_000_999 };
  if (topic === 'bikes & "cars"/touring') yield { title: '', finalUrl: 'https://b.example/', fetchedAt: 1 };
  if (topic === 'gone') yield { title: 'Bad', finalUrl: 'javascript:alert(1)', fetchedAt: 1 };
}

describe('bookmarks', () => {
  test('are nested like the topics, with escaped text and without scripts', async () => {
    const file = await joined(bookmarkLines(tree, pagesOf, { title: 'Mine', more: ['gone' as TopicId] }));
    expect(file).toContain('<!DOCTYPE NETSCAPE-Bookmark-file-1>');
    expect(file).toContain(`    <DT><H3>bikes &amp; &quot;cars&quot;</H3>
    <DL><p>
        <DT><A HREF="https://a.example/?a=1&amp;b=2" ADD_DATE="1700000000">&lt;/A&gt;&lt;script&gt;x&lt;/script&gt;&quot;&#39; &amp; txt --- url: &quot;evil&quot;</A>
        <DT><H3>touring</H3>
        <DL><p>
            <DT><A HREF="https://b.example/" ADD_DATE="0">https://b.example/</A>
        </DL><p>
    </DL><p>
    <DT><H3>empty</H3>`);
    expect(file).toContain('<H3>gone</H3>');
    expect(file).not.toMatch(/javascript|\u202e/i);
  });
});

describe('OPML', () => {
  test('contains the same in XML', async () => {
    const file = await joined(opmlLines(tree, pagesOf, { title: 'Mine & yours' }));
    expect(file).toContain('<head><title>Mine &amp; yours</title></head>');
    expect(file).toContain(`<outline text="bikes &amp; &quot;cars&quot;">
    <outline type="link" text="&lt;/A&gt;`);
    expect(file.match(/<outline [^>]*[^/]>/g)).toHaveLength(3);
    expect(file.match(/<\/outline>/g)).toHaveLength(3);
  });
});

describe('the link graph', () => {
  test('contains the given pages and the links between them, repeated ones once with a weight', async () => {
    const page = (sequence: number, title: string) => ({
      ...{ sequence, title, finalUrl: `https://p.example/${sequence}`, site: 'p.example', topic: 'bikes' },
      relevance: sequence === 3 ? Number.NaN : 0.5,
    });
    async function* pages() {
      yield* [page(1, HOSTILE), page(2, ''), page(3, 'Three\uffff')];
    }
    async function* links() {
      yield [
        { from: 1, to: 2 },
        { from: 1, to: 2 },
        { from: 1, to: 1 },
        { from: 1, to: 9 },
      ];
      yield [
        { from: 9, to: 1 },
        { from: 3, to: 1 },
      ];
    }
    const file = await joined(gexfLines(pages(), links()));
    expect([...file.matchAll(/<edge [^>]*>/g)].map(String)).toEqual([
      '<edge id="0" source="1" target="2" weight="2"/>',
      '<edge id="1" source="3" target="1" weight="1"/>',
    ]);
    expect(file).toContain('<node id="2" label="https://p.example/2">');
    expect(file).toContain('<node id="3" label="Three">');
    expect(file.match(/<attvalue for="3" value="0.5"\/>/g)).toHaveLength(2);
    expect(file).not.toContain('<script');
    // Every element is closed.
    const open = [...file.matchAll(/<([a-z]+)(?: [^>]*[^/])?>/g)].map((match) => match[1]).sort();
    expect([...file.matchAll(/<\/([a-z]+)>/g)].map((match) => match[1]).sort()).toEqual(open);
  });
});

describe('a corpus', () => {
  test('has one file per page in one folder per topic, with YAML that no page can inject into', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bingo-corpus-'));
    const pageOf = (sequence: number, topic: string): CorpusPage => ({
      ...{ sequence, topic, title: sequence === 1 ? HOSTILE : `Page ${sequence}`, relevance: 0.123456 },
      ...{ finalUrl: `https://p.example/${sequence}`, fetchedAt: Date.UTC(2026, 0, 2) },
    });
    async function* pages() {
      for (let n = 1; n <= 250; n++) yield pageOf(n, n % 2 === 0 ? 'A/B' : 'A b');
    }
    const of = async (batch: readonly CorpusPage[]) =>
      new Map(batch.map(({ sequence: n }) => [n, `Text ${n} --- of the page`]));
    expect(await writeCorpus(pages(), { of, ending: 'txt' }, folder)).toBe(250);
    expect(readdirSync(folder).sort()).toEqual(['a-b', 'a-b-2']);
    expect(readdirSync(join(folder, 'a-b'))).toHaveLength(125);
    const [, facts, text] = readFileSync(
      join(folder, 'a-b', '000001-a-script-x-script-txt-url-evil.txt'),
      'utf8',
    ).split(/^---$/m);
    expect(parse(facts!)).toEqual({
      ...{
        url: 'https://p.example/1',
        title: HOSTILE,
        topic: 'A b',
        relevance: 0.1235,
        fetched: '2026-01-02T00:00:00.000Z',
      },
    });
    expect(text).toBe('\n\nText 1 --- of the page\n');
    rmSync(folder, { recursive: true });
  });
});

async function joined(lines: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const line of lines) text += line;
  return text;
}
