import { type ReactNode, useEffect, useState } from 'react';
import { api } from './api.ts';
import { Busy, count, Problem, useLoaded, useTask } from './parts.tsx';

interface Written {
  readonly pages: number;
  readonly topics: number;
  readonly missing: readonly string[];
  readonly folder: string;
  readonly path: string;
}

/** The portal: its choices in portal.yaml, and publishing. */
export function Curate({ name }: { readonly name: string }): ReactNode {
  const curation = useLoaded(`curation ${name}`, () =>
    api(name).get<{ readonly text: string; readonly isSaved: boolean }>('/curation'),
  );
  const [text, setText] = useState('');
  const [written, setWritten] = useState<Written>();
  const [told, setTold] = useState('');
  const task = useTask();
  useEffect(() => setText(curation.value?.text ?? ''), [curation.value]);
  const save = async (): Promise<void> => {
    await api(name).put('/curation', { text });
    setTold('Saved.');
  };
  const publish = (): void =>
    task.run(async () => {
      await save();
      setWritten(await api(name).post<Written>('/portal'));
      setTold('');
    });
  return (
    <>
      <h1>The portal</h1>
      <p>
        A static web site of the accepted pages. Choose its title, words and colours, pin pages with a note, hide
        others. Lines that begin with “#” are suggestions.
      </p>
      <Problem text={curation.problem} />
      {curation.value === undefined ? <Busy what="Reading portal.yaml" /> : null}
      <textarea
        aria-label="portal.yaml"
        className="code"
        rows={24}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="bar">
        <button type="button" className="quiet" disabled={task.isBusy} onClick={() => task.run(save)}>
          Save
        </button>
        <button type="button" disabled={task.isBusy} onClick={publish}>
          Write the site
        </button>
      </div>
      <Problem text={task.problem} />
      <p role="status">{task.isBusy ? 'Working …' : told}</p>
      {written === undefined ? null : (
        <section className="sheet">
          <p>
            {count(written.pages)} pages in {count(written.topics)} topics.{' '}
            <a href={written.path} target="_blank" rel="noreferrer">
              Look at it
            </a>
          </p>
          <p className="soft">Copy the folder {written.folder} to any web host.</p>
          {written.missing.map((url) => (
            <p key={url} className="problem">
              Pinned, but not stored: {url}
            </p>
          ))}
        </section>
      )}
    </>
  );
}
