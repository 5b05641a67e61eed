import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitStatements } from '../../../src/cli/commands/sql.ts';
import { readOrder } from '../../../src/cli/find/find-loop.ts';
import { canonicalize, DEFAULTS, MAX_JUDGED, parseSteerCommand } from '../../../src/core/index.ts';
import { partsOf, wantedWords } from '../../../src/postprocess/search/parts.ts';
import { beginningsIn, readQuery } from '../../../src/postprocess/search/query.ts';
import { misreadings } from '../../../src/postprocess/search/unsupported-syntax.ts';
import { askService } from '../../../src/workbench/find/search-service.ts';
import { parseRanges } from '../../../src/workbench/review/decisions.ts';
import { readCsv, readJson } from '../../../src/workbench/review/read-table.ts';
import { readWeights } from '../../../src/workbench/search/local-search.ts';
import { parseBookmarks } from '../../../src/workbench/sources/bookmarks.ts';
import { parseOpml } from '../../../src/workbench/sources/opml.ts';
import { parsePageList } from '../../../src/workbench/sources/page-list.ts';
import { parseUrlList } from '../../../src/workbench/sources/url-list.ts';
import { parseWorkspace } from '../../../src/workbench/workspace/workspace.ts';
import type { FuzzTarget } from '../fuzz.ts';
import { answered, answeredLater, must, samples, words } from './checks.ts';

