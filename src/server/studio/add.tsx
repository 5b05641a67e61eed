import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from './api.ts';
import { Choice, Field, Problem, useLoaded, useTask, useTopics } from './parts.tsx';
import { addressOf } from './route.ts';

interface Listed {
  readonly workspaces: readonly { readonly name: string }[];
}

const LISTS = [
  ['examples', 'an example'],
  ['others', 'a counter-example'],
  ['seeds', 'a page to start from'],
] as const;

/** Adds the page that a bookmarklet or another application sent. */
export function Add({ url: given }: { readonly url: string }): ReactNode {
  const [url, setUrl] = useState(given);
  const [workspace, setWorkspace] = useState('');
  const [topic, setTopic] = useState('');
  const [list, setList] = useState('examples');
  const [done, setDone] = useState('');
  const task = useTask();
  const names = useLoaded('names', async () =>
    (await api().get<Listed>('/workspaces')).workspaces.map((one) => one.name),
  );
  const place = workspace || (names.value?.[0] ?? '');
  const topics = useTopics(place);
  const chosen = topic || (topics.value?.[0]?.topic ?? '');
  const add = (event: FormEvent): void => {
    event.preventDefault();
    task.run(async () => {
      await api(place).post('/pages', { url, topic: chosen, list });
      setDone(`Added to ${chosen}. The next crawl learns from it.`);
    });
  };
  return (
    <>
      <h1>Add a page</h1>
      <form onSubmit={add} className="sheet">
        <Field label="Address" value={url} onChange={setUrl} isWanted />
        <Choice
          label="Workspace"
          value={place}
          onChange={setWorkspace}
          options={(names.value ?? []).map((name) => [name, name])}
        />
        <Choice
          label="Topic"
          value={chosen}
          onChange={setTopic}
          options={(topics.value ?? []).map((one) => [one.topic, one.topic])}
        />
        <Choice label="It is" value={list} onChange={setList} options={LISTS} />
        <Problem text={task.problem ?? names.problem ?? topics.problem} />
        <button type="submit" disabled={task.isBusy || chosen === ''}>
          Add
        </button>
        <p role="status">{done}</p>
        {done === '' ? null : <a href={addressOf(place, 'watch')}>Open {place}</a>}
      </form>
    </>
  );
}
