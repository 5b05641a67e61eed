import { type ReactNode, useEffect, useState } from 'react';
import type { CurationFields } from '../../workbench/index.ts';
import { api } from './api.ts';
import { Busy, Choice, count, Field, Problem, useLoaded, useTask } from './parts.tsx';

interface Written {
  readonly pages: number;
  readonly topics: number;
  readonly missing: readonly string[];
  readonly folder: string;
  readonly path: string;
}

interface Curation {
  readonly text: string;
  /** Missing if the text cannot be read. */
  readonly fields?: CurationFields;
  readonly themes: readonly string[];
  readonly languages: readonly string[];
  readonly sections: readonly string[];
}

/** The portal: the editor's choices, and publishing. */
export function Curate({ name }: { readonly name: string }): ReactNode {
  const curation = useLoaded(`curation ${name}`, () => api(name).get<Curation>('/curation'));
  const [fields, setFields] = useState<CurationFields>();
  const [text, setText] = useState('');
  const [written, setWritten] = useState<Written>();
  const [told, setTold] = useState('');
  const task = useTask();
  useEffect(() => {
    setFields(curation.value?.fields);
    setText(curation.value?.text ?? '');
  }, [curation.value]);
  const isFileEdited = curation.value !== undefined && text !== curation.value.text;
  const isFormEdited = fields !== curation.value?.fields;
  const keep = async (): Promise<void> => {
    await api(name).put('/curation', fields === undefined || isFileEdited ? { text } : { fields });
    curation.reload();
    setTold('Saved.');
  };
  const publish = (): void =>
    task.run(async () => {
      await keep();
      setWritten(await api(name).post<Written>('/portal'));
      setTold('');
    });
  return (
    <>
      <h1>The portal</h1>
      <p>A static web site of the accepted pages. Choose its title, words and colours, pin pages, hide others.</p>
      <Problem text={curation.problem} />
      {curation.value === undefined ? <Busy what="Reading portal.yaml" /> : null}
      {fields === undefined || curation.value === undefined || isFileEdited ? null : (
        <Form key={curation.value.text} fields={fields} known={curation.value} onChange={setFields} />
      )}
      <details open={curation.value !== undefined && fields === undefined}>
        <summary>
          All choices as a file <span className="soft">portal.yaml; lines that begin with “#” are suggestions</span>
        </summary>
        <textarea
          aria-label="portal.yaml"
          className="code"
          rows={24}
          spellCheck={false}
          readOnly={isFormEdited}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </details>
      <div className="bar">
        <button type="button" className="quiet" disabled={task.isBusy} onClick={() => task.run(keep)}>
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

type TopicFields = CurationFields['topics'][number];

interface FormProps {
  readonly fields: CurationFields;
  readonly known: Curation;
  readonly onChange: (fields: CurationFields) => void;
}

function Form({ fields, known, onChange }: FormProps): ReactNode {
  const set = (change: Partial<CurationFields>): void => onChange({ ...fields, ...change });
  const setTopic = (topic: string, change: Partial<TopicFields>): void =>
    set({ topics: fields.topics.map((one) => (one.topic === topic ? { ...one, ...change } : one)) });
  const shown = (section: string, isShown: boolean): void =>
    set({ sections: isShown ? [...fields.sections, section] : fields.sections.filter((one) => one !== section) });
  return (
    <>
      <Field label="Title" value={fields.title} onChange={(title) => set({ title })} />
      <Field
        label="Introduction"
        hint="On the first page. An empty line begins a paragraph."
        rows={4}
        value={fields.introduction}
        onChange={(introduction) => set({ introduction })}
      />
      <Field
        label="About"
        hint="Who makes this portal, and how pages are chosen."
        rows={3}
        value={fields.about}
        onChange={(about) => set({ about })}
      />
      <Field
        label="Contact"
        hint="A mail address or URL."
        value={fields.contact}
        onChange={(contact) => set({ contact })}
      />
      <Field
        label="Colour"
        hint="Of links and buttons, such as #0a58a6."
        value={fields.colour}
        onChange={(colour) => set({ colour })}
      />
      <Field
        label="Address"
        hint="Where the portal will be: for its sitemap and previews of links."
        value={fields.address}
        onChange={(address) => set({ address })}
      />
      <p className="bar">
        <Choice
          label="Theme"
          value={fields.theme}
          options={known.themes.map((theme) => [theme, theme])}
          onChange={(theme) => set({ theme })}
        />
        <Choice
          label="Language"
          value={fields.language}
          options={[...new Set([fields.language, ...known.languages])].map((tag) => [tag, languageOf(tag)])}
          onChange={(language) => set({ language })}
        />
      </p>
      <fieldset>
        <legend>Sections of a topic</legend>
        <div className="bar">
          {known.sections.map((section) => (
            <label key={section}>
              <input
                type="checkbox"
                checked={fields.sections.includes(section)}
                onChange={(event) => shown(section, event.target.checked)}
              />{' '}
              {SECTION_NAMES[section] ?? section}
            </label>
          ))}
        </div>
      </fieldset>
      <Lines
        label="Hidden pages"
        hint="One address per line."
        lines={fields.hide}
        onChange={(hide) => set({ hide: hide.map((line) => line.trim()).filter((line) => line !== '') })}
      />
      <h2>Topics</h2>
      {fields.topics.map(({ topic, title, description, pin }) => (
        <details key={topic}>
          <summary>{title || topic}</summary>
          <Field
            label={`Public name of ${topic}`}
            value={title}
            onChange={(value) => setTopic(topic, { title: value })}
          />
          <Field
            label={`Description of ${topic}`}
            rows={2}
            value={description}
            onChange={(value) => setTopic(topic, { description: value })}
          />
          <Lines
            label={`Pages to read first about ${topic}`}
            hint="One per line: its address, then a note if you like."
            lines={pin.map(({ url, note }) => `${url} ${note}`.trim())}
            onChange={(lines) => setTopic(topic, { pin: lines.flatMap(pinOf) })}
          />
        </details>
      ))}
    </>
  );
}

/** Lines of text; what is being typed stays as it is. */
function Lines(props: {
  readonly label: string;
  readonly hint: string;
  readonly lines: readonly string[];
  readonly onChange: (lines: readonly string[]) => void;
}): ReactNode {
  const [typed, setTyped] = useState(props.lines.join('\n'));
  const change = (value: string): void => {
    setTyped(value);
    props.onChange(value.split('\n'));
  };
  return <Field label={props.label} hint={props.hint} rows={3} value={typed} onChange={change} />;
}

function pinOf(line: string): TopicFields['pin'] {
  const [url = '', ...note] = line.trim().split(/\s+/);
  return url === '' ? [] : [{ url, note: note.join(' ') }];
}

/** As the portal names them. */
const SECTION_NAMES: Readonly<Record<string, string>> = {
  start: 'Start here',
  map: 'Map',
  cited: 'Widely cited',
  collections: 'Link collections',
  links: 'How they are linked',
  new: 'New',
  dates: 'Timeline',
  sites: 'Sites',
};

function languageOf(tag: string): string {
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
}