/** Parsers of input by users and their programs. */
export const PEOPLE: readonly FuzzTarget[] = [
  {
    name: 'bookmarks',
    samples: samples(
      '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>Folder</H3><DL><p><DT><A HREF="http://a.test/">a</A></DL><p></DL>',
    ),
    words: words('<DL> </DL> <DT> <H3> </H3> <A␣HREF=" </A> <p> &amp; " http:// place:x <DD>'),
    check: (input) => void answered(() => parseBookmarks(input.toString('utf8'))),
  },
  {
    name: 'opml',
    samples: samples(
      '<opml><body><outline text="F"><outline text="a" htmlUrl="http://a.test/" xmlUrl="http://a.test/f"/></outline></body></opml>',
    ),
    words: words('<outline␣text=" </outline> /> xmlUrl=" htmlUrl=" <body> &amp; <!-- <![CDATA['),
    check: (input) => void answered(() => parseOpml(input.toString('utf8'))),
  },
  {
    name: 'url-list',
    samples: samples('http://a.test/\nhttp://b.test/\tscience/physics\n# comment\n\n'),
    words: words('http:// \t ␤ # / // \ufeff \u202e'),
    check: (input) => void answered(() => parseUrlList(input.toString('utf8'), 'list.txt', 'topic')),
  },
  {
    name: 'bingo.yaml',
    share: 0.2,
    maxMs: 5_000,
    samples: samples(
      'topics:\n  - name: cycling\n    examples: [https://a.test/, {file: x.txt}]\n    seeds: [https://b.test/]\n    topics:\n      - name: sub\n        query: words here\nothers: [https://c.test/]\nnetwork: {delayMs: 1s, maxBodyBytes: 8MiB}\ncrawl: {budget: 10}\n',
    ),
    words: words(
      'topics: others: - name: : [ ] { } & * &a *a !!js/function <<: | > " \' ␤␣␣ 1e999 .nan null true ~ budget: -1 delayMs: examples: ? % @ `',
    ),
    check: (input) => void answered(() => parseWorkspace(input.toString('utf8'), 'bingo.yaml', '/nowhere')),
  },
  {
    name: 'page-list',
    samples: samples(
      '{"url":"http://a.test/","topic":"a/b"}\n{"url":"http://b.test/"}\n',
      'url,title,topic\nhttp://a.test/,"A ""quoted"" title",a/b\nhttp://b.test/,\'=x,\n',
    ),
    words: words('{"url": "topic": " "" , ␤ http:// null [] {} / url,topic \ufeff \''),
    check: (input) => void answered(() => parsePageList(input.toString('utf8'), 'list.csv', 'topic')),
  },
  {
    name: 'review-csv',
    samples: samples(
      '\ufefftopic,page,decision,to,without\na/b,http://a.test/,accept,,"2 5-7"\n,http://b.test/,move,c,\n',
      'page;decision\nhttp://a.test/;reject\n',
    ),
    words: words('page decision , ; \t " "" ␤ 5-7 1-9999999 \'= \ufeff'),
    check: (input) => {
      const rows = answered(() => readCsv(input.toString('utf8'), 'r.csv', ['page', 'decision'])) ?? [];
      let last = 0;
      for (const { line, fields } of rows) {
        must(line > last, `line ${line} behind line ${last}`);
        last = line;
        must(fields.has('page') && fields.has('decision'), 'a row without the columns that are needed');
        for (const field of fields.values()) must((parseRanges(field)?.length ?? 0) <= MAX_JUDGED.without, 'too many');
      }
    },
  },
  {
    name: 'review-json',
    maxMs: 5_000,
    samples: samples('[{"page":"http://a.test/","decision":"accept","without":[1,2]},\n {"page":null}]'),
    words: words('[ ] { } , : "page" "decision" null 1e999 "__proto__" \\u0000 \\ud800 ␤ &a *a'),
    check: (input) => {
      const rows = answered(() => readJson(input.toString('utf8'), 'r.json')) ?? [];
      for (const { line, fields } of rows) {
        must(line >= 1, `line ${line}`);
        for (const field of fields.values()) must(typeof field === 'string', 'a field that is no text');
      }
    },
  },
  {
    name: 'query',
    share: 0.3,
    samples: samples(
      'aries "source code" -zodiac',
      '“état de l\'art” -"not this" naïve',
      '日本語 "本 語" -c++ state-of-the-art',
      'site:example.org -type:pdf title:"a b" curren* NOT inurl:x',
      '+log AND (journal OR "source code") -(a | b) title:c OR d',
    ),
    words: words(
      'site: -title: topic:" since: before:1 OR AND NOT | +a ( -( +( ) " -" - “ ” « » the ß é e\u0301 ا 日本 a-b-c ? * ( ) [ \\ ^ $ {2,} \ud800',
    ),
    check: (input) => {
      const text = input.toString('utf8').slice(0, 2_000);
      const query = readQuery(text, { languages: ['de', 'fr', 'ar', 'ja'] });
      must(query.pairs.every(Number.isSafeInteger), 'a pair without a number');
      for (const stem of query.stems) must(stem !== '' && stem.isWellFormed(), 'a stem that no page can have');
      must(
        readQuery(text, { exact: true }).any.every((stems) => stems.length > 0),
        'a word without stems',
      );
      query.check?.({ title: text, text: PASSAGE });
      query.title?.(text);
      must(misreadings(text).length <= text.length, 'more notes than words');
      for (const phrase of query.phrases) phrase.test(PASSAGE);
      for (const beginning of beginningsIn(text)) must(beginning.isWellFormed(), 'a beginning that no stem has');
      must(partsOf(text).parts.length <= text.normalize('NFC').length, 'more parts than characters');
      must(partsOf(wantedWords(text)).parts.length <= partsOf(text).parts.length, 'more words than were typed');
    },
  },
  {
    name: 'order',
    samples: samples('g 1 3 b 2', 'search media recovery -x', 'rank cosine=0.6,authority=0.4', 'open 1,2', '?'),
    words: words('good bad open more search rank crawl quit ? 1 2 99 -1 1e9 = , ␤ cosine=NaN bm25=1e999 bm25='),
    check: (input) => {
      const text = input.toString('utf8');
      const order = answered(() => readOrder(text, 10));
      const places =
        order?.kind === 'mark' ? [...order.good, ...order.bad] : order?.kind === 'open' ? order.places : [];
      for (const place of places) must(Number.isInteger(place) && place >= 1 && place <= 10, `place ${place}`);
      const weights = answered(() => readWeights(text));
      if (weights === undefined) return;
      const sum = Object.values(weights).reduce((a, b) => a + b, 0);
      must(sum > 0 && !Number.isNaN(sum), `weights of ${sum}`);
    },
  },
  {
    name: 'statements',
    samples: samples("select ';' as a; -- not; this\nselect 1 /* nor; this */;", 'select "a;b" from page'),
    words: words("' '' \" -- /* */ ; ␤ select"),
    check: (input) => {
      const statements = splitStatements(input.toString('utf8'));
      must(
        statements.every((statement) => statement.trim() !== ''),
        'an empty statement',
      );
    },
  },
  {
    name: 'steer',
    samples: samples(
      '{"kind":"judge-page","judgement":{"key":"http://a.test/","sequence":3,"title":"t","use":"example","topic":"a","without":[1]}}',
      '{"kind":"set-limit","limit":"time","value":1000}',
      '{"kind":"lock-host","host":"a.test"}',
      '{"kind":"mark-topic","topic":"a","good":true}',
    ),
    words: words(
      '"kind": "set-budget" "budget": -1 1e999 null [] {} "set-ordering" "ordering": "learned" "host": " \\u001b',
    ),
    check: (input) => {
      const command = parseSteerCommand(jsonOf(input));
      if (command === undefined) return;
      const again = parseSteerCommand(JSON.parse(JSON.stringify(command)));
      must(JSON.stringify(again) === JSON.stringify(command), 'a command that is another one when it is read again');
    },
  },
  {
    name: 'search-service',
    share: 0.3,
    samples: samples(
      '{"results":[{"url":"http://a.test/","title":"A"},{"url":"javascript:x"},{"title":"none"}]}',
      'http://a.test/\nhttp://b.test/ topic\n',
    ),
    words: words('{"results":[ ]} {"url": "title": null 1 " http:// //x [] ␤'),
    check: async (input) => {
      const path = join(tmpdir(), `bingo-fuzz-${process.pid}-results`);
      writeFileSync(path, input);
      try {
        const asked = askService({ kind: 'file', path }, 'words', {
          limit: 5,
          userAgent: 'bingo',
          network: DEFAULTS.network,
        });
        const results = (await answeredLater(asked)) ?? [];
        must(results.length <= 5, 'more than were asked for');
        for (const { url } of results) must(canonicalize(url) === url, `${url} is not canonical`);
      } finally {
        rmSync(path, { force: true });
      }
    },
  },
];

const PASSAGE = `${'The state of the art, in aries source code; l’état de l’art. 日本語の本 '.repeat(200)}${'a'.repeat(5_000)}`;

function jsonOf(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString('utf8'));
  } catch {
    return undefined;
  }
}
