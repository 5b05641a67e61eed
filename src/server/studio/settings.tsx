import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from './api.ts';
import { Busy, Problem, useLoaded, useTask } from './parts.tsx';

interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly overridden: boolean;
  readonly help: string;
}

/** Every setting: its value, its default, what it does. */
export function Settings({ name }: { readonly name: string }): ReactNode {
  const [words, setWords] = useState('');
  const { value, problem, reload } = useLoaded(`settings ${name}`, () =>
    api(name).get<{ readonly settings: readonly Setting[] }>('/settings'),
  );
  const found = (value?.settings ?? []).filter(({ key, help }) =>
    `${key} ${help}`.toLowerCase().includes(words.trim().toLowerCase()),
  );
  return (
    <>
      <h1>Settings</h1>
      <p>Good results need none of them. A change is written into bingo.yaml and holds from the next crawl on.</p>
      <input
        type="search"
        aria-label="Find a setting"
        placeholder="Find a setting"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <Problem text={problem} />
      {value === undefined ? <Busy what="Reading the settings" /> : null}
      <ul className="plain">
        {found.map((setting) => (
          <Row key={`${setting.key} ${JSON.stringify(setting.value)}`} {...{ name, setting, reload }} />
        ))}
      </ul>
    </>
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Row(props: { readonly name: string; readonly setting: Setting; readonly reload: () => void }): ReactNode {
  const { name, setting, reload } = props;
  const { key, help, overridden } = setting;
  const [value, setValue] = useState(shown(setting.value));
  const task = useTask();
  const isChanged = value !== shown(setting.value);
  const isOwn = shown(setting.value) !== shown(setting.default);
  const write =
    (next: string | null) =>
    (event?: FormEvent): void => {
      event?.preventDefault();
      task.run(async () => {
        await api(name).put('/settings', { key, value: next });
        reload();
      });
    };
  return (
    <li className="setting">
      <form onSubmit={write(value)} className="bar">
        <label htmlFor={key}>{key}</label>
        <input id={key} value={value} disabled={overridden} onChange={(event) => setValue(event.target.value)} />
        {isChanged ? <button type="submit">Save</button> : null}
        {isOwn && !isChanged && !overridden ? (
          <button type="button" className="quiet" onClick={() => write(null)()}>
            Default: {shown(setting.default)}
          </button>
        ) : null}
      </form>
      <p className="soft">{help}</p>
      <Problem text={task.problem} />
    </li>
  );
}
