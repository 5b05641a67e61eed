import { extname, join, resolve } from 'node:path';
import { isMap, type Node } from 'yaml';
import { canonicalize, InputError, ROOT, type TopicId } from '../../core/index.ts';
import { sanitizeText } from '../../kit/index.ts';
import {
  type Curation,
  NO_CURATION,
  type Pinned,
  PORTAL_LANGUAGES,
  SECTIONS,
  type Section,
  THEMES,
  type TopicCuration,
  wordNames,
} from '../../postprocess/index.ts';
import { FILE_LIMITS, readBounded } from '../workspace/bounded-file.ts';
import { replaceFile } from '../workspace/replace-file.ts';
import { CURATION_FILE, type Workspace } from '../workspace/workspace.ts';
import { type Entry, writtenText, YamlReader } from '../workspace/yaml-reader.ts';
import { curationTemplate } from './curation-template.ts';

const KEYS = [
  ...['title', 'introduction', 'about', 'contact', 'logo', 'colour', 'theme', 'thumbnails'],
  ...['address', 'language', 'words', 'sections', 'hide', 'topics'],
];
const TOPIC_KEYS = ['title', 'description', 'pin', 'hide', 'sections'];
const PIN_KEYS = ['url', 'note'];
/** Largest logo, in bytes. */
const LOGO_BYTES = 512 * 1024;
const LOGO_TYPES = ['.svg', '.png', '.webp', '.jpg', '.jpeg'];

/**
 * Reads how an editor wants the portal of a workspace.
 * @returns a curation without any decision if there is no file
 * @throws InputError that lists every mistake with its line
 */
export function readCuration({ dir, tree }: Pick<Workspace, 'dir' | 'tree'>): Curation {
  const text = readText(join(dir, CURATION_FILE));
  return text === undefined ? NO_CURATION : parseCuration(text, { dir, tree });
}

/** Checks the text of a portal.yaml and saves it. @throws InputError that lists every mistake with its line */
export function saveCuration(workspace: Pick<Workspace, 'dir' | 'tree'>, text: string): void {
  parseCuration(text, workspace);
  replaceFile(join(workspace.dir, CURATION_FILE), text);
}

/** Returns the text of portal.yaml; or of one to fill in if it is missing. */
export function curationText(workspace: Workspace): { readonly text: string; readonly isSaved: boolean } {
  const text = readText(join(workspace.dir, CURATION_FILE));
  return { text: text ?? curationTemplate(workspace), isSaved: text !== undefined };
}

function parseCuration(text: string, { dir, tree }: Pick<Workspace, 'dir' | 'tree'>): Curation {
  const yaml = new YamlReader(text, CURATION_FILE);
  const read = new CurationReader(yaml, dir);
  const topics = [...tree.nodes.keys()].filter((id) => id !== ROOT);
  const curation = yaml.isReadable ? read.curation(topics) : NO_CURATION;
  const { mistakes } = yaml;
  if (mistakes.length > 0)
    throw new InputError(
      mistakes.length === 1
        ? 'There is a mistake in portal.yaml'
        : `There are ${mistakes.length} mistakes in portal.yaml`,
      mistakes,
    );
  return curation;
}

