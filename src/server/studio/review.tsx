import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { Judgement } from '../../core/index.ts';
import type { ChangeRow, MarkResult, ReviewPage, ReviewText, ReviewTopic } from '../../workbench/index.ts';
import { api } from './api.ts';
import { Busy, hostOf, PageLink, Problem, type Task, useLoaded, useTask } from './parts.tsx';

interface State {
  readonly topics: readonly ReviewTopic[];
  readonly decisions: readonly Judgement[];
}

type Decision = 'accept' | 'reject' | 'others' | 'forget';

/** The last step that can be undone: a decision that waits, or decisions that were applied. */
type Step =
  | { readonly kind: 'decided'; readonly key: string; readonly at: number }
  | { readonly kind: 'applied'; readonly keys: readonly string[] };

const KEYS: Readonly<Record<string, Decision>> = { a: 'accept', r: 'reject', o: 'others', u: 'forget' };
const NAMES: Readonly<Record<Decision, string>> = {
  accept: 'Example (a)',
  reject: 'Reject (r)',
  others: 'Counter-example (o)',
  forget: 'Undecided (u)',
};

/** Pages that teach most, beside their text. Nothing changes before decisions are applied. */
export function Review({ name }: { readonly name: string }): ReactNode {
  const [state, setState] = useState<State>();
  const task = useTask();
  const { run } = task;
  const open = useCallback(
    () =>
      run(async () => {
        const known = await api(name)
          .get<State>('/review')
          .catch(() => undefined);
        setState(known ?? (await api(name).post<State>('/review', {})));
      }),
    [name, run],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each workspace
  useEffect(open, [name]);
  return (
    <>
      <h1>Review</h1>
      <Problem text={task.problem} />
      {state === undefined && task.isBusy ? <Busy what="Choosing the pages that teach most" /> : null}
      {state === undefined ? null : <Opened {...{ name, state, setState, task }} />}
    </>
  );
}

interface OpenedProps {
  readonly name: string;
  readonly state: State;
  readonly setState: (state: State | undefined) => void;
  readonly task: Task;
}

function Opened({ name, state, setState, task }: OpenedProps): ReactNode {
  const pages = state.topics.flatMap((topic) => topic.pages.map((page) => ({ page, place: topic.id })));
  const [at, setAt] = useState(0);
  const [cut, setCut] = useState<ReadonlySet<number>>(new Set());
  const [told, setTold] = useState('');
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const decided = new Map(state.decisions.map((one) => [one.key, one]));
  const current = pages[Math.min(at, pages.length - 1)]?.page;
  const move = (to: number): void => {
    setAt(Math.max(0, Math.min(pages.length - 1, to)));
    setCut(new Set());
  };
  const decide = (decision: Decision): void => {
    if (current === undefined) return;
    const without = [...cut].sort((a, b) => a - b);
    const trimmed = without.length > 0 && (decision === 'accept' || decision === 'others') ? { without } : {};
    task.run(async () => {
      await api(name).post('/review/decisions', { key: current.key, decision, ...trimmed });
      setState(await api(name).get<State>('/review'));
      if (decision === 'forget') return;
      setSteps([...steps, { kind: 'decided', key: current.key, at }]);
      move(at + 1);
    });
  };
  const preview = (): void =>
    task.run(async () => setTold(changeText(await api(name).post<ChangeRow>('/review/preview'), 'would change')));
  const apply = (): void =>
    task.run(async () => {
      const { change } = await api(name).post<MarkResult>('/review/apply');
      setTold(changeText(change, 'changed'));
      setState(await api(name).get<State>('/review'));
      setSteps([{ kind: 'applied', keys: [...decided.keys()] }]);
      move(0);
    });
  const undo = (): void => {
    const last = steps.at(-1);
    if (last === undefined) return;
    task.run(async () => {
      const keys = last.kind === 'decided' ? [last.key] : last.keys;
      const decision = last.kind === 'decided' ? 'forget' : 'undo';
      for (const key of keys) await api(name).post('/review/decisions', { key, decision });
      if (last.kind === 'applied') {
        const { change } = await api(name).post<MarkResult>('/review/apply');
        setTold(`Taken back. ${changeText(change, 'changed')}`);
      }
      setState(await api(name).get<State>('/review'));
      setSteps(steps.slice(0, -1));
      if (last.kind === 'decided') move(last.at);
    });
  };
  const end = (): void =>
    task.run(async () => {
      await api(name).delete('/review');
      setState(undefined);
    });
  useKeys((key) => {
    const decision = KEYS[key];
    if (decision !== undefined) decide(decision);
    else if (key === 'z') undo();
    else if (key === 'j' || key === 'ArrowDown') move(at + 1);
    else if (key === 'k' || key === 'ArrowUp') move(at - 1);
    else return false;
    return true;
  });
  if (current === undefined) return <p>There is nothing to review. Crawl first.</p>;
  return (
    <>
      <div className="bar">
        <button type="button" className="quiet" disabled={decided.size === 0 || task.isBusy} onClick={preview}>
          What would change?
        </button>
        <button type="button" disabled={decided.size === 0 || task.isBusy} onClick={apply}>
          Apply {decided.size} {decided.size === 1 ? 'decision' : 'decisions'}
        </button>
        <button type="button" className="quiet" disabled={steps.length === 0 || task.isBusy} onClick={undo}>
          {steps.at(-1)?.kind === 'applied' ? 'Take back what was applied (z)' : 'Undo (z)'}
        </button>
        <button type="button" className="quiet" onClick={end}>
          End the review
        </button>
      </div>
      <p role="status">{task.isBusy ? 'Working …' : told}</p>
      <div className="split">
        <Candidates {...{ pages, decided, current }} onChoose={move} />
        <article>
          <h2 dir="auto">
            <PageLink url={current.key} title={current.title} />
          </h2>
          <p className="soft">
            {current.topic} · {current.origin} · confidence {current.score.toFixed(2)}
          </p>
          <div className="bar">
            {(['accept', 'reject', 'others', 'forget'] as const).map((decision) => (
              <button key={decision} type="button" className="quiet" onClick={() => decide(decision)}>
                {NAMES[decision]}
              </button>
            ))}
          </div>
          <Text {...{ name, page: current, cut, setCut }} />
        </article>
      </div>
    </>
  );
}

/** Listens to keys that are not typed into a field. */
function useKeys(onKey: (key: string) => boolean): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as Element).tagName);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (onKey(event.key)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}

