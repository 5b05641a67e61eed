import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { renderToString } from 'ink';
import { createElement } from 'react';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Dashboard } from '../../src/dashboard/components/Dashboard.tsx';
import { COLOURLESS } from '../../src/dashboard/theme.ts';
import { safeJson, sanitizeForTerminal } from '../../src/kit/index.ts';
import { htmlReport } from '../../src/lab/score/report.ts';
import { parseTasks } from '../../src/lab/tasks/task.ts';
import { busyState, fold, pageEvent } from '../dashboard/support/events.ts';
import { startTinyWeb, type TinyWeb } from '../support/tiny-web.ts';
import { BIKE, prose } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

/** Attacks that a page may try, each with a mark to find it again. */
const ATTACKS: readonly string[] = [
  'ATTACK0 \u001b[2J\u001b[1;31mcleared',
  'ATTACK1 \u001b]0;renamed\u0007\u001b]52;c;aGVsbG8=\u0007',
  'ATTACK2 \u009b31m\u009d0;title\u009c',
  'ATTACK3 \u202egnp.exe\u202c\u2066hidden\u2069',
  'ATTACK4 zero\u200bwidth\u2060\ufeff\u{e0041}\u{e0042}',
  'ATTACK5 line\r\n2026-01-01 forged log line\u2028next\u0085next',
  'ATTACK6 <script>alert(6)</script><img src=x onerror=alert(6)>',
  "ATTACK7 \"><svg onload=alert(7)>' onmouseover='alert(7)",
  'ATTACK8 \'); drop table page; -- " ` $(reboot)',
  'ATTACK9 ../../../../etc/passwd ..\\..\\con.txt /dev/null',
  '=HYPERLINK("http://evil.test","ATTACK10")',
  'ATTACK11 ]]></script></title></textarea>--><!--{{7*7}}',
];

let web: TinyWeb;
let root: string;
let dir: string;

const PAGES = 14;
const attackOf = (n: number): string => ATTACKS[n % ATTACKS.length]!;
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);

/** A page with an attack in title, text, anchors, addresses, language and canonical link. */
function hostilePage(host: string, n: number): string {
  const text =
    host === 'bikes.test'
      ? prose(BIKE, n)
      : `${prose('oven flour bread soup sauce sugar salad cook onion bake'.split(' '), n)} kitchen ${n}`;
  const links = [1, 2, 3].map((step) => {
    const to = (n + step) % PAGES;
    return `<a href="/${to}?q=${encodeURIComponent(attackOf(to))}">${escaped(attackOf(to))}</a>`;
  });
  const bad = [
    `<a href="javascript:alert(1)">run</a>`,
    `<a href="http://[::1]evil.test/">x</a>`,
    `<a href="/raw\u001b[31m\u202e<b>">raw</a>`,
  ];
  return `<!doctype html><html lang="${escaped(attackOf(n))}"><head><meta charset="utf-8"><title>${escaped(attackOf(n))}</title>
<link rel="canonical" href="/${n}?${escaped(attackOf(n))}"></head><body><h1>${escaped(attackOf(n))}</h1>
<p>${text}. ${escaped(attackOf(n))} ${n}</p>${[...links, ...bad].join(' ')}</body></html>`;
}

