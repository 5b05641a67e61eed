import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import type { BrowsedPages, PageFacets, ResultRow, SearchAnswer, StoredPage, UrlRow } from '../../workbench/index.ts';
import { api } from './api.ts';
import { Busy, Choice, count, Field, hostOf, PageLink, Problem, useLoaded, useTask, useTopics } from './parts.tsx';
import { addressOf } from './route.ts';
import { Standing } from './standing.tsx';
import { VirtualList } from './virtual-list.tsx';

const AT_ONCE = 20;

/** Search in the stored pages, with a preview of the chosen one. */
export function Search({ name, asked }: { readonly name: string; readonly asked: URLSearchParams }): ReactNode {
  const given = asked.get('q') ?? '';
  const [words, setWords] = useState(given);
  useEffect(() => setWords(given), [given]);
  const topics = useTopics(name);
  const change = (more: Readonly<Record<string, string>>): void => {
    location.hash = addressOf(name, 'search', { ...Object.fromEntries(asked), page: '', ...more });
  };
  const search = (event: FormEvent): void => {
    event.preventDefault();
    change({ q: words, like: '' });
  };
  const page = asked.get('page') ?? '';
  return (
    <>
      <h1>Search</h1>
      <form onSubmit={search} className="bar">
        <Field label="Words" value={words} onChange={setWords} />
        <Choice
          label="Topic"
          value={asked.get('topic') ?? ''}
          onChange={(topic) => change({ topic })}
          options={[['', 'all pages'], ...(topics.value ?? []).map((one) => [one.topic, one.topic] as const)]}
        />
        <Choice
          label="Order"
          value={asked.get('rank') ?? ''}
          onChange={(rank) => change({ rank })}
          options={[
            ['', 'best first'],
            ...['relevance', 'authority', 'confidence'].map((one) => [one, `by ${one}`] as const),
          ]}
        />
        <Choice
          label="Pages"
          value={asked.get('rejected') ?? ''}
          onChange={(rejected) => change({ rejected })}
          options={[
            ['', 'accepted first'],
            ['true', 'rejected only'],
          ]}
        />
        <button type="submit">Search</button>
      </form>
      <Standing name={name} words={given} />
      <div className="split">
        <Results {...{ name, asked }} />
        {page === '' ? <p className="soft">Choose a page to read it here.</p> : <Preview name={name} url={page} />}
      </div>
    </>
  );
}

function Results({ name, asked }: { readonly name: string; readonly asked: URLSearchParams }): ReactNode {
  const [limit, setLimit] = useState(AT_ONCE);
  const { page: _, ...options } = Object.fromEntries(asked);
  const query = { q: '', ...options, limit };
  const key = JSON.stringify(query);
  const like = asked.get('like') ?? '';
  const isAsked = query.q !== '' || like !== '';
  const { value, problem, isBusy } = useLoaded(`${name} ${key}`, async () =>
    isAsked ? await api(name).get<SearchAnswer>('/search', query) : undefined,
  );
  if (problem !== undefined) return <Problem text={problem} />;
  if (!isAsked) return <Browse {...{ name, asked }} />;
  if (value === undefined) return <Busy what="Searching" />;
  return (
    <section aria-busy={isBusy}>
      {like === '' ? null : (
        <p>
          Pages like <PageLink url={like} title={like} />{' '}
          <a href={addressOf(name, 'search', { ...Object.fromEntries(asked), page: '', like: '' })}>all pages</a>
        </p>
      )}
      <p role="status" className="soft">
        {value.results.length} of {count(value.matches)} pages. {value.notes.join(' ')}
        {value.meant === undefined ? '' : ` Did you mean ${value.meant}?`}
      </p>
      <Sites {...{ name, asked }} results={value.results} />
      <ol className="plain">
        {value.results.map((result) => (
          <li key={result.sequence} className="result">
            <a href={addressOf(name, 'search', { ...Object.fromEntries(asked), page: result.url })} dir="auto">
              {result.title || result.url}
            </a>
            <p dir="auto" lang={result.language ?? undefined}>
              {result.snippet}
            </p>
            <p className="soft">
              {hostOf(result.url)} · {result.topic ?? 'rejected'} · {result.fetchedAt.slice(0, 10)}
            </p>
          </li>
        ))}
      </ol>
      {value.results.length < value.matches && value.results.length === limit ? (
        <button type="button" className="quiet" onClick={() => setLimit(limit + AT_ONCE)}>
          Show more
        </button>
      ) : null}
    </section>
  );
}

/** Height of a row of the list, in pixels. */
const ROW_HEIGHT = 56;
const FACET_NAMES = { topic: 'Topics', site: 'Sites', lang: 'Languages', type: 'Types' } as const;
const MOST_VALUES = 8;

