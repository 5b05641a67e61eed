import type { ReactNode } from 'react';
import type { StandingQuery } from '../../workbench/index.ts';
import { api } from './api.ts';
import { PageLink, Problem, useLoaded, useTask } from './parts.tsx';
import { addressOf } from './route.ts';

interface List {
  readonly queries: readonly StandingQuery[];
}

/** Findings shown per query. */
const SHOWN = 5;

/** Standing queries with what is new, and a button that makes the present search one. */
export function Standing({ name, words }: { readonly name: string; readonly words: string }): ReactNode {
  const list = useLoaded(`standing ${name}`, () => api(name).get<List>('/standing'));
  const task = useTask();
  const change = (work: () => Promise<unknown>): void =>
    task.run(async () => {
      await work();
      list.reload();
    });
  const queries = list.value?.queries ?? [];
  const isKept = queries.some(({ query }) => query === words);
  return (
    <section>
      {words === '' || isKept ? null : (
        <button
          type="button"
          className="quiet"
          disabled={task.isBusy}
          onClick={() => change(() => api(name).post('/standing', { query: words }))}
        >
          Ask again after each crawl
        </button>
      )}
      <Problem text={task.problem ?? list.problem} />
      {queries.length === 0 ? null : <h2>Standing queries</h2>}
      <ul className="plain">
        {queries.map(({ query, kind, news }) => (
          <li key={query}>
            {kind === 'sql' ? <code>{query}</code> : <a href={addressOf(name, 'search', { q: query })}>{query}</a>}{' '}
            <span className="soft">{news.length} new</span>{' '}
            <button
              type="button"
              className="quiet"
              disabled={task.isBusy}
              aria-label={`Remove ${query}`}
              onClick={() => change(() => api(name).delete(`/standing?query=${encodeURIComponent(query)}`))}
            >
              Remove
            </button>
            <ul className="plain">
              {news.slice(-SHOWN).map(({ title, url, foundAt }) => (
                <li key={`${foundAt} ${url} ${title}`}>{url === null ? title : <PageLink {...{ url, title }} />}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
