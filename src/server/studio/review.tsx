import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Judgement } from '../../core/index.ts';
import type { ChangeRow, MarkResult, ReviewAudit, ReviewPage, ReviewText, ReviewTopic } from '../../workbench/index.ts';
import { api, told as problemOf } from './api.ts';
import { Busy, Choice, Field, hostOf, PageLink, Problem, type Task, useLoaded, useTask } from './parts.tsx';

interface State {
  readonly topics: readonly ReviewTopic[];
  readonly decisions: readonly (Judgement & { readonly reviewer?: string; readonly at?: string })[];
}

type Decision = 'accept' | 'reject' | 'others' | 'forget';

const KEYS: Readonly<Record<string, Decision>> = { a: 'accept', r: 'reject', o: 'others', u: 'forget' };
const NAMES: Readonly<Record<Decision, string>> = {
  accept: 'Example (a)',
  reject: 'Reject (r)',
  others: 'Counter-example (o)',
  forget: 'Undecided (u)',
};
const USES: Readonly<Record<string, string>> = {
  example: 'example',
  others: 'counter-example',
  dropped: 'rejected',
  free: 'mark withdrawn',
  undecided: 'undecided',
};
/** Other reviewers' decisions are looked up this often. */
const LOOK_MS = 5_000;
/** The effect is computed once no decision was made for this long. */
const REST_MS = 1_500;

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
  /** Pages whose decisions were applied last. */
  const [applied, setApplied] = useState<readonly string[]>([]);
  const [reviewer, setReviewer] = useReviewer();
  const by = reviewer.trim() === '' ? {} : { by: reviewer.trim() };
  const decided = new Map(state.decisions.map((one) => [one.key, one]));
  const current = pages[Math.min(at, pages.length - 1)]?.page;
  const move = (to: number): void => {
    setAt(Math.max(0, Math.min(pages.length - 1, to)));
    setCut(new Set());
  };
  const refresh = async (): Promise<void> => setState(await api(name).get<State>('/review'));
  const send = (decision: string, details: object): void => {
    if (current === undefined) return;
    task.run(async () => {
      await api(name).post('/review/decisions', { key: current.key, decision, ...details, ...by });
      await refresh();
      if (decision !== 'forget') move(at + 1);
    });
  };
  const decide = (decision: Decision): void => {
    const without = [...cut].sort((a, b) => a - b);
    send(decision, without.length > 0 && (decision === 'accept' || decision === 'others') ? { without } : {});
  };
  const undo = (): void =>
    task.run(async () => {
      const { key } = await api(name).post<{ readonly key: string | null }>('/review/undo', by);
      if (key === null && applied.length > 0 && decided.size === 0) {
        for (const one of applied) await api(name).post('/review/decisions', { key: one, decision: 'undo', ...by });
        const { change } = await api(name).post<MarkResult>('/review/apply');
        setTold(`Taken back. ${changeText(change, 'changed')}`);
        setApplied([]);
      } else if (key === null) setTold('There is nothing of yours to undo.');
      else move(pages.findIndex(({ page }) => page.key === key));
      await refresh();
    });
  const apply = (): void =>
    task.run(async () => {
      const { change } = await api(name).post<MarkResult>('/review/apply');
      setTold(changeText(change, 'changed'));
      setApplied([...decided.keys()]);
      await refresh();
      move(0);
    });
  const end = (): void =>
    task.run(async () => {
      await api(name).delete('/review');
      setState(undefined);
    });
  const effect = useEffectOf(name, state, setState);
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
  const topics = state.topics.map(({ id }) => id).filter((id) => !/(^|\/)OTHERS$/.test(id) && id !== current.topic);
  return (
    <>
      <div className="bar">
        <Field label="Your name" value={reviewer} onChange={setReviewer} />
        <button
          type="button"
          className="quiet"
          disabled={(decided.size === 0 && applied.length === 0) || task.isBusy}
          onClick={undo}
        >
          {decided.size === 0 && applied.length > 0 ? 'Take back what was applied (z)' : 'Undo (z)'}
        </button>
        <button type="button" disabled={decided.size === 0 || task.isBusy} onClick={apply}>
          Apply {decided.size} {decided.size === 1 ? 'decision' : 'decisions'}
        </button>
        <button type="button" className="quiet" onClick={end}>
          End the review
        </button>
      </div>
      <p role="status">{task.isBusy ? 'Working …' : told || effect}</p>
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
            {topics.length === 0 ? null : (
              <Choice
                label="Move to"
                value=""
                options={[['', 'a topic …'], ...topics.map((id) => [id, id] as const)]}
                onChange={(to) => to !== '' && send('move', { to })}
              />
            )}
          </div>
          <Text {...{ name, page: current, cut, setCut }} />
        </article>
      </div>
      <Audit name={name} turn={state.decisions.map(({ at: time, key }) => `${time} ${key}`).join()} />
    </>
  );
}