/** All stored pages, without words, however many; with the numbers of pages by topic, site, language and type. */
function Browse({ name, asked }: { readonly name: string; readonly asked: URLSearchParams }): ReactNode {
  const { page: _, q: __, rank, rejected, ...filters } = Object.fromEntries(asked);
  const options = { ...filters, ...(rejected === 'true' && { topic: 'OTHERS' }) };
  const key = JSON.stringify([name, options, rank]);
  const first = useLoaded(`list ${key}`, () => api(name).get<BrowsedPages>('/pages', { ...options, limit: 1 }));
  const facets = useLoaded(`facets ${key}`, () => api(name).get<PageFacets>('/facets', options));
  const load = async (offset: number, limit: number): Promise<BrowsedPages['pages']> =>
    (await api(name).get<BrowsedPages>('/pages', { ...options, offset, limit })).pages;
  const to = (more: Readonly<Record<string, string>>): string =>
    addressOf(name, 'search', { ...Object.fromEntries(asked), page: '', ...more });
  if (first.problem !== undefined) return <Problem text={first.problem} />;
  if (first.value === undefined) return <Busy what="Listing the pages" />;
  const { language, type, topic, site } = facets.value ?? { language: [], type: [], topic: [], site: [] };
  return (
    <section>
      <p role="status" className="soft">
        {count(first.value.total)} pages, most relevant first. Type words to search them.
      </p>
      {Object.entries({ topic, site, lang: language, type }).map(([facet, values]) =>
        values.length < 2 && !asked.has(facet) ? null : (
          <ul key={facet} className="facets" aria-label={FACET_NAMES[facet as keyof typeof FACET_NAMES]}>
            {asked.has(facet) ? (
              <li>
                {asked.get(facet)} <a href={to({ [facet]: '' })}>all</a>
              </li>
            ) : (
              values.slice(0, MOST_VALUES).map(({ value, pages }) => (
                <li key={value}>
                  <a href={to({ [facet]: value })}>{value}</a> <span className="soft">{count(pages)}</span>
                </li>
              ))
            )}
          </ul>
        ),
      )}
      <VirtualList
        label="Pages"
        total={first.value.total}
        rowHeight={ROW_HEIGHT}
        name={key}
        load={load}
        row={(row) => (
          <>
            <a href={to({ page: row.url })} dir="auto">
              {row.title || row.url}
            </a>
            <span className="soft">
              {hostOf(row.url)} · {row.topic ?? 'rejected'} · {row.relevance.toFixed(2)}
            </span>
          </>
        )}
      />
    </section>
  );
}

const MOST_SITES = 6;

/** Sites and languages of the results, to narrow the search. */
function Sites(props: {
  readonly name: string;
  readonly asked: URLSearchParams;
  readonly results: readonly ResultRow[];
}): ReactNode {
  const { name, asked, results } = props;
  const site = asked.get('site') ?? '';
  const sites = [...Map.groupBy(results, ({ url }) => hostOf(url))]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MOST_SITES);
  const narrowed = (to: string): string =>
    addressOf(name, 'search', { ...Object.fromEntries(asked), page: '', site: to });
  if (site === '' && sites.length < 2) return null;
  return (
    <ul className="facets" aria-label="Sites">
      {site === '' ? (
        sites.map(([host, rows]) => (
          <li key={host}>
            <a href={narrowed(host)}>{host}</a> <span className="soft">{rows.length}</span>
          </li>
        ))
      ) : (
        <li>
          {site} <a href={narrowed('')}>all sites</a>
        </li>
      )}
    </ul>
  );
}

/** A stored page: its text, why it was judged so, and marks. */
function Preview({ name, url }: { readonly name: string; readonly url: string }): ReactNode {
  const page = useLoaded(`page ${name} ${url}`, () => api(name).get<StoredPage>('/page', { url, chars: 20_000 }));
  const why = useLoaded(`why ${name} ${url}`, () => api(name).get<UrlRow>('/why', { url }));
  const task = useTask();
  const [told, setTold] = useState('');
  const mark = (marks: Readonly<Record<string, readonly string[]>>, what: string) => (): void =>
    task.run(async () => {
      await api(name).post('/marks', marks);
      setTold(what);
      why.reload();
    });
  if (page.problem !== undefined) return <Problem text={page.problem} />;
  if (page.value === undefined) return <Busy what="Reading the page" />;
  const { title, text } = page.value;
  return (
    <article>
      <h2 dir="auto">
        <PageLink url={url} title={title} />
      </h2>
      <Why row={why.value} />
      <div className="bar">
        <button type="button" className="quiet" onClick={mark({ good: [url] }, 'It is an example now.')}>
          Good example
        </button>
        <button type="button" className="quiet" onClick={mark({ bad: [url] }, 'It is a counter-example now.')}>
          Not wanted
        </button>
        <button type="button" className="quiet" onClick={mark({ undo: [url] }, 'The mark is withdrawn.')}>
          Undo
        </button>
        <a href={addressOf(name, 'search', { like: url })}>Similar pages</a>
      </div>
      <p role="status">{task.isBusy ? 'Learning …' : told}</p>
      <Problem text={task.problem} />
      <div className="text" dir="auto">
        {text.split('\n').map((paragraph, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a paragraph is its place
          <p key={i}>{paragraph}</p>
        ))}
      </div>
    </article>
  );
}

function Why({ row }: { readonly row: UrlRow | undefined }): ReactNode {
  if (row === undefined) return null;
  return (
    <details>
      <summary>Why it was judged so</summary>
      <pre className="soft">
        {JSON.stringify(row, undefined, 1)
          .replace(/[{}"[\]]/g, '')
          .replace(/^\s*,?\n/gm, '')}
      </pre>
    </details>
  );
}