function readText(path: string): string | undefined {
  try {
    return readBounded(path, FILE_LIMITS.workspace, CURATION_FILE).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

type Entries = ReadonlyMap<string, Entry>;

class CurationReader {
  readonly #yaml: YamlReader;
  readonly #dir: string;
  readonly #hidden = new Set<string>();

  constructor(yaml: YamlReader, dir: string) {
    this.#yaml = yaml;
    this.#dir = dir;
  }

  curation(topics: readonly TopicId[]): Curation {
    const all = this.#yaml.entries(this.#yaml.root, KEYS, 'portal.yaml');
    this.#hide(all.get('hide'));
    return {
      title: this.#text(all.get('title')),
      introduction: this.#paragraphs(all.get('introduction')),
      about: this.#paragraphs(all.get('about')),
      contact: this.#contact(all.get('contact')),
      logo: this.#logo(all.get('logo')),
      accent: this.#colour(all.get('colour')),
      theme: this.#oneOf(all.get('theme'), THEMES) ?? NO_CURATION.theme,
      thumbnails: this.#oneOf(all.get('thumbnails'), ['true', 'false']) === 'true',
      address: this.#address(all.get('address')),
      language: this.#language(all),
      words: this.#words(all.get('words')),
      sections: this.#sections(all.get('sections')) ?? NO_CURATION.sections,
      topics: this.#topics(all.get('topics'), topics),
      hidden: this.#hidden,
    };
  }

  #topics(entry: Entry | undefined, topics: readonly TopicId[]): ReadonlyMap<TopicId, TopicCuration> {
    const found = new Map<TopicId, TopicCuration>();
    for (const [id, { value }] of this.#yaml.entries(entry?.value, topics, 'The list of topics')) {
      const own = this.#yaml.entries(value, TOPIC_KEYS, 'a topic');
      this.#hide(own.get('hide'));
      found.set(id as TopicId, {
        title: this.#text(own.get('title')),
        description: this.#text(own.get('description')),
        pinned: this.#yaml.items(own.get('pin')?.value).flatMap((item) => this.#pin(item)),
        sections: this.#sections(own.get('sections')),
      });
    }
    return found;
  }

  /** A pinned page is a URL, or a URL with a note. */
  #pin(item: Node): readonly Pinned[] {
    if (!isMap(item)) return this.#url(item).map((url) => ({ url, note: '' }));
    const own = this.#yaml.entries(item, PIN_KEYS, 'a pinned page');
    const note = this.#text(own.get('note')) ?? '';
    return this.#url(own.get('url')?.value ?? item).map((url) => ({ url, note }));
  }

  #hide(entry: Entry | undefined): void {
    for (const item of this.#yaml.items(entry?.value)) for (const url of this.#url(item)) this.#hidden.add(url);
  }

  #url(node: Node): readonly string[] {
    const url = canonicalize(writtenText(node) ?? '');
    if (url !== undefined) return [url];
    this.#yaml.mistake(node, 'url', 'This is not the URL of a page.', 'Write it in full: https://example.org/page.');
    return [];
  }

  #text(entry: Entry | undefined): string | undefined {
    if (entry?.value === undefined) return undefined;
    const text = writtenText(entry.value);
    if (text === undefined) this.#yaml.mistake(entry.value, entry.key, 'Expected text.');
    return text === undefined ? undefined : sanitizeText(text).trim() || undefined;
  }

  /** Empty lines part paragraphs. */
  #paragraphs(entry: Entry | undefined): readonly string[] {
    const text = this.#yaml
      .items(entry?.value)
      .map((item) => writtenText(item) ?? '')
      .join('\n\n');
    return text
      .split(/\n\s*\n/)
      .map((part) => sanitizeText(part).trim())
      .filter((part) => part !== '');
  }

  #contact(entry: Entry | undefined): string | undefined {
    const contact = this.#text(entry);
    if (contact === undefined || canonicalize(contact) !== undefined || /^[^\s@<>"]+@[^\s@<>"]+$/.test(contact))
      return contact;
    this.#yaml.mistake(entry?.value, 'contact', 'Expected a mail address or a URL.');
    return undefined;
  }

  #logo(entry: Entry | undefined): Curation['logo'] {
    const file = this.#text(entry);
    if (file === undefined) return undefined;
    const type = extname(file).toLowerCase();
    if (!LOGO_TYPES.includes(type)) {
      this.#yaml.mistake(entry?.value, 'logo', `Expected a picture (${LOGO_TYPES.join(', ')}).`);
      return undefined;
    }
    try {
      return { name: `logo${type}`, bytes: readBounded(resolve(this.#dir, file), LOGO_BYTES, file) };
    } catch (error) {
      const why =
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? `There is no file ${file}.` : (error as Error).message;
      this.#yaml.mistake(entry?.value, 'logo', why, 'Paths are relative to the workspace.');
      return undefined;
    }
  }

  #colour(entry: Entry | undefined): Curation['accent'] {
    const colour = this.#text(entry);
    if (colour === undefined) return undefined;
    const digits = /^#?([0-9a-f]{6})$/i.exec(colour)?.[1];
    if (digits === undefined) {
      this.#yaml.mistake(entry?.value, 'colour', 'Expected a colour as "#rrggbb".', 'Put it in quotes: "#0a58a6".');
      return undefined;
    }
    const number = Number.parseInt(digits, 16);
    return [number >> 16, (number >> 8) & 255, number & 255];
  }

  #address(entry: Entry | undefined): string | undefined {
    const address = this.#text(entry);
    if (address === undefined) return undefined;
    const url = canonicalize(address);
    if (url === undefined) this.#yaml.mistake(entry?.value, 'address', 'Expected the URL at which the portal will be.');
    return url === undefined || url.endsWith('/') ? url : `${url}/`;
  }

  #language(all: Entries): string {
    const entry = all.get('language');
    const language = this.#text(entry) ?? NO_CURATION.language;
    const isTag = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(language);
    const isShipped = PORTAL_LANGUAGES.some((known) => known === language.split('-')[0]);
    if (isTag && (isShipped || all.has('words'))) return language;
    const hint = isTag
      ? 'For another language, add your words under "words:" (docs/portal.md).'
      : 'Write a tag such as de.';
    this.#yaml.mistake(entry?.value, 'language', `Known are ${PORTAL_LANGUAGES.join(', ')}.`, hint);
    return NO_CURATION.language;
  }

  /** The editor's own words: a text by name, for some a text by number. */
  #words(entry: Entry | undefined): Curation['words'] {
    if (entry === undefined) return undefined;
    const names = wordNames();
    const words = this.#yaml.entries(entry.value, [...names.keys()], 'The list of words');
    return Object.fromEntries([...words].map(([name, { value }]) => [name, this.#word(value, name)]));
  }

  #word(value: Node | undefined, name: string): unknown {
    const forms = ['zero', 'one', 'two', 'few', 'many', 'other', 'new', 'changed', 'moved', 'back', 'left'];
    if (!isMap(value)) return writtenText(value);
    return Object.fromEntries(
      [...this.#yaml.entries(value, forms, name)].map(([form, { value: text }]) => [form, writtenText(text)]),
    );
  }

  #sections(entry: Entry | undefined): readonly Section[] | undefined {
    if (entry === undefined) return undefined;
    return this.#yaml.items(entry.value).flatMap((item) => this.#known(item, entry.key, SECTIONS) ?? []);
  }

  #oneOf<T extends string>(entry: Entry | undefined, known: readonly T[]): T | undefined {
    return entry?.value === undefined ? undefined : this.#known(entry.value, entry.key, known);
  }

  #known<T extends string>(node: Node, key: string, known: readonly T[]): T | undefined {
    const found = known.find((one) => one === writtenText(node));
    if (found === undefined) this.#yaml.mistake(node, key, `Expected ${known.join(', ')}.`);
    return found;
  }
}
