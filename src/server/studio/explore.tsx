import { type ReactNode, useState } from 'react';
import type { ClusterRow, SqlRows } from '../../workbench/index.ts';
import { api } from './api.ts';
import { Compare } from './compare.tsx';
import { LinkGraph, Timeline } from './link-graph.tsx';
import { Busy, Choice, Problem, useLoaded, useTopics } from './parts.tsx';
import { Rejected } from './rejected.tsx';
import { addressOf } from './route.ts';

/** Questions about the whole, as SQL that the user may change. */
const QUESTIONS: readonly (readonly [title: string, query: string])[] = [
  ['Sites by their share of good pages', 'select * from sites_by_density limit 30'],
  [
    'Widely cited pages',
    'select page.title, page.url, link_score.topic, round(link_score.authority, 3) as authority from link_score join alias on alias.url_id = link_score.url_id join page on page.sequence = alias.page order by link_score.authority desc limit 30',
  ],
  [
    'Link collections',
    'select page.title, page.url, link_score.topic, round(link_score.hub, 3) as hub from link_score join alias on alias.url_id = link_score.url_id join page on page.sequence = alias.page order by link_score.hub desc limit 30',
  ],
  ['Harvest by minute', 'select * from harvest_by_minute'],
  ['Topics that cite each other', 'select * from cited_across_topics limit 30'],
];

/** Characters shown of a value. */
const MOST_CHARS = 200;

/** Groups of pages, hubs and authorities, sites, time. */
export function Explore({ name, asked }: { readonly name: string; readonly asked: URLSearchParams }): ReactNode {
  const topics = useTopics(name);
  const best = topics.value?.toSorted((a, b) => b.accepted - a.accepted)[0]?.topic ?? '';
  const chosen = asked.get('topic') ?? best;
  return (
    <>
      <h1>Explore</h1>
      <Choice
        label="Topic"
        value={chosen}
        onChange={(to) => {
          location.hash = addressOf(name, 'explore', { topic: to });
        }}
        options={(topics.value ?? []).map((one) => [one.topic, one.topic])}
      />
      <Problem text={topics.problem} />
      <Groups name={name} chosen={chosen} />
      <LinkGraph name={name} topic={chosen} />
      <Timeline name={name} topic={chosen} />
      <Rejected name={name} />
      <Compare name={name} />
      <Questions name={name} />
    </>
  );
}

function Groups({ name, chosen }: { readonly name: string; readonly chosen: string }): ReactNode {
  const groups = useLoaded(`groups ${name} ${chosen}`, async () =>
    chosen === ''
      ? []
      : (await api(name).get<{ readonly clusters: readonly ClusterRow[] }>('/clusters', { topic: chosen })).clusters,
  );
  const most = Math.max(1, ...(groups.value ?? []).map(({ pages }) => pages));
  return (
    <section>
      <h2>Groups of pages</h2>
      <Problem text={groups.problem} />
      {groups.isBusy ? <Busy what="Grouping" /> : null}
      <ul className="cards">
        {groups.value?.map(({ pages, words, typical }) => (
          <li key={words.join(' ')} className="card">
            <strong>{words.slice(0, 4).join(', ')}</strong> <span className="soft">{pages} pages</span>
            <meter min={0} max={most} value={pages} aria-label={`${pages} pages`} />
            <ul className="plain">
              {typical.slice(0, 4).map(({ url, title }) => (
                <li key={url}>
                  <a href={addressOf(name, 'search', { page: url, q: words.slice(0, 2).join(' ') })} dir="auto">
                    {title || url}
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Questions({ name }: { readonly name: string }): ReactNode {
  const [query, setQuery] = useState(QUESTIONS[0]?.[1] ?? '');
  const [asked, setAsked] = useState(query);
  const { value, problem, isBusy } = useLoaded(`sql ${name} ${asked}`, () =>
    api(name).post<SqlRows>('/sql', { query: asked, limit: 200 }),
  );
  return (
    <section>
      <h2>Questions in SQL</h2>
      <form
        className="sheet"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(query);
        }}
      >
        <Choice
          label="Ready-made"
          value={QUESTIONS.find(([, one]) => one === query)?.[1] ?? ''}
          onChange={(one) => {
            setQuery(one);
            setAsked(one);
          }}
          options={[['', 'your own'], ...QUESTIONS.map(([title, one]) => [one, title] as const)]}
        />
        <textarea
          aria-label="SQL"
          rows={3}
          spellCheck={false}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <button type="submit">Ask</button>
      </form>
      <Problem text={problem} />
      {isBusy ? <Busy what="Asking" /> : null}
      {value === undefined ? null : <Rows {...value} />}
    </section>
  );
}

/** Fractions have three digits. */
function cell(value: unknown): string {
  const shown = typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : String(value ?? '');
  return shown.slice(0, MOST_CHARS);
}

function Rows({ columns, rows }: SqlRows): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen the keyboard scrolls it
    <div className="wide" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no key
            <tr key={i}>
              {row.map((value, j) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
                <td key={j}>{cell(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
