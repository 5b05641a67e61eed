import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  EXTENSION_FUNCTIONS,
  EXTENSION_NAME,
  type Extension,
  type ExtensionKind,
  type ExtensionSource,
  InputError,
  isBuiltInOrdering,
  type LoadedExtension,
  type Mistake,
} from '../../core/index.ts';
import { within } from '../../kit/index.ts';

/** Longest time that a module may take to load. */
const LOAD_MS = 30_000;
const HINT = 'bingo help extensions shows an example of each kind.';

const IN_THREADS = 'It runs in the threads that analyse pages, so pass the absolute path of its module.';

/**
 * Loads and checks extensions. A module exports one as its default, or a list.
 * @throws InputError that lists every mistake, with the file
 */
export async function loadExtensions(sources: readonly ExtensionSource[]): Promise<readonly LoadedExtension[]> {
  const mistakes: Mistake[] = [];
  const loaded: LoadedExtension[] = [];
  for (const source of sources) {
    const file = typeof source === 'string' ? source : undefined;
    const where = file === undefined ? 'extensions' : shown(file);
    const exported = file === undefined ? { default: source } : await importModule(file, mistakes);
    if (exported === undefined) continue;
    const found: readonly unknown[] = Array.isArray(exported.default) ? exported.default : [exported.default];
    if (found.length === 0) mistakes.push({ file: where, message: 'Exports an empty list.', hint: HINT });
    for (const one of found) {
      const problem = problemOf(one, loaded);
      if (problem !== undefined) mistakes.push({ file: where, message: problem, hint: HINT });
      else if (file === undefined && (one as Extension).kind !== 'sink')
        mistakes.push({
          file: where,
          message: `The ${(one as Extension).kind} "${(one as Extension).name}" is an object.`,
          hint: IN_THREADS,
        });
      else loaded.push({ extension: one as Extension, ...(file !== undefined && { file }) });
    }
  }
  if (mistakes.length > 0) throw new InputError('Extensions that cannot be used', mistakes);
  return loaded;
}

/** Returns the file of an extension for messages, or its name if the program passed an object. */
export function extensionPlace({ file, extension }: LoadedExtension): string {
  return file === undefined ? `The ${extension.kind} "${extension.name}"` : `${shown(file)} (${extension.name})`;
}

async function importModule(file: string, mistakes: Mistake[]): Promise<{ readonly default?: unknown } | undefined> {
  const failed = (why: string): undefined => {
    const hint = 'Correct the module, or remove it from "extensions" in bingo.yaml.';
    mistakes.push({ file: shown(file), message: `Cannot be loaded: ${why}.`, hint });
  };
  try {
    const loaded = await within(LOAD_MS, import(pathToFileURL(file).href) as Promise<{ readonly default?: unknown }>);
    return loaded === undefined ? failed(`it did not load within ${LOAD_MS / 1000} s`) : loaded.value;
  } catch (error) {
    return failed(errorText(error));
  }
}

function problemOf(value: unknown, others: readonly LoadedExtension[]): string | undefined {
  if (typeof value !== 'object' || value === null) return 'Expected an extension as the default export.';
  const { kind, name } = value as Readonly<Record<string, unknown>>;
  const wanted = EXTENSION_FUNCTIONS[kind as ExtensionKind];
  const kinds = Object.keys(EXTENSION_FUNCTIONS).join(', ');
  if (wanted === undefined) return `Expected "kind" to be one of ${kinds}, got ${JSON.stringify(kind)}.`;
  if (typeof name !== 'string' || !EXTENSION_NAME.test(name))
    return `Expected "name" to be small letters, digits and "-", got ${JSON.stringify(name)}.`;
  if (typeof (value as Readonly<Record<string, unknown>>)[wanted] !== 'function')
    return `Expected a ${String(kind)} to have the function "${wanted}".`;
  if (isBuiltInOrdering(name)) return `The name "${name}" belongs to an ordering of Bingo.`;
  return others.some(({ extension }) => extension.name === name) ? `Another extension is named "${name}".` : undefined;
}

/** Returns an error as a line: its kind and message, and the line of a syntax error. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error instanceof SyntaxError ? /^file:\S+:(\d+)/.exec(error.stack ?? '')?.[1] : undefined;
  const line = place === undefined ? '' : ` in line ${place}`;
  return `${error.name}: ${error.message.split('\n', 1)[0]?.replace(/\.+$/, '')}${line}`;
}

function shown(file: string): string {
  const near = relative('', file);
  return near.startsWith('..') ? file : near;
}
