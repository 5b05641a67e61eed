import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { api } from './api.ts';
import { Busy, Problem, useLoaded, useTask } from './parts.tsx';

interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly overridden: boolean;
  readonly help: string;
}

interface Answer {
  readonly settings: readonly Setting[];
  readonly sections: Readonly<Record<string, string>>;
}

interface Group {
  readonly title: string;
  readonly help: string;
  readonly settings: readonly Setting[];
}

/** Every setting: its value, its default, what it does. Those with a value of their own come first. */
export function Settings({ name }: { readonly name: string }): ReactNode {
  const [words, setWords] = useState('');
  const [first, setFirst] = useState<readonly Setting[]>();
  const { value, problem, reload } = useLoaded(`settings ${name}`, () => api(name).get<Answer>('/settings'));
  // A row keeps its group while the view is open, so that saving moves neither the row nor the focus.
  if (first === undefined && value !== undefined) setFirst(value.settings);
  const wanted = words.trim().toLowerCase();
  const found = groupsOf(value, (first ?? []).filter(isOwn), wanted);
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
      {value !== undefined && found.length === 0 ? <p role="status">No setting has these words.</p> : null}
      {found.map(({ title, help, settings }) => (
        <details key={title} open={title === CHANGED || wanted !== ''}>
          <summary>
            <strong>{title}</strong> <span className="soft">{help}</span>
          </summary>
          <ul className="plain">
            {settings.map((setting) => (
              <Row key={setting.key} {...{ name, setting, reload }} />
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

const CHANGED = 'Changed';

/** Returns the settings that have some words, by section; `own` ones first in a group of their own. */
function groupsOf(answer: Answer | undefined, own: readonly Setting[], wanted: string): readonly Group[] {
  const { settings = [], sections = {} } = answer ?? {};
  const ownKeys = new Set(own.map(({ key }) => key));
  const found = settings.filter(({ key, help }) => `${key} ${help}`.toLowerCase().includes(wanted));
  const isIn = (title: string, { key }: Setting): boolean =>
    ownKeys.has(key) ? title === CHANGED : key.startsWith(`${title}.`);
  return Object.entries({ [CHANGED]: 'They differ from the default.', ...sections })
    .map(([title, help]) => ({ title, help, settings: found.filter((one) => isIn(title, one)) }))
    .filter((group) => group.settings.length > 0);
}

function isOwn({ value, default: usual }: Setting): boolean {
  return shown(value) !== shown(usual);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Row(props: { readonly name: string; readonly setting: Setting; readonly reload: () => void }): ReactNode {
  const { name, setting, reload } = props;
  const { key, help, overridden } = setting;
  const [draft, setDraft] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const task = useTask();
  const isChanged = draft !== undefined && draft !== shown(setting.value);
  const write =
    (next: string | null) =>
    (event?: FormEvent): void => {
      event?.preventDefault();
      task.run(async () => {
        await api(name).put('/settings', { key, value: next });
        setDraft(undefined);
        reload();
        // The button that was pressed goes away.
        field.current?.focus();
      });
    };
  return (
    <li className="setting">
      <form onSubmit={write(draft ?? shown(setting.value))} className="bar">
        <label htmlFor={key}>{key}</label>
        <input
          ref={field}
          id={key}
          value={draft ?? shown(setting.value)}
          disabled={overridden}
          onChange={(event) => setDraft(event.target.value)}
        />
        {isChanged ? <button type="submit">Save</button> : null}
        {isOwn(setting) && !isChanged && !overridden ? (
          <button type="button" className="quiet" onClick={() => write(null)()}>
            Default: {shown(setting.default) || 'empty'}
          </button>
        ) : null}
      </form>
      <p className="soft">{help}</p>
      <Problem text={task.problem} />
    </li>
  );
}
