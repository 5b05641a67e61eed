import type { ExtensionKind, LoadedExtension } from '../../core/index.ts';
import type { Notice } from '../alarms.ts';

/** An extension of a run, as its record names it. */
export interface RunExtension {
  readonly kind: ExtensionKind;
  readonly name: string;
  /** The path of its module from the workspace. */
  readonly file: string;
}

/** Returns the extensions that have a module of the user; others end with the program or the run. */
export function runExtensions(
  loaded: readonly LoadedExtension[],
  pathOf: (file: string) => string,
): readonly RunExtension[] {
  return loaded.flatMap(({ extension: { kind, name }, file, isTemporary }) =>
    file === undefined || isTemporary === true ? [] : [{ kind, name, file: pathOf(file) }],
  );
}

/** What it means that an extension of each kind is missing. */
const MEANS: Readonly<Record<ExtensionKind, string>> = {
  extractor: 'Stored pages keep the fields that it added; new pages get none.',
  classifier: 'Stored pages keep its votes; new pages are judged without it.',
  ordering: 'The priorities that it gave stay in the journal; new links get none.',
  sink: 'It receives no further events.',
};

/** Returns a notice per extension of the last run that this run does not have. */
export function missingExtensions(before: readonly RunExtension[], now: readonly RunExtension[]): readonly Notice[] {
  const missing = before.filter(({ name }) => !now.some((one) => one.name === name));
  return missing.map(({ kind, name, file }) => ({
    code: 'extension-missing',
    message: `The ${kind === 'sink' ? 'event sink' : kind} "${name}" (${file}) took part in the last run and is missing now. ${MEANS[kind]}`,
    remedy: `To use it again, stop the crawl and name ${file} under "extensions" in bingo.yaml.`,
  }));
}
