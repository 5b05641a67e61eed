import { type ReactNode, useState } from 'react';
import type { ClusterRow } from '../../workbench/index.ts';
import { api } from './api.ts';
import { Busy, count, Field, PageLink, Problem, type Task, useTask } from './parts.tsx';

/** Pages of a group that become examples or counter-examples. */
const TAUGHT = 8;
const TITLES = 4;

/** The last change, and the request that takes it back. */
interface Made {
  readonly told: string;
  readonly undo: () => Promise<unknown>;
}

/** Groups of rejected pages: each becomes a topic, counter-examples, or locked sites. */
export function Rejected({ name }: { readonly name: string }): ReactNode {
  const [groups, setGroups] = useState<readonly ClusterRow[]>();
  const [made, setMade] = useState<Made>();
  const task = useTask();
  const load = (): void =>
    task.run(async () =>
      setGroups(
        (await api(name).get<{ readonly clusters: readonly ClusterRow[] }>('/clusters', { rejected: true })).clusters,
      ),
    );
  const undo = ({ undo: takeBack }: Made): void =>
    task.run(async () => {
      await takeBack();
      setMade(undefined);
    });
  return (
    <section>
      <h2>Rejected pages</h2>
      <button type="button" className="quiet" disabled={task.isBusy} onClick={load}>
        Group the rejected pages
      </button>
      <Problem text={task.problem} />
      {task.isBusy ? <Busy what="Working" /> : null}
      {made === undefined ? null : (
        <p role="status">
          {made.told}{' '}
          <button type="button" className="quiet" disabled={task.isBusy} onClick={() => undo(made)}>
            Undo
          </button>
        </p>
      )}
      {groups?.length === 0 ? <p>No rejected pages to group.</p> : null}
      <ul className="cards">
        {groups?.map((group) => (
          <Group key={group.words.join(' ')} {...{ name, group, task, setMade }} />
        ))}
      </ul>
    </section>
  );
}

interface GroupProps {
  readonly name: string;
  readonly group: ClusterRow;
  readonly task: Task;
  readonly setMade: (made: Made) => void;
}

function Group({ name, group, task, setMade }: GroupProps): ReactNode {
  const { pages, words, typical, hosts } = group;
  const [topic, setTopic] = useState(words.slice(0, 2).join(' '));
  const urls = typical.slice(0, TAUGHT).map(({ url }) => url);
  const sites = hosts.map(({ host }) => host);
  const mark = (marks: Readonly<Record<string, readonly string[]>>, told: string): void =>
    task.run(async () => {
      await api(name).post('/marks', marks);
      setMade({ told, undo: () => api(name).post('/marks', { undo: Object.values(marks).flat() }) });
    });
  const make = (): void =>
    task.run(async () => {
      await api(name).post('/topics', { topic, examples: urls });
      const undo = (): Promise<unknown> => api(name).delete(`/topics?topic=${encodeURIComponent(topic)}`);
      setMade({ told: `"${topic}" is a topic now; the next crawl learns it.`, undo });
    });
  return (
    <li className="card">
      <strong>{words.slice(0, 4).join(', ')}</strong> <span className="soft">{count(pages)} pages</span>
      <ul className="plain">
        {typical.slice(0, TITLES).map(({ url, title }) => (
          <li key={url}>
            <PageLink {...{ url, title }} />
          </li>
        ))}
      </ul>
      <Field label="Name of the topic" value={topic} onChange={setTopic} />
      <div className="bar">
        <button type="button" className="quiet" disabled={task.isBusy || topic.trim() === ''} onClick={make}>
          Make it a topic
        </button>
        <button
          type="button"
          className="quiet"
          disabled={task.isBusy}
          onClick={() => mark({ bad: urls }, `${count(urls.length)} of its pages are counter-examples now.`)}
        >
          Counter-examples
        </button>
        <button
          type="button"
          className="quiet"
          disabled={task.isBusy || sites.length === 0}
          title={sites.join(', ') || 'Each of its sites also has accepted pages.'}
          onClick={() => mark({ badSites: sites }, `Locked: ${sites.join(', ')}.`)}
        >
          Lock {count(sites.length)} {sites.length === 1 ? 'site' : 'sites'}
        </button>
      </div>
    </li>
  );
}
