import { type DragEvent, type ReactNode, useId, useState } from 'react';
import { api } from './api.ts';
import { Busy, Problem, useTask } from './parts.tsx';

/** A document that becomes an example. */
export interface DroppedDocument {
  readonly name: string;
  readonly base64: string;
}

/** Topics of a list that was dropped. */
export interface DroppedTopic {
  readonly name: string;
  readonly examples: readonly string[];
}

/** Bytes of all documents: their base64 text must fit one request. */
const MAX_BYTES = 17 * 1024 * 1024;
/** Files that may be lists of pages; the server decides by their text. */
const LISTS = /\.(html?|opml|xml|csv|tsv|jsonl?|ndjson|txt|urls)$/i;

/** A place for files: lists become topics, other files documents. */
export function Dropped(props: {
  readonly documents: readonly DroppedDocument[];
  readonly onTopics: (topics: readonly DroppedTopic[]) => void;
  readonly onDocuments: (documents: readonly DroppedDocument[]) => void;
}): ReactNode {
  const { documents, onTopics, onDocuments } = props;
  const id = useId();
  const [isOver, setOver] = useState(false);
  const task = useTask();
  const take = (files: readonly File[]): void =>
    task.run(async () => {
      const found: DroppedDocument[] = [];
      for (const file of files) {
        const topics = LISTS.test(file.name) ? await topicsOf(file) : undefined;
        if (topics === undefined) found.push({ name: file.name, base64: await base64Of(file) });
        else onTopics(topics);
      }
      const all = [...documents, ...found];
      if (all.reduce((sum, { base64 }) => sum + base64.length, 0) > (MAX_BYTES * 4) / 3)
        throw new Error('These documents have more than 17 MB. Use bingo init --documents FOLDER for large ones.');
      onDocuments(all);
    });
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    take([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button takes the same files
    <div
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <label htmlFor={id}>Drop bookmarks, a list or documents here, or choose files</label>
      <input
        id={id}
        type="file"
        multiple
        onChange={(event) => {
          take([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <p className="soft">
        Bookmarks, OPML, CSV and lists of addresses become topics below. PDF, Word, PowerPoint, EPUB, HTML and text
        become examples.
      </p>
      {task.isBusy ? <Busy what="Reading the files" /> : null}
      <Problem text={task.problem} />
      <ul className="plain">
        {documents.map(({ name }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat
          <li key={i}>
            {name}{' '}
            <button type="button" className="quiet" onClick={() => onDocuments(documents.filter((_, j) => j !== i))}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns the topics of a list; `undefined` if the file has no list of pages, so that it is a document. */
async function topicsOf(file: File): Promise<readonly DroppedTopic[] | undefined> {
  const body = { name: file.name, text: await file.text() };
  try {
    return (await api().post<{ readonly topics: readonly DroppedTopic[] }>('/lists', body)).topics;
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === 'USAGE' || code === 'INPUT_INVALID') return undefined;
    throw error;
  }
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  // All bytes at once would be too many arguments.
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}
