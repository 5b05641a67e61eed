import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { UsageError } from '../../core/index.ts';
import type { NewTopic } from './create-workspace.ts';
import { mediaTypeOf } from './document-folder.ts';
import { makeFolder } from './local-file.ts';

/** Folder of a workspace with documents that were handed over as bytes. */
const FOLDER = 'documents';

/** A document that becomes an example of a topic. */
export interface NewDocument {
  readonly topic: string;
  /** Name of the file; its extension names the format. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Topics with the files that were written for them. */
export interface KeptDocuments {
  readonly topics: readonly NewTopic[];
  /** Removes the files. */
  readonly undo: () => void;
}

/**
 * Writes documents into a folder of the workspace, and adds them to their topics.
 * @throws UsageError if a format is not supported; then nothing is written
 */
export function keepDocuments(
  dir: string,
  topics: readonly NewTopic[],
  documents: readonly NewDocument[],
): KeptDocuments {
  const unknown = documents.find(({ name }) => mediaTypeOf(name) === undefined);
  if (unknown !== undefined)
    throw new UsageError(`${unknown.name}: documents of this format are not read.`, 'docs/formats.md lists formats.');
  const folder = join(dir, FOLDER);
  const written: { readonly topic: string; readonly path: string }[] = [];
  if (documents.length > 0) makeFolder(folder);
  for (const { topic, name, bytes } of documents) {
    const path = freePath(folder, name);
    writeFileSync(path, bytes, { flag: 'wx' });
    written.push({ topic, path });
  }
  const files = Map.groupBy(written, ({ topic }) => topic);
  const added = [...files].map(([name, own]) => {
    const known = topics.find((topic) => topic.name === name);
    return { ...known, name, files: [...(known?.files ?? []), ...own.map(({ path }) => path)] };
  });
  return {
    topics: [...topics.filter(({ name }) => !files.has(name)), ...added],
    undo: () => {
      for (const { path } of written) rmSync(path, { force: true });
    },
  };
}

/** Returns a path in the folder for any name, with its extension; names are numbered if they repeat. */
function freePath(folder: string, name: string): string {
  const ending = extname(name).toLowerCase();
  const base =
    name
      .slice(0, name.length - ending.length)
      .replace(/[^\p{L}\p{N} _-]+/gu, '_')
      .slice(0, 80)
      .trim() || 'document';
  for (let n = 1; ; n++) {
    const path = join(folder, n === 1 ? base + ending : `${base}-${n}${ending}`);
    if (!existsSync(path)) return path;
  }
}