beforeAll(async () => {
  web = await startTinyWeb();
  for (const host of ['bikes.test', 'food.test'])
    web.handle(host, (request, response) => {
      const n = Number(/^\/(\d+)/.exec(request.url ?? '')?.[1] ?? Number.NaN);
      const found = n >= 0 && n < PAGES;
      response.writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
      response.end(found ? hostilePage(host, n) : '');
    });
  root = mkdtempSync(join(tmpdir(), 'bingo-hostile-'));
  dir = join(root, 'workspace');
  mkdirSync(dir);
  const urls = (host: string, ...pages: number[]): string => pages.map((n) => `${web.origin(host)}/${n}`).join(', ');
  writeFileSync(
    join(dir, 'bingo.yaml'),
    `topics:\n  - name: cycling\n    examples: [${urls('bikes.test', 0, 6)}]\nothers: [${urls('food.test', 1, 2, 5, 7)}]
network: {allowPrivate: true, dnsServers: ["${web.dnsServer}"], delayMs: 0, concurrency: 1}
analyze: {threads: 1}\ntraps: {enabled: false}\n`,
  );
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

/** Characters that a terminal obeys, reverses or hides. Tabs and line breaks are our own. */
const OBEYED =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

function obeyedIn(text: string): string | undefined {
  // CSV ends its lines with CRLF.
  const found = OBEYED.exec(text.replaceAll('\r\n', '\n'));
  return found === null ? undefined : JSON.stringify(text.slice(Math.max(0, found.index - 40), found.index + 20));
}

/** Removes quoted values, which may contain anything. */
const unquoted = (markup: string): string =>
  markup.replace(/(<[a-z][^<>"']*)(?:"[^"]*"|'[^']*')/gi, '$1""').replace(/="[^"<>]*"/g, '=""');

/** Markup of an attack that became active: an element or attribute that only an attack has. */
const RUNS = /<script>alert|<img src=x|<svg onload|<[^>]*\sonmouseover=|<[^>]*\sonerror=|<b>/i;

describe('text from the web', () => {
  it('does not reach a terminal through the lines of a crawl', async () => {
    const { code, out, err } = await run(['crawl', dir, '--budget', '6', '--learn', '3', '--plain']);
    expect(code).toBe(0);
    expect(obeyedIn(out + err)).toBeUndefined();
    expect(err).not.toMatch(/^2026-01-01 forged/m);
  });

  it('does not reach a terminal through the JSON of a crawl', async () => {
    const { out, err } = await run(['crawl', dir, '--budget', '20', '--json']);
    expect(out).toContain('ATTACK');
    expect(obeyedIn(out + err)).toBeUndefined();
  });

  it('is written to the store unchanged, past the analysis, for the next tests', () => {
    const database = new Database(join(dir, 'store.db'));
    const pages = database.prepare('select sequence from page').all() as { sequence: number }[];
    const spoil = database.prepare('update page set title = ?, content_type = ?, etag = ? where sequence = ?');
    for (const [i, { sequence }] of pages.entries()) spoil.run(attackOf(i), attackOf(i + 1), attackOf(i + 2), sequence);
    const spoilLinks = database.prepare('update link set anchor = ? where n % 12 = ?');
    for (const [i, attack] of ATTACKS.entries()) spoilLinks.run(attack, i);
    database.prepare('update visit set detail = ?').run(ATTACKS[0]);
    database.close();
    expect(pages.length).toBeGreaterThan(14);
  });

  it.each([
    [['search', 'bicycle saddle']],
    [['search', 'bicycle saddle', '--all', '--json']],
    [['status']],
    [['status', '--json']],
    [['export']],
    [['export', '--copies', '--format', 'csv']],
    [['export', '--format', 'urls']],
    [['export', '--format', 'bookmarks']],
    [['export', '--format', 'opml']],
    [['export', '--format', 'gexf']],
    [['distill', 'cycling']],
    [['distill', 'cycling', '--json']],
    [['cluster', 'cycling', '-k', '2']],
    [['cluster', 'cycling', '-k', '2', '--json']],
    [['reclassify']],
    [['reclassify', '--json']],
    [['topic show', 'cycling']],
    [['topic show', 'cycling', '--json']],
    [['sql', 'select url, title, language, canonical from page']],
    [['sql', '--json', 'select title, final_url from page']],
    [['sql', '--csv', 'select title, final_url from page']],
    [['sql', 'select anchor from link']],
    [['review', '--proposals']],
    [['review', '--plain']],
  ])('reaches no terminal by %j', async ([name = '', ...rest]) => {
    const [verb, second] = name.split(' ');
    const words = [verb!, ...(second === undefined ? [] : [second]), dir, ...rest];
    const { code, out, err } = await run(words);
    expect(obeyedIn(out + err)).toBeUndefined();
    // Each command must have shown part of an attack, or the test would prove nothing.
    if (code === 0) expect((out + err).length).toBeGreaterThan(20);
  });

  it('does not reach a terminal through bingo why, for pages, failures and links', async () => {
    const { out } = await run(['sql', dir, '--json', 'select distinct url from url']);
    const urls = (JSON.parse(out) as { url: string }[]).map(({ url }) => url);
    expect(urls.some((url) => url.includes('ATTACK'))).toBe(true);
    for (const url of urls.slice(0, 60)) {
      const [text, json] = [await run(['why', dir, url]), await run(['why', dir, url, '--json'])];
      expect(obeyedIn(text.out + text.err + json.out + json.err)).toBeUndefined();
    }
    const none = await run(['why', dir, 'no url \u001b[2J\u202e']);
    expect(obeyedIn(none.out + none.err)).toBeUndefined();
  });

  it('keeps its value in JSON: escapes for terminals decode to the same text', () => {
    const shown = safeJson({ attacks: ATTACKS });
    expect(obeyedIn(shown)).toBeUndefined();
    expect(JSON.parse(shown)).toEqual({ attacks: ATTACKS });
  });

  it('never becomes markup of a portal, picture or outline, nor a file name', async () => {
    const out = join(root, 'portal');
    expect((await run(['portal', dir, out])).code).toBe(0);
    const texts = join(root, 'texts');
    expect((await run(['export', dir, '--format', 'corpus', '--out', texts])).code).toBe(0);
    const picture = join(root, 'clusters.svg');
    await run(['cluster', dir, 'cycling', '-k', '2', '--svg', picture]);
    for (const ending of ['html', 'opml', 'gexf']) await run(['export', dir, '--out', join(root, `pages.${ending}`)]);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !file.startsWith('workspace'),
    );
    expect(files.filter((file) => !/^[a-z0-9./_-]+$/i.test(file) || file.includes('..'))).toEqual([]);
    expect(files.length).toBeGreaterThan(10);
    for (const file of files.filter((name) => /\.(html|svg|opml|gexf|xml|atom)$/.test(name))) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(RUNS.exec(unquoted(text)), file).toBeNull();
      expect(text, file).not.toMatch(/(?:href|src)=["']?(?:javascript|data|vbscript):/i);
      expect(obeyedIn(text), file).toBeUndefined();
    }
  });

  it('remains a value in SQL: no table is lost', async () => {
    const { out } = await run(['sql', dir, '--json', "select count(*) as n from page where title like '%drop table%'"]);
    expect(JSON.parse(out)).toEqual([{ n: expect.any(Number) }]);
    const { code } = await run(['search', dir, `'); drop table page; --" OR 1=1`]);
    expect(code).toBe(0);
    expect((await run(['status', dir])).code).toBe(0);
  });

  it('is plain text in the lab report, even if names come from a task file', () => {
    const given = { topics: { t: ['A'] }, examples: { t: ['http://x.test/'] }, seeds: ['http://x.test/'], others: [] };
    const task = (id: string, web: string): object => ({ id, web, kind: 'plain', ...given, budget: 20 });
    for (const attack of ATTACKS.filter((text) => sanitizeForTerminal(text) !== text))
      expect(() => parseTasks(JSON.stringify([task(attack, 'w')]), 'T')).toThrow('cannot be used');
    const rows = ATTACKS.map(sanitizeForTerminal).map((text) => task(text, text));
    const tasks = parseTasks(JSON.stringify(rows), 'T');
    const html = htmlReport({ tasks, orderings: ['bingo'], runs: [], compare: false }, []);
    expect(html).toContain('ATTACK6');
    expect(RUNS.exec(html)).toBeNull();
    expect(obeyedIn(html)).toBeUndefined();
  });

  it('is shown by the dashboard as one line of text', () => {
    let state = busyState();
    for (const [i, title] of ATTACKS.entries()) {
      const event = pageEvent(1000 + i);
      if (event.kind !== 'page') throw new Error('expected a page');
      const { record } = event;
      const url = `http://x.test/${encodeURI(title)}`;
      state = fold(state, {
        ...event,
        record: { ...record, finalUrl: url as never, document: { ...record.document, title } },
      });
    }
    const screen = renderToString(createElement(Dashboard, { state, columns: 120, rows: 60, theme: COLOURLESS }), {
      columns: 120,
    });
    expect(screen).toContain('ATTACK');
    expect(obeyedIn(screen)).toBeUndefined();
  });

  it('is one line, and cleaning it again changes nothing', () => {
    for (const attack of ATTACKS) {
      const clean = sanitizeForTerminal(attack);
      expect(obeyedIn(clean)).toBeUndefined();
      expect(clean.includes('\n')).toBe(false);
      expect(sanitizeForTerminal(clean)).toBe(clean);
    }
  });
});