/** Keeps the name of the person at this browser. */
function useReviewer(): readonly [string, (name: string) => void] {
  const [name, setName] = useState(() => localStorage.getItem('bingo-reviewer') ?? '');
  const change = (to: string): void => {
    localStorage.setItem('bingo-reviewer', to);
    setName(to);
  };
  return [name, change];
}

/** Looks up the decisions of other reviewers, and what all would change once they rest. */
function useEffectOf(name: string, state: State, setState: OpenedProps['setState']): string {
  const [effect, setEffect] = useState('');
  const decisions = JSON.stringify(state.decisions);
  useEffect(() => {
    const timer = setInterval(() => {
      const look = api(name).get<State>('/review');
      look.then((now) => JSON.stringify(now.decisions) !== decisions && setState(now)).catch(() => {});
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [name, decisions, setState]);
  useEffect(() => {
    let isCurrent = true;
    setEffect(decisions === '[]' ? '' : 'Counting what the decisions would change …');
    const count = async (): Promise<string> =>
      changeText(await api(name).post<ChangeRow>('/review/preview'), 'would change');
    const show = (text: string): void => {
      if (isCurrent) setEffect(text);
    };
    const timer = decisions === '[]' ? undefined : setTimeout(() => void count().catch(problemOf).then(show), REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [name, decisions]);
  return effect;
}

/** The decisions of all reviews with names and times, and how far reviewers agree. */
function Audit({ name, turn }: { readonly name: string; readonly turn: string }): ReactNode {
  const { value } = useLoaded(`audit ${name} ${turn}`, () =>
    api(name).get<ReviewAudit>('/review/audit', { limit: 100 }),
  );
  if (value === undefined || value.decisions.length === 0) return null;
  return (
    <details>
      <summary>Decisions and agreement</summary>
      <ul className="plain">
        {value.agreements.map(({ reviewers: [a, b], pages, same, kappa }) => (
          <li key={`${a} ${b}`}>
            {a} and {b} agree on {same} of {pages} pages
            {kappa === null ? '' : ` (kappa ${kappa.toFixed(2)})`}.
          </li>
        ))}
      </ul>
      <div className="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Reviewer</th>
              <th scope="col">Decision</th>
              <th scope="col">Page</th>
            </tr>
          </thead>
          <tbody>
            {value.decisions.map(({ at, by, use, topic, title, key }) => (
              <tr key={`${at} ${by} ${key}`}>
                <td>{at.slice(0, 19).replace('T', ' ')}</td>
                <td>{by || 'unknown'}</td>
                <td>
                  {USES[use] ?? use}
                  {use === 'example' ? ` of ${topic}` : ''}
                </td>
                <td dir="auto">{title || key}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
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
  readonly decided: ReadonlyMap<string, State['decisions'][number]>;
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
                {hostOf(page.key)} · {decisionText(decided.get(page.key)) ?? page.origin}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function decisionText(decision: State['decisions'][number] | undefined): string | undefined {
  if (decision === undefined) return undefined;
  const { use, reviewer = '', at } = decision;
  const time = at === undefined ? '' : ` ${at.slice(11, 16)}`;
  return `✓ ${USES[use] ?? use}${reviewer === '' ? '' : `, ${reviewer}${time}`}`;
}

/**
 * The text of a page with the terms for and against its topic. Paragraphs are left out one by one by their numbers, or
 * all that are selected.
 */
function Text(props: {
  readonly name: string;
  readonly page: ReviewPage;
  readonly cut: ReadonlySet<number>;
  readonly setCut: (cut: ReadonlySet<number>) => void;
}): ReactNode {
  const { name, page, cut, setCut } = props;
  const place = useRef<HTMLDivElement>(null);
  const selected = useSelectedParagraphs(place);
  const { value, problem } = useLoaded(`${name} ${page.sequence} ${page.topic}`, () =>
    api(name).get<ReviewText>('/review/text', { sequence: page.sequence, topic: page.topic }),
  );
  const toggle = (i: number): void =>
    setCut(cut.has(i) ? new Set([...cut].filter((one) => one !== i)) : new Set([...cut, i]));
  const leaveOut = (): void => {
    setCut(new Set([...cut, ...selected]));
    getSelection()?.removeAllRanges();
  };
  useKeys((key) => {
    if (key !== 't' || selected.length === 0) return false;
    leaveOut();
    return true;
  });
  if (problem !== undefined) return <Problem text={problem} />;
  if (value === undefined) return <Busy what="Reading the text" />;
  return (
    <>
      <p className="soft">
        <mark>For</mark>: {value.terms.slice(0, 12).join(', ') || 'no term'}. <mark className="against">Against</mark>:{' '}
        {value.against.slice(0, 12).join(', ') || 'no term'}.
      </p>
      <p className="soft">Select text, or press the number of a paragraph, to leave it out of an example.</p>
      <button type="button" className="quiet" disabled={selected.length === 0} onClick={leaveOut}>
        Leave out the selection (t)
      </button>
      <div className="text" dir="auto" ref={place}>
        {value.paragraphs.map((segments, i) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a paragraph is its place
            key={i}
            className={cut.has(i) ? 'paragraph cut' : 'paragraph'}
            data-paragraph={i}
          >
            <button type="button" aria-pressed={cut.has(i)} onClick={() => toggle(i)} title="Leave out, or take back">
              {i + 1}
            </button>
            <p>
              {segments.map(({ text, isTerm, isAgainst = false }, j) =>
                isTerm || isAgainst ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place
                  <mark key={j} className={isAgainst ? 'against' : undefined}>
                    {text}
                  </mark>
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place
                  <span key={j}>{text}</span>
                ),
              )}
            </p>
          </div>
        ))}
      </div>
    </>
  );
}

/** Returns the paragraphs that the selection touches, in order. */
function useSelectedParagraphs(place: RefObject<HTMLDivElement | null>): readonly number[] {
  const [found, setFound] = useState<readonly number[]>([]);
  useEffect(() => {
    const look = (): void => {
      const selection = getSelection();
      const range = selection?.isCollapsed === false ? selection.getRangeAt(0) : undefined;
      const all = range === undefined ? [] : [...(place.current?.children ?? [])];
      const touched = all.filter((paragraph) => range?.intersectsNode(paragraph) === true);
      setFound(touched.map((paragraph) => Number((paragraph as HTMLElement).dataset.paragraph)));
    };
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, [place]);
  return found;
}

function changeText({ changed, estimates }: ChangeRow, verb: string): string {
  const recall = estimates.flatMap(({ topic, before, after }) =>
    before === null || after === null
      ? []
      : [`${topic}: recall on held-out pages ${before.heldOutRecall.toFixed(2)} → ${after.heldOutRecall.toFixed(2)}.`],
  );
  return [`${changed} ${changed === 1 ? 'page' : 'pages'} ${verb} topic.`, ...recall].join(' ');
}
