import { type ReactNode, useEffect, useState } from 'react';
import type { ExampleLook } from '../../workbench/index.ts';
import { api } from './api.ts';
import { Busy, Choice, count, Field, Problem, useTask } from './parts.tsx';

/** Pause after the last key before pages are fetched. */
const REST_MS = 1_000;
/** Pages looked at together, and in all. */
const AT_ONCE = 4;
const MOST = 24;
/** With fewer words, a page teaches little. */
const FEW_WORDS = 100;

/** Fetches example pages while they are typed, and shows what each says. */
export function ExampleLooks(props: { readonly urls: readonly string[]; readonly contact: string }): ReactNode {
  const { urls, contact } = props;
  const [looks, setLooks] = useState<ReadonlyMap<string, ExampleLook>>(new Map());
  const task = useTask();
  const wanted = [...new Set(urls)].slice(0, MOST);
  const missing = wanted.filter((url) => !looks.has(url)).slice(0, AT_ONCE);
  const key = missing.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` names the pages
  useEffect(() => {
    if (key === '' || task.isBusy || task.problem !== undefined) return undefined;
    const timer = setTimeout(() => {
      task.run(async () => {
        const body = { urls: missing, contact: contact.trim() };
        const { pages } = await api().post<{ readonly pages: readonly ExampleLook[] }>('/examples', body);
        setLooks((now) => new Map([...now, ...pages.map((page) => [page.url, page] as const)]));
      });
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [key, task.isBusy, task.problem]);
  const shown = wanted.flatMap((url) => looks.get(url) ?? []);
  return (
    <>
      {shown.length === 0 ? null : (
        <ul className="plain looks" aria-label="What the examples say">
          {shown.map((look) => (
            <li key={look.url}>
              <Look look={look} />
            </li>
          ))}
        </ul>
      )}
      {task.isBusy ? <Busy what="Reading the examples" /> : null}
      <Problem text={task.problem} />
    </>
  );
}

function Look({ look }: { readonly look: ExampleLook }): ReactNode {
  const { url, title, words, language, passage, problem } = look;
  if (problem !== undefined)
    return (
      <>
        <b>✗ {url}</b> <span className="soft">{problem}</span>
      </>
    );
  const few = words < FEW_WORDS ? ' Choose a page with more text.' : '';
  return (
    <>
      <b dir="auto">
        {few === '' ? '✓' : '!'} {title || url}
      </b>{' '}
      <span className="soft">
        {count(words)} words{language === '' ? '' : `, ${language}`}.{few}
      </span>
      <p className="soft" dir="auto" lang={language || undefined}>
        {passage} …
      </p>
    </>
  );
}

const SERVICES = [
  ['wikipedia:en', 'Wikipedia'],
  ['openalex', 'OpenAlex (papers)'],
  ['crossref', 'Crossref (papers)'],
  ['arxiv', 'arXiv (papers)'],
] as const;

/** Asks a service for pages about a question; the user chooses those that are typical. */
export function Question({
  onPages,
}: {
  readonly onPages: (question: string, urls: readonly string[]) => void;
}): ReactNode {
  const [question, setQuestion] = useState('');
  const [service, setService] = useState<string>(SERVICES[0][0]);
  const [found, setFound] = useState<readonly { readonly url: string; readonly title: string }[]>([]);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const task = useTask();
  const ask = (): void =>
    task.run(async () => {
      const body = { question: question.trim(), service };
      const { pages } = await api().post<{ readonly pages: typeof found }>('/questions', body);
      setFound(pages);
      setLeft(new Set());
    });
  const chosen = found.filter(({ url }) => !left.has(url)).map(({ url }) => url);
  const toggle = (url: string): void =>
    setLeft((now) => new Set(now.has(url) ? [...now].filter((one) => one !== url) : [...now, url]));
  return (
    <details>
      <summary>Find examples for a question</summary>
      <div className="bar">
        <Field label="Question" value={question} onChange={setQuestion} />
        <Choice label="Ask" value={service} onChange={setService} options={SERVICES} />
        <button type="button" className="quiet" disabled={question.trim() === '' || task.isBusy} onClick={ask}>
          Find pages
        </button>
      </div>
      {task.isBusy ? <Busy what="Asking" /> : null}
      <Problem text={task.problem} />
      {found.length === 0 ? null : (
        <>
          <ul className="plain" aria-label="Pages found">
            {found.map(({ url, title }) => (
              <li key={url}>
                <label>
                  <input type="checkbox" checked={!left.has(url)} onChange={() => toggle(url)} />{' '}
                  <bdi>{title || url}</bdi>
                </label>
              </li>
            ))}
          </ul>
          <button type="button" disabled={chosen.length === 0} onClick={() => onPages(question.trim(), chosen)}>
            Take {chosen.length} as examples
          </button>
        </>
      )}
    </details>
  );
}
