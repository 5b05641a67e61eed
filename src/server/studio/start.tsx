import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from './api.ts';
import { Dropped, type DroppedDocument, type DroppedTopic } from './dropped.tsx';
import { ExampleLooks, Question } from './examples.tsx';
import { Busy, Choice, count, Field, Problem, useLoaded, useTask } from './parts.tsx';
import { addressOf } from './route.ts';

interface Listed {
  readonly version: string;
  readonly workspaces: readonly { readonly name: string; readonly pages: number; readonly relevant: number }[];
}

/** The start: workspaces, and a new one. */
export function Start(): ReactNode {
  const { value, problem, isBusy } = useLoaded('workspaces', () => api().get<Listed>('/workspaces'));
  return (
    <>
      <h1>Workspaces</h1>
      <Problem text={problem} />
      {isBusy && value === undefined ? <Busy what="Reading the workspaces" /> : null}
      <ul className="cards">
        {value?.workspaces.map(({ name, pages, relevant }) => (
          <li key={name} className="card">
            <a href={addressOf(name, 'watch')}>{name}</a>
            <p className="soft">
              {count(relevant)} relevant of {count(pages)} pages
            </p>
          </li>
        ))}
      </ul>
      <NewWorkspace />
      <Bookmarklet />
    </>
  );
}

/** Lines of `TOPIC`, each followed by addresses; addresses before a topic belong to one named as the workspace. */
export function readTopics(
  text: string,
  name: string,
): readonly { readonly name: string; readonly examples: string[] }[] {
  const topics = new Map<string, string[]>();
  let topic = name;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    if (/^https?:\/\/|^[\w-]+(\.[\w-]+)+(\/|$)/i.test(line)) topics.set(topic, [...(topics.get(topic) ?? []), line]);
    else topic = line.replace(/:$/, '');
  }
  return [...topics].map(([one, examples]) => ({ name: one, examples }));
}

/** A topic as lines of the field. Its name ends in a colon, in case it looks like an address. */
function linesOf({ name, examples }: DroppedTopic): string {
  return [`${name}:`, ...examples].join('\n');
}

function NewWorkspace(): ReactNode {
  const [name, setName] = useState('');
  const [pages, setPages] = useState('');
  const [contact, setContact] = useState('');
  const [documents, setDocuments] = useState<readonly DroppedDocument[]>([]);
  const [chosen, setChosen] = useState('');
  const task = useTask();
  const topics = readTopics(pages, name.trim() || 'topic');
  const topicOfDocuments =
    topics.find((topic) => topic.name === chosen)?.name ?? topics[0]?.name ?? (name.trim() || 'topic');
  const make = (event: FormEvent): void => {
    event.preventDefault();
    task.run(async () => {
      const body = {
        ...{ name: name.trim(), topics },
        ...(documents.length > 0 && { documents: documents.map((one) => ({ ...one, topic: topicOfDocuments })) }),
        ...(contact.trim() !== '' && { contact: contact.trim() }),
      };
      const made = await api().post<{ readonly name: string }>('/workspaces', body);
      location.hash = addressOf(made.name, 'watch');
    });
  };
  return (
    <section>
      <h2>Start a new one</h2>
      <form onSubmit={make} className="sheet">
        <Field label="Name" value={name} onChange={setName} isWanted hint="A folder of this name holds everything." />
        <Dropped
          documents={documents}
          onDocuments={setDocuments}
          onTopics={(found) => setPages((now) => [now.trim(), ...found.map(linesOf)].filter(Boolean).join('\n'))}
        />
        {documents.length > 0 && topics.length > 1 ? (
          <Choice
            label="The documents are examples of"
            value={topicOfDocuments}
            onChange={setChosen}
            options={topics.map((topic) => [topic.name, topic.name])}
          />
        ) : null}
        <Question
          onPages={(question, urls) =>
            setPages((now) => [now.trim(), linesOf({ name: question, examples: urls })].filter(Boolean).join('\n'))
          }
        />
        <Field
          label="Topics and example pages"
          value={pages}
          onChange={setPages}
          rows={8}
          isWanted
          hint="A line with the name of a topic, then the addresses of two or three typical pages, one per line. The crawl starts there."
        />
        <ExampleLooks urls={topics.flatMap(({ examples }) => examples)} contact={contact} />
        <Field
          label="Contact"
          value={contact}
          onChange={setContact}
          hint="A mail address or URL. It is sent with every request, so that owners of sites can reach you."
        />
        <p className="soft" role="status">
          {topics.length === 0 && documents.length === 0
            ? 'No page yet.'
            : topics.map(({ name: topic, examples }) => `${topic}: ${examples.length}`).join(', ')}
          {documents.length === 0
            ? ''
            : ` ${documents.length} ${documents.length === 1 ? 'document' : 'documents'} for ${topicOfDocuments}`}
        </p>
        <Problem text={task.problem} />
        <button type="submit" disabled={task.isBusy}>
          Create
        </button>
      </form>
    </section>
  );
}

/** A bookmark that sends the page one is reading here. React refuses such addresses, so it is set by hand. */
function Bookmarklet(): ReactNode {
  const code = `javascript:void open('${location.origin}/studio#/add/'+encodeURIComponent(location.href))`;
  return (
    <section>
      <h2>While you read</h2>
      <p>
        Drag this to your bookmarks:{' '}
        <a className="button" href="#/add/" ref={(link) => link?.setAttribute('href', code)}>
          Add to Bingo
        </a>{' '}
        It asks what the page you are reading is good for.
      </p>
    </section>
  );
}
