import { RANK_MEASURES, readableUrl, type TopicId, type TopicTree } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import { escapeMarkup, type Snippet, shortTitle, webAddress } from '../../postprocess/index.ts';
import { bylineText, endText, type LocalAnswer, type Result, scoreParts, scoreText } from '../../workbench/index.ts';
import { isOn } from '../read-input.ts';

/** Content of a result page. */
export interface SearchPage {
  readonly title: string;
  /** Path of the page. */
  readonly base: string;
  readonly tree: TopicTree;
  /** Accepted pages of each topic and its subtopics, in tree order, if there is no query. */
  readonly accepted?: ReadonlyMap<TopicId, number>;
  /** The query parameters as received. */
  readonly asked: URLSearchParams;
  /** Results lead through this server, which logs that they are opened. */
  readonly isLogged?: boolean;
  /** `undefined` before a query. */
  readonly answer?: LocalAnswer;
  /** Parts of the query that were read differently from what the user may have meant. */
  readonly notes?: readonly string[];
  /** Why the query failed. */
  readonly problem?: { readonly message: string; readonly hint: string | undefined };
  /** URL of the page with more results; missing on the last page. */
  readonly more?: string;
  readonly elapsedMs?: number;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #4d5661; --line: #d5dae0; --paper: #fff; --link: #0b57a4; --mark: #fff0a8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --soft: #9aa4b0; --line: #39404a; --paper: #15181c; --link: #82b6f5; --mark: #554700; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: 0 0 1rem; }
h1 a, h2 a { color: inherit; text-decoration: none; }
a { color: var(--link); }
form { display: flex; flex-wrap: wrap; gap: .5rem; }
input, select, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: .3rem; padding: .35rem .5rem; }
input { min-width: 0; max-width: 100%; }
input[type=search] { flex: 1 1 100%; }
input[type=checkbox] { width: 1.1rem; height: 1.1rem; vertical-align: -.15rem; }
select { max-width: 16rem; }
button { background: var(--link); border-color: var(--link); color: var(--paper); }
label { color: var(--soft); align-self: center; }
ol { list-style: none; margin: 1rem 0; padding: 0; }
ol li { border-top: 1px solid var(--line); padding: .9rem 0; }
ol li.topic { padding: .35rem 0; }
h2 { font-size: 1.05rem; margin: 0; }
h2 a { color: var(--link); }
li p { margin: .15rem 0; }
.soft { color: var(--soft); font-size: .875rem; }
mark { background: var(--mark); color: inherit; border-radius: .15rem; }
.left { font-weight: 600; }
.problem { border-left: .25rem solid #b3261e; padding-left: .75rem; }
`;

/**
 * Renders a page with the search form, and the results if there is a query. It runs no script and loads nothing from
 * elsewhere.
 */
export function searchPage(page: SearchPage): string {
  const [words, like] = [page.asked.get('q') ?? '', page.asked.get('like') ?? ''];
  const asked = words === '' && like !== '' ? `Pages like ${readableUrl(like)}` : words;
  return frame(asked === '' ? page.title : `${asked} – ${page.title}`, page, [
    form(page),
    ...problem(page),
    ...(page.answer === undefined ? census(page) : answers(page, page.answer)),
  ]);
}

/** Renders a list of workspaces. */
export function welcomePage(rows: readonly { readonly name: string; readonly relevant: number }[]): string {
  const items = rows.map(({ name, relevant }) => {
    const pages = `<span class="soft">${counted(relevant, 'page')}</span>`;
    return `<li class="topic"><a href="/w/${encodeURIComponent(name)}/">${escapeMarkup(name)} ${pages}</a></li>`;
  });
  return frame('Workspaces', { title: 'Workspaces', base: '/' }, ['<ol>', ...items, '</ol>']);
}

function frame(head: string, { title, base }: Pick<SearchPage, 'title' | 'base'>, main: readonly string[]): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeMarkup(head)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<header><h1><a href="${escapeMarkup(base)}">${escapeMarkup(title)}</a></h1></header>`,
    '<main>',
    ...main,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function form({ asked, base, tree }: SearchPage): string {
  const text = (name: string, label: string, hint: string): string =>
    `<input type="text" name="${name}" size="14" aria-label="${label}" placeholder="${hint}" value="${escapeMarkup(asked.get(name) ?? '')}">`;
  const topics = [...tree.nodes.values()].filter(({ id }) => id !== '').map(({ id }) => [id, id] as const);
  const tick = (flag: string, label: string): string =>
    `<label><input type="checkbox" name="${flag}" value="1"${isOn(asked.get(flag)) ? ' checked' : ''}> ${label}</label>`;
  const like = asked.get('like') ?? '';
  const ranks = RANK_MEASURES.map((measure) => [measure, `by ${measure}`] as const);
  return [
    `<form action="${escapeMarkup(base)}" role="search">`,
    `<input type="search" name="q" aria-label="Words" placeholder="words, &quot;a phrase&quot;, this OR that, -without, site:example.org" value="${escapeMarkup(asked.get('q') ?? '')}" autofocus>`,
    choice('topic', 'Topic', [['', 'all pages'], ...topics], asked.get('topic')),
    choice('rank', 'Order', [['', 'best first'], ...ranks], asked.get('rank')),
    text('site', 'Site', 'any site'),
    text('since', 'Fetched since', 'since, such as 7d'),
    tick('accepted', 'of any topic'),
    tick('rejected', 'rejected ones'),
    tick('all', 'every word'),
    tick('gone', 'gone pages too'),
    '<button>Search</button>',
    ...(like === '' ? [] : [`<input type="hidden" name="like" value="${escapeMarkup(like)}">`]),
    '</form>',
    ...(like === ''
      ? []
      : [
          `<p>Pages like <bdi>${escapeMarkup(readableUrl(like))}</bdi>. <a href="${escapeMarkup(base)}">All pages</a></p>`,
        ]),
  ].join('\n');
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string | null,
): string {
  const known = chosen === null || options.some(([value]) => value === chosen);
  // A weighted sum, which only a URL can contain, stays selected.
  const all = known ? options : [...options, [chosen, chosen] as const];
  const items = all.map(([value, text]) => {
    const selected = value === (chosen ?? '') ? ' selected' : '';
    return `<option value="${escapeMarkup(value)}"${selected}>${escapeMarkup(text)}</option>`;
  });
  return `<select name="${name}" aria-label="${label}">${items.join('')}</select>`;
}

function problem({ problem }: SearchPage): readonly string[] {
  if (problem === undefined) return [];
  const hint = problem.hint === undefined ? '' : `<br>${escapeMarkup(problem.hint)}`;
  return [`<p class="problem" role="alert">${escapeMarkup(problem.message)}${hint}</p>`];
}

/** Lists what can be searched. */
function census({ accepted, base }: SearchPage): readonly string[] {
  if (accepted === undefined) return [];
  const rows = [...accepted].map(([topic, pages]) => {
    const depth = topic.split('/').length - 1;
    const name = `${escapeMarkup(topic)} <span class="soft">${counted(pages, 'page')}</span>`;
    const address = escapeMarkup(`${base}?${new URLSearchParams({ topic })}`);
    return `<li class="topic" style="padding-left:${1.5 * depth}rem"><a href="${address}">${name}</a></li>`;
  });
  return ['<nav aria-label="Topics"><ol>', ...rows, '</ol></nav>'];
}

function answers(
  { more, elapsedMs, notes = [], asked, base, isLogged = false }: SearchPage,
  { results, matches, ended }: LocalAnswer,
): readonly string[] {
  const time = elapsedMs === undefined ? '' : `, ${elapsedMs.toFixed(0)} ms`;
  const left = ended === 0 ? '' : `, ${count(ended)} that left`;
  const told =
    results.length === 0 && ended === 0
      ? 'Nothing matches.'
      : `${count(results.length)} of ${counted(matches, 'page')}${left}${time}`;
  return [
    `<p class="soft" role="status">${told}</p>`,
    ...notes.map((note) => `<p class="soft">${escapeMarkup(note)}</p>`),
    '<ol>',
    ...results.map((result) => resultItem(result, { base, isLogged, query: asked.get('q') ?? '' })),
    '</ol>',
    ...(more === undefined ? [] : [`<p><a href="${escapeMarkup(more)}">More</a></p>`]),
  ];
}

interface ItemPlace extends Required<Pick<SearchPage, 'base' | 'isLogged'>> {
  readonly query: string;
}

function resultItem(result: Result, { base, isLogged, query }: ItemPlace): string {
  const { title, url, topic, others, fetchedAt, contentType, alike, language } = result;
  const own = webAddress(url);
  const address = own === undefined || !isLogged ? own : `${base}open?${new URLSearchParams({ q: query, url })}`;
  const name = escapeMarkup(shortTitle(title)) || '(no title)';
  const heading =
    address === undefined ? name : `<a href="${escapeMarkup(address)}" rel="noopener noreferrer">${name}</a>`;
  const lang = language === '' || language === 'en' ? '' : ` lang="${language}"`;
  const day = new Date(fetchedAt).toISOString().slice(0, 10);
  const type = contentType === '' || contentType === 'text/html' ? [] : [contentType];
  const score = `<span title="${escapeMarkup(scoreParts(result))}">${escapeMarkup(scoreText(result))}</span>`;
  const similar = `<a href="${escapeMarkup(`${base}?${new URLSearchParams({ like: url })}`)}">Similar pages</a>`;
  const facts = [escapeMarkup(others ? 'rejected' : topic), score, ...[day, ...type].map(escapeMarkup), similar];
  const by = bylineText(result.bibliography);
  const byline = by === '' ? [] : [`<p class="soft" dir="auto">${escapeMarkup(by)}</p>`];
  const end = endText(result);
  const left = end === undefined ? [] : [`<p class="left">${escapeMarkup(end)}</p>`];
  const same = alike.length === 0 ? [] : [`<p class="soft">and ${count(alike.length)} with the same content</p>`];
  return [
    `<li><h2 dir="auto"${lang}>${heading}</h2>`,
    `<p class="soft"><bdi>${escapeMarkup(readableUrl(url))}</bdi></p>`,
    ...byline,
    ...(result.snippet.text === '' ? [] : [`<p dir="auto"${lang}>${passage(result.snippet)}</p>`]),
    `<p class="soft">${facts.join(' · ')}</p>`,
    ...left,
    ...same,
    '</li>',
  ].join('\n');
}

function passage({ text, marks }: Snippet): string {
  let out = '';
  let at = 0;
  for (const [start, end] of marks) {
    out += `${spaced(text.slice(at, start))}<mark>${escapeMarkup(text.slice(start, end))}</mark>`;
    at = end;
  }
  return out + spaced(text.slice(at));
}

/** Restores blanks beside a mark, which escaping trims. */
function spaced(text: string): string {
  const inner = escapeMarkup(text);
  if (inner === '') return text === '' ? '' : ' ';
  return `${/^\s/.test(text) ? ' ' : ''}${inner}${/\s$/.test(text) ? ' ' : ''}`;
}
