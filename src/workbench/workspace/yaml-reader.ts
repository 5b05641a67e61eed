import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Mistake } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { didYouMean } from '../words/suggest.ts';
import { parseYaml } from './parse-yaml.ts';

/** A key of a map with its value; `value` is `undefined` if nothing follows the colon. */
export interface Entry {
  readonly key: string;
  readonly keyNode: Node;
  readonly value: Node | undefined;
}

/** Maximum number of characters of a line in a hint. */
const SHOWN_CHARS = 60;

/** Reads one YAML file part by part and collects every mistake with its line, instead of stopping at the first. */
export class YamlReader {
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #document: ReturnType<typeof parseDocument>;
  /** Unresolved aliases that have been reported. */
  readonly #stars = new Set<Alias>();
  readonly mistakes: Mistake[] = [];
  readonly notes: string[] = [];

  /** @param file its name in messages */
  constructor(text: string, file: string) {
    this.#file = file;
    this.#document = parseYaml(text, { lineCounter: this.#lines, prettyErrors: false });
    // Other errors mostly follow from the first: one missing colon causes an error in each following line.
    const errors = this.#document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
    const [first, ...others] = errors;
    if (first === undefined) return;
    const plain = errors.flatMap((error) => plainMistake(error, text) ?? []);
    if (plain.length === errors.length) {
      this.mistakes.push(...plain.map(({ at, ...told }) => ({ file, line: this.#lines.linePos(at).line, ...told })));
      return;
    }
    const { line } = this.#lines.linePos(first.pos[0]);
    const before = first.code === 'BAD_INDENT' ? lineBefore(text, line) : undefined;
    const hints = [
      before &&
        `It may be line ${before.line} that is wrong, "${before.text}": is a ":" or a quotation mark missing there?`,
      'Check the indentation (spaces, no tabs), and quote text that holds ": " or " #".',
      others.length > 0 && `${counted(others.length, 'more place')} may be wrong only because of it.`,
    ];
    const message = `This is not valid YAML: ${first.message}`;
    this.mistakes.push({ file, line, message, hint: hints.filter(Boolean).join(' ') });
  }

  /** False if the file is not YAML; then nothing can be read from it. */
  get isReadable(): boolean {
    return this.#document.errors.length === 0;
  }

  get root(): Node | undefined {
    return this.#resolve(this.#document.contents);
  }

  /** Line of a node, from 1; returns 1 for a node that is not in the file. */
  lineOf(node: Node | undefined): number {
    return node?.range ? this.#lines.linePos(node.range[0]).line : 1;
  }

  mistake(node: Node | undefined, key: string | undefined, message: string, hint?: string): void {
    this.mistakes.push({ file: this.#file, line: this.lineOf(node), key, message, hint });
  }

  /** Reports something that the user should know and that stops nothing. */
  note(node: Node, text: string): void {
    this.notes.push(`${this.#file}, line ${this.lineOf(node)}: ${text}`);
  }

  /** Returns the entries of a map; reports and skips unknown keys. `where` names the map in messages. */
  entries(node: Node | undefined, known: readonly string[], where: string): ReadonlyMap<string, Entry> {
    const found = new Map<string, Entry>();
    if (node === undefined) return found;
    if (!isMap(node)) {
      this.mistake(
        node,
        undefined,
        `Expected ${where} with keys (${known.slice(0, 4).join(', ')} …), got ${shape(node)}.`,
      );
      return found;
    }
    for (const pair of (node as YAMLMap<Node, Node | null>).items) this.#entry(pair, known, where, found);
    return found;
  }

  /** Returns the items of a list; a missing value is an empty list, a single item a list of one. */
  items(node: Node | undefined): readonly Node[] {
    if (node === undefined) return [];
    if (!isSeq(node)) return [node];
    return node.items.flatMap((item) => {
      const value = this.#resolve(item as Node);
      return value === undefined ? [] : [value];
    });
  }

  /** Plain JavaScript value of a node: scalars and lists of scalars. Maps come back as `{}`. */
  plain(node: Node | undefined): unknown {
    if (node === undefined) return null;
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item) => this.plain(this.#resolve(item as Node)));
    return {};
  }

  #entry(pair: Pair<Node, Node | null>, known: readonly string[], where: string, found: Map<string, Entry>): void {
    const keyNode = pair.key;
    const key = isScalar(keyNode) ? String(keyNode.value) : '';
    if (!known.includes(key)) {
      const hint = didYouMean(key, known) ?? `Known here: ${known.join(', ')}.`;
      this.mistake(keyNode, key, `${where} has no such key.`, hint);
      return;
    }
    found.set(key, { key, keyNode, value: this.#resolve(pair.value) });
  }

  #resolve(node: Node | null | undefined): Node | undefined {
    if (node === null || node === undefined) return undefined;
    if (!isAlias(node)) return isScalar(node) && node.value === null ? undefined : node;
    const named = node.resolve(this.#document);
    if (named === undefined) this.#tellStar(node);
    return this.#resolve(named);
  }

  /** Who writes a star in front means one, not what YAML makes of it. */
  #tellStar(node: Alias): void {
    if (this.#stars.has(node)) return;
    this.#stars.add(node);
    const text = JSON.stringify(`*${node.source}`);
    this.mistake(node, undefined, `YAML reads a leading star as a reference to a name.`, `Put it in quotes: ${text}.`);
  }
}

/** A text as it was written, also where YAML takes it for something else: `1.10` is no number as a name. `undefined` for what is no text. */
export function writtenText(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}

/** What a node is, in a word. */
export function shape(node: Node | undefined): string {
  if (node === undefined) return 'nothing';
  if (isMap(node)) return 'keys and values';
  if (isSeq(node))
    return node.items.every(isScalar) ? JSON.stringify(node.items.map((item) => (item as Scalar).value)) : 'a list';
  return isScalar(node) ? JSON.stringify(node.value) : 'something else';
}

/** What can be said of an error without the parser's words, and does not follow from another one. */
function plainMistake(
  { code, pos: [at] }: YAMLError,
  text: string,
): { readonly at: number; readonly message: string; readonly hint: string } | undefined {
  if (code === 'MULTIPLE_DOCS')
    return { at, message: 'A second document begins here.', hint: 'Remove the line "---" or "...".' };
  if (code !== 'DUPLICATE_KEY') return undefined;
  const key = /^[^\s:,}\]]*/.exec(text.slice(at, at + SHOWN_CHARS))![0].replaceAll(/["']/g, '');
  const hint = 'Combine them, or remove one; each topic of a list begins with "- name:".';
  return { at, message: `"${key}" stands in one place twice: this is the second.`, hint };
}

/** The last line above one, counted from 1, that is neither empty nor a comment, without its indentation. */
function lineBefore(text: string, line: number): { readonly line: number; readonly text: string } | undefined {
  const lines = text.split('\n', line - 1);
  const at = lines.findLastIndex((content) => /^\s*[^\s#]/.test(content));
  return at < 0 ? undefined : { line: at + 1, text: lines[at]!.trim().slice(0, SHOWN_CHARS) };
}
