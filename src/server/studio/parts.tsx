import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { TopicRow } from '../../workbench/index.ts';
import { api, linkable, told } from './api.ts';

/** What a request brought so far. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  readonly isBusy: boolean;
  readonly reload: () => void;
}

/** Loads a value, and again whenever `key` changes. A late answer to an earlier key is dropped. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ value: undefined, problem: undefined, isBusy: true });
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for what `load` depends on
  useEffect(() => {
    let isCurrent = true;
    setState(({ value }) => ({ value, problem: undefined, isBusy: true }));
    load().then(
      (value) => isCurrent && setState({ value, problem: undefined, isBusy: false }),
      (error: unknown) => isCurrent && setState({ value: undefined, problem: told(error), isBusy: false }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, turn]);
  return { ...state, reload: useCallback(() => setTurn((now) => now + 1), []) };
}

/** Loads the topics of a workspace, again whenever `turn` changes; none for a workspace without a name. */
export function useTopics(name: string, turn = ''): Loaded<readonly TopicRow[]> {
  return useLoaded(`topics ${name} ${turn}`, async () =>
    name === '' ? [] : (await api(name).get<{ readonly topics: readonly TopicRow[] }>('/topics')).topics,
  );
}

/** A task that a button starts: whether it runs, and how it failed. */
export interface Task {
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  readonly run: (work: () => Promise<unknown>) => void;
}

/** Runs one task at a time; others are ignored meanwhile. */
export function useTask(): Task {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const running = useRef(false);
  const run = useCallback((work: () => Promise<unknown>): void => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    work()
      .catch((error: unknown) => setProblem(told(error)))
      .finally(() => {
        running.current = false;
        setBusy(false);
      });
  }, []);
  return { isBusy, problem, run };
}

export function Problem({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? null : (
    <p className="problem" role="alert">
      {text}
    </p>
  );
}

export function Busy({ what }: { readonly what: string }): ReactNode {
  return (
    <p className="busy" role="status">
      {what} …
    </p>
  );
}

/** A labelled text field; with `rows` it has several lines. */
export function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly rows?: number;
  readonly isWanted?: boolean;
  readonly isNumber?: boolean;
}): ReactNode {
  const id = useId();
  const { label, value, onChange, hint, rows, isWanted = false, isNumber = false } = props;
  const shared = {
    ...{ id, value, required: isWanted },
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          inputMode={isNumber ? 'numeric' : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <textarea {...shared} rows={rows} spellCheck={false} onChange={(event) => onChange(event.target.value)} />
      )}
      {hint === undefined ? null : (
        <p className="soft" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A labelled choice. */
export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}): ReactNode {
  const id = useId();
  return (
    <span className="choice">
      <label htmlFor={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.target.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}

/** A link to a page of the web, in a new tab and without a referrer; text for other schemes. */
export function PageLink({ url, title }: { readonly url: string; readonly title: string }): ReactNode {
  const address = linkable(url);
  const name = title.trim() === '' ? url : title;
  return address === undefined ? (
    <bdi>{name}</bdi>
  ) : (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" dir="auto">
      {name}
    </a>
  );
}

/** The host of an address, for lists. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

export function count(n: number): string {
  return n.toLocaleString('en');
}

/** A share in percent. */
export function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(100 * share)} %` : '–';
}
