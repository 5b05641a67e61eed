import { Fragment, type ReactNode, useState } from 'react';
import type { NextLink, QuestionAnswer, SteerCommand } from '../../core/index.ts';
import type { TopicRow, WorkspaceStatus } from '../../workbench/index.ts';
import { api } from './api.ts';
import { HarvestChart, type HarvestPoint, RelevanceBars } from './chart.tsx';
import { type Feed, useCrawlFeed } from './crawl-feed.ts';
import {
  Busy,
  count,
  Field,
  hostOf,
  PageLink,
  Problem,
  percent,
  type Task,
  useLoaded,
  useTask,
  useTopics,
} from './parts.tsx';
import { addressOf } from './route.ts';

interface Rows {
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** Questions per topic in a run. */
const QUESTIONS = 8;

/** A crawl as it runs, or how the last one ended. */
export function Watch({ name }: { readonly name: string }): ReactNode {
  const [feed, take] = useCrawlFeed(name);
  const task = useTask();
  const isRunning = feed.state === 'running';
  const status = useLoaded(`status ${name} ${feed.state} ${feed.moments.length}`, () =>
    api(name)
      .get<WorkspaceStatus>('/status')
      .catch(() => undefined),
  );
  const topics = useTopics(name, feed.state);
  const past = useLoaded(`harvest ${name} ${feed.state}`, () => pastHarvest(name));
  const points = isRunning && feed.points.length > 1 ? feed.points : (past.value ?? []);
  return (
    <>
      <h1>{isRunning ? 'The crawl runs' : 'The crawl'}</h1>
      <Figures feed={feed} stored={status.value} />
      <Controls {...{ name, feed, task }} pages={status.value?.pages ?? 0} />
      <Problem text={task.problem ?? feed.problem} />
      {feed.alarms.map(({ code, message, remedy }) => (
        <p key={`${code} ${message}`} className="problem" role="alert">
          {message} {remedy}
        </p>
      ))}
      <Asked {...{ name, feed, task }} onAnswered={() => take({ kind: 'answered' })} />
      <div className="columns">
        <section>
          <h2>Harvest</h2>
          {points.length === 0 && past.isBusy ? (
            <Busy what="Reading the harvest" />
          ) : (
            <HarvestChart points={points} moments={isRunning ? feed.moments : []} />
          )}
        </section>
        <section>
          <h2>Topics</h2>
          <Topics {...{ name, feed, task }} topics={topics.value ?? []} stored={status.value} />
        </section>
      </div>
      <NextLinks {...{ name, feed }} />
      {feed.pages.length === 0 ? null : (
        <div className="columns">
          <section>
            <h2>Last pages</h2>
            <LastPages name={name} feed={feed} />
          </section>
          <section>
            <h2>How relevant they are</h2>
            <RelevanceBars relevances={feed.pages.map(({ relevance }) => relevance)} />
            <h2>Hosts</h2>
            <Hosts {...{ name, feed, task }} />
          </section>
        </div>
      )}
    </>
  );
}

/** The harvest of earlier runs, from the store. */
async function pastHarvest(name: string): Promise<readonly HarvestPoint[]> {
  const query = 'select pages, relevant from harvest_by_minute order by minute';
  const { rows } = await api(name)
    .post<Rows>('/sql', { query, limit: 10_000 })
    .catch(() => ({ rows: [] }));
  let [pages, relevant] = [0, 0];
  return [
    { pages, relevant },
    ...rows.map(([more, good]) => {
      pages += Number(more);
      relevant += Number(good);
      return { pages, relevant };
    }),
  ];
}

function Figures({ feed, stored }: { readonly feed: Feed; readonly stored: WorkspaceStatus | undefined }): ReactNode {
  const { status } = feed;
  const pages = status?.fetched ?? stored?.pages ?? 0;
  const relevant = status?.relevant ?? stored?.relevant ?? 0;
  const figures: readonly (readonly [string, string])[] = [
    ['pages', status === undefined ? count(pages) : `${count(pages)} of ${count(status.budget)}`],
    ['relevant', count(relevant)],
    ['harvest rate', percent(pages === 0 ? Number.NaN : relevant / pages)],
    ...(status === undefined || feed.state !== 'running'
      ? []
      : ([
          ['of the last 100', percent(status.recentHarvestRate)],
          ['pages per second', status.pagesPerSecond.toFixed(1)],
          ['phase', status.paused ? 'paused' : status.phase],
        ] as const)),
    ...(feed.summary === undefined ? [] : ([['ended', feed.summary.reason]] as const)),
  ];
  return (
    <dl className="figures">
      {figures.map(([what, value]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface Steered {
  readonly name: string;
  readonly feed: Feed;
  readonly task: Task;
}

function Controls({ name, feed, task, pages }: Steered & { readonly pages: number }): ReactNode {
  const [budget, setBudget] = useState('');
  const wanted = Number(budget) || pages + 200;
  const steer = (command: SteerCommand | { readonly kind: 'stop' }) => (): void =>
    task.run(() => api(name).post('/crawl/steer', command));
  if (feed.state !== 'running')
    return (
      <form
        className="bar"
        onSubmit={(event) => {
          event.preventDefault();
          task.run(() => api(name).post('/crawl', { budget: wanted, ask: QUESTIONS }));
        }}
      >
        <Field isNumber label="Pages in all" value={budget === '' ? String(wanted) : budget} onChange={setBudget} />
        <button type="submit" disabled={task.isBusy}>
          {pages === 0 ? 'Start crawling' : 'Crawl on'}
        </button>
      </form>
    );
  const isPaused = feed.status?.paused === true;
  return (
    <div className="bar">
      <button type="button" onClick={steer({ kind: isPaused ? 'resume' : 'pause' })}>
        {isPaused ? 'Continue' : 'Pause'}
      </button>
      {feed.status?.phase === 'learning' ? (
        <button type="button" onClick={steer({ kind: 'end-learning' })}>
          Begin to harvest
        </button>
      ) : null}
      <button type="button" onClick={steer({ kind: 'set-budget', budget: (feed.status?.budget ?? 0) + 200 })}>
        200 pages more
      </button>
      <button type="button" className="quiet" onClick={steer({ kind: 'stop' })}>
        Stop
      </button>
    </div>
  );
}

/** A question of the crawl about a page. */
function Asked({ name, feed, task, onAnswered }: Steered & { readonly onAnswered: () => void }): ReactNode {
  const { question } = feed;
  if (question === undefined) return null;
  const { key, topic } = question;
  const answer = (given: QuestionAnswer) => (): void => {
    onAnswered();
    task.run(() => api(name).post('/crawl/answer', { key, topic, answer: given }));
  };
  return (
    <section className="sheet" aria-live="polite">
      <h2>
        On topic? <bdi>{question.topic}</bdi>
      </h2>
      <p>
        <PageLink url={question.key} title={question.title} />
      </p>
      <p className="soft">{question.terms.slice(0, 8).join(', ')}</p>
      <div className="bar">
        <button type="button" onClick={answer('yes')}>
          Yes
        </button>
        <button type="button" onClick={answer('no')}>
          No
        </button>
        <button type="button" className="quiet" onClick={answer('skip')}>
          Skip
        </button>
      </div>
    </section>
  );
}

function Topics(
  props: Steered & { readonly topics: readonly TopicRow[]; readonly stored: WorkspaceStatus | undefined },
): ReactNode {
  const { name, feed, task, topics, stored } = props;
  const queues = new Map(feed.status?.queues.map((queue) => [queue.topic, queue]));
  const grades = new Map(stored?.estimates.map(({ topic, grade }) => [String(topic), grade]));
  const waiting = new Map(stored?.waiting.map(({ topic, links }) => [topic, links]));
  const mark = (topic: string, good: boolean) => (): void =>
    task.run(() => api(name).post('/crawl/steer', { kind: 'mark-topic', topic, good }));
  return (
    <div className="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Topic</th>
            <th scope="col">Pages</th>
            <th scope="col">Waiting</th>
            <th scope="col">Grade</th>
          </tr>
        </thead>
        <tbody>
          {topics.map(({ topic, accepted, good }) => {
            const queue = queues.get(topic);
            return (
              <tr key={topic}>
                <th scope="row">
                  <a href={addressOf(name, 'search', { topic })}>{breakable(topic)}</a>
                </th>
                <td>{count(queue?.accepted ?? accepted)}</td>
                <td>{count(queue === undefined ? (waiting.get(topic) ?? 0) : queue.incoming + queue.outgoing)}</td>
                <td>
                  {queue?.grade ?? grades.get(topic) ?? '–'}{' '}
                  {feed.state === 'running' ? (
                    <button type="button" className="quiet" onClick={mark(topic, !good)}>
                      {good ? 'not wanted' : 'wanted'}
                    </button>
                  ) : null}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Returns a topic with places to break its line. */
function breakable(topic: string): ReactNode {
  return topic.split('/').map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
    <Fragment key={i}>
      {i === 0 ? null : (
        <>
          /<wbr />
        </>
      )}
      {part}
    </Fragment>
  ));
}

/** Links shown that are fetched next. */
const NEXT = 8;

/** What is fetched next, and the reason for its place. */
function NextLinks({ name, feed }: { readonly name: string; readonly feed: Feed }): ReactNode {
  const next = feed.state === 'running' ? (feed.status?.next ?? []) : [];
  if (next.length === 0) return null;
  return (
    <section>
      <h2>Fetched next</h2>
      <ol className="plain">
        {next.slice(0, NEXT).map((link) => (
          <li key={link.url}>
            <PageLink url={link.url} title={link.url.replace(/^https?:\/\//, '')} />{' '}
            <span className="soft">
              {link.topic} · {reasonOf(link)}
            </span>{' '}
            {link.from === '' ? null : (
              <a className="soft" href={addressOf(name, 'search', { page: link.from })}>
                linked from
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

const HOSTS = { ready: '', resting: ', its host rests', busy: ', its host is busy', bad: ', its host fails' } as const;
const WAYS: Readonly<Partial<Record<NextLink['via'], string>>> = { seed: 'start page', hub: 'best link collections' };

function reasonOf({ priority, via, isPreferred, tunnelDepth, host }: NextLink): string {
  const rank = isPreferred ? 'preferred' : `priority ${priority.toFixed(2)}`;
  const way = WAYS[via] === undefined ? '' : `, ${WAYS[via]}`;
  const tunnel = tunnelDepth === 0 ? '' : `, behind ${tunnelDepth} rejected`;
  return `${rank}${way}${tunnel}${HOSTS[host]}`;
}

function LastPages({ name, feed }: { readonly name: string; readonly feed: Feed }): ReactNode {
  return (
    <ol className="plain">
      {feed.pages.slice(0, 15).map(({ sequence, url, title, topic, relevance }) => (
        <li key={sequence} className={topic === null ? 'rejected' : undefined}>
          <a href={addressOf(name, 'search', { page: url })} dir="auto">
            {title || url}
          </a>{' '}
          <span className="soft">
            {hostOf(url)} · {topic ?? 'rejected'} · {relevance.toFixed(2)}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Hosts({ name, feed, task }: Steered): ReactNode {
  const named = feed.status?.hosts.named ?? [];
  if (named.length === 0) return <p className="soft">None to show.</p>;
  const lock = (host: string) => (): void =>
    task.run(() => api(name).post('/crawl/steer', { kind: 'lock-host', host }));
  return (
    <ul className="plain">
      {named.slice(0, 8).map(({ host, standing }) => (
        <li key={host}>
          {host} <span className="soft">{standing}</span>{' '}
          <button type="button" className="quiet" onClick={lock(host)}>
            block
          </button>
        </li>
      ))}
    </ul>
  );
}