/** Pages shown at a time, around the current one. */
const SHOWN = 40;

function Candidates(props: {
  readonly pages: readonly { readonly page: ReviewPage; readonly place: string }[];
  readonly decided: ReadonlyMap<string, Judgement>;
  readonly current: ReviewPage;
  readonly onChoose: (index: number) => void;
}): ReactNode {
  const { pages, decided, current, onChoose } = props;
  const index = pages.findIndex(({ page }) => page === current);
  const from = Math.max(0, Math.min(index - SHOWN / 2, pages.length - SHOWN));
  return (
    <nav aria-label="Pages to decide on">
      <p className="soft">
        {index + 1} of {pages.length}
      </p>
      <ol className="plain list">
        {pages.slice(from, from + SHOWN).map(({ page, place }, i) => (
          <li key={`${place} ${page.key}`}>
            <button type="button" className="row" aria-current={page === current} onClick={() => onChoose(from + i)}>
              <span dir="auto">{page.title || page.key}</span>{' '}
              <span className="soft">
                {hostOf(page.key)} · {decided.has(page.key) ? `✓ ${decided.get(page.key)?.use}` : page.origin}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The text of a page, with strong terms marked. A paragraph is left out, or taken back, by a click. */
function Text(props: {
  readonly name: string;
  readonly page: ReviewPage;
  readonly cut: ReadonlySet<number>;
  readonly setCut: (cut: ReadonlySet<number>) => void;
}): ReactNode {
  const { name, page, cut, setCut } = props;
  const { value, problem } = useLoaded(`${name} ${page.sequence} ${page.topic}`, () =>
    api(name).get<ReviewText>('/review/text', { sequence: page.sequence, topic: page.topic }),
  );
  const toggle = (i: number): void =>
    setCut(cut.has(i) ? new Set([...cut].filter((one) => one !== i)) : new Set([...cut, i]));
  if (problem !== undefined) return <Problem text={problem} />;
  if (value === undefined) return <Busy what="Reading the text" />;
  return (
    <>
      <p className="soft">
        Strongest terms: {value.terms.join(', ') || 'none'}. Click a paragraph to leave it out of an example.
      </p>
      <div className="text" dir="auto">
        {value.paragraphs.map((segments, i) => (
          <p
            // biome-ignore lint/suspicious/noArrayIndexKey: a paragraph is its place
            key={i}
          >
            <button
              type="button"
              className={cut.has(i) ? 'paragraph cut' : 'paragraph'}
              aria-pressed={cut.has(i)}
              onClick={() => toggle(i)}
            >
              {segments.map(({ text, isTerm }, j) =>
                // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place
                isTerm ? <mark key={j}>{text}</mark> : <span key={j}>{text}</span>,
              )}
            </button>
          </p>
        ))}
      </div>
    </>
  );
}

function changeText({ changed, estimates }: ChangeRow, verb: string): string {
  const recall = estimates.flatMap(({ topic, before, after }) =>
    before === null || after === null
      ? []
      : [`${topic}: recall on held-out pages ${before.heldOutRecall.toFixed(2)} → ${after.heldOutRecall.toFixed(2)}.`],
  );
  return [`${changed} ${changed === 1 ? 'page' : 'pages'} ${verb} topic.`, ...recall].join(' ');
}
