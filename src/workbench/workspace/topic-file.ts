import { isMap, isScalar, type Node } from 'yaml';
import { CREDENTIALS_HINT, canonicalize, type Example, hasCredentials, type TopicSpec } from '../../core/index.ts';
import { sanitizeText, truncate } from '../../kit/index.ts';
import { EVERYDAY, everydayPages } from './default-counter-examples.ts';
import { hostName } from './host-name.ts';
import { integer, type Rule, truth } from './rules.ts';
import { type Entry, shape, writtenText, type YamlReader } from './yaml-reader.ts';

/** Functions that reading topics needs besides the file. */
export interface TopicFileContext {
  /** Resolves a `file:` path; `undefined` if there is no such file. */
  readonly findFile: (path: string) => string | undefined;
  /** Whether a text contains at least one word that is not a stop word. */
  readonly hasContent: (text: string) => boolean;
}

/** Keys that a topic may have. */
const TOPIC_KEYS = [
  ...(['name', 'good', 'follow', 'shown', 'query', 'examples'] as const),
  ...(['seeds', 'budget', 'lockedHosts', 'others', 'topics'] as const),
] as const;
const MAX_DEPTH = 20;
/** Maximum width of a rejected query in a message. */
const SHOWN_COLUMNS = 81;

/** Where a training page was first named. */
interface Named {
  readonly line: number;
  readonly topic: string;
}

/** Reads the topics of a workspace or of a tree file; reports mistakes to the YAML reader. */
export class TopicFileReader {
  readonly #yaml: YamlReader;
  readonly #context: TopicFileContext;
  readonly #named = new Map<string, Named>();
  #startingPoints = 0;

  constructor(yaml: YamlReader, context: TopicFileContext) {
    this.#yaml = yaml;
    this.#context = context;
  }

  /** Reads the topics under `topics:`. */
  topics(entry: Entry | undefined): readonly TopicSpec[] {
    const specs = this.#children(entry?.value, '', 0);
    if (specs.length === 0 && this.#yaml.mistakes.length === 0) {
      const hint = 'Name at least one topic with examples, or make a workspace with bingo init.';
      this.#yaml.mistake(entry?.keyNode, 'topics', 'The file has no topic.', hint);
    } else if (this.#startingPoints === 0 && this.#yaml.mistakes.length === 0) {
      const hint = 'Add a URL under "seeds:" of a topic; local files are for training, they cannot be crawled from.';
      this.#yaml.mistake(entry?.keyNode, 'topics', 'No topic has a page of the web to start from.', hint);
    }
    return specs;
  }

  /** Reads the counter-examples. */
  others(entry: Entry | undefined, topic = ''): readonly Example[] {
    const where = topic === '' ? 'OTHERS' : `OTHERS of ${topic}`;
    return this.#yaml.items(entry?.value).flatMap((item) => this.#example(item, 'others', where));
  }

  #children(node: Node | undefined, parent: string, depth: number): readonly TopicSpec[] {
    if (depth > MAX_DEPTH) {
      this.#yaml.mistake(node, 'topics', `Topics nest deeper than ${MAX_DEPTH} levels.`, 'Flatten the tree.');
      return [];
    }
    const lines = new Map<string, number>();
    return this.#yaml.items(node).flatMap((item) => {
      const topic = this.#topic(item, parent, depth);
      if (topic === undefined) return [];
      // Names that look the same are equal, even if one has combining accents.
      const name = topic.name.normalize('NFC');
      const before = lines.get(name);
      if (before !== undefined) {
        const hint = `It is also on line ${before}: rename one of them, or put their examples together.`;
        this.#yaml.mistake(item, 'name', `Two topics under the same parent are called "${topic.name}".`, hint);
      }
      lines.set(name, this.#yaml.lineOf(item));
      return [topic];
    });
  }

  #topic(node: Node, parent: string, depth: number): TopicSpec | undefined {
    if (!isMap(node)) {
      const hint = 'Write "- name: …" with "examples:" below it.';
      this.#yaml.mistake(node, 'topics', `Expected a topic, got ${shape(node)}.`, hint);
      return undefined;
    }
    const entries = this.#yaml.entries(node, TOPIC_KEYS, 'a topic');
    const name = this.#name(node, entries.get('name'));
    if (name === undefined) return undefined;
    const id = parent === '' ? name : `${parent}/${name}`;
    const examples = [...this.#query(entries.get('query')), ...this.#examples(entries.get('examples'), id)];
    const seeds = this.#urls(entries.get('seeds'));
    this.#startingPoints += seeds.length + examples.filter((example) => example.kind === 'url').length;
    const topics = this.#children(entries.get('topics')?.value, id, depth + 1);
    // An invalid value has already been reported.
    const isBare =
      entries.get('query')?.value === undefined && this.#yaml.items(entries.get('examples')?.value).length === 0;
    if (isBare && topics.length === 0) this.#noExamples(node, id, seeds.length > 0);
    const good = this.#value(entries.get('good'), truth());
    const follow = this.#value(entries.get('follow'), truth());
    const shown = this.#value(entries.get('shown'), truth());
    const budget = this.#value(entries.get('budget'), integer({ min: 1 }));
    const others = this.others(entries.get('others'), id);
    if (others.length > 0 && topics.length === 0) {
      const hint = 'Move them to "others:" at the top of the file.';
      this.#yaml.mistake(
        entries.get('others')?.keyNode,
        'others',
        `${id} has no subtopics to separate from them.`,
        hint,
      );
    }
    const lockedHosts = this.#lockedHosts(entries.get('lockedHosts'));
    const marks = {
      ...(good === undefined ? {} : { good }),
      ...(follow === undefined ? {} : { follow }),
      ...(shown === undefined ? {} : { shown }),
      ...(budget === undefined ? {} : { budget }),
    };
    return { name, examples, seeds, others, lockedHosts, topics, ...marks };
  }

  #name(node: Node, entry: Entry | undefined): string | undefined {
    const name = writtenText(entry?.value);
    if (name === undefined || name.trim() === '') {
      this.#yaml.mistake(entry?.keyNode ?? node, 'name', 'A topic has no name.', 'Write "name: …" as its first line.');
      return undefined;
    }
    const wrong = whyBadTopicName(name.trim());
    if (wrong !== undefined) this.#yaml.mistake(entry?.value, 'name', wrong.message, wrong.hint);
    return name.trim();
  }

  #noExamples(node: Node, id: string, hasSeeds: boolean): void {
    const hint = hasSeeds
      ? 'Seeds only say where to start. Name two or three typical pages under "examples:" as well; they may be the same.'
      : 'Name two or three typical pages under "examples:", or write a "query:".';
    this.#yaml.mistake(node, 'examples', `The topic ${id} has no examples to learn from.`, hint);
  }

  #query(entry: Entry | undefined): readonly Example[] {
    if (entry === undefined || entry.value === undefined) return [];
    const text = writtenText(entry.value);
    if (text === undefined || text.trim() === '') {
      this.#yaml.mistake(entry.value, 'query', `Expected words, got ${shape(entry.value)}.`);
      return [];
    }
    if (!this.#context.hasContent(text)) {
      const hint =
        'Stop words do not count, nor do words after a minus or runs of more than 30 letters. Add words that only pages of this topic would use.';
      this.#yaml.mistake(entry.value, 'query', `"${truncate(text, SHOWN_COLUMNS)}" holds no word to learn from.`, hint);
      return [];
    }
    return [{ kind: 'text', name: `query: ${text.trim()}`, text: text.trim() }];
  }

  #examples(entry: Entry | undefined, id: string): readonly Example[] {
    return this.#yaml.items(entry?.value).flatMap((item) => this.#example(item, 'examples', id));
  }

  /** The built-in list, without pages that the file names elsewhere. */
  #everyday(node: Node): readonly Example[] {
    const free = everydayPages().filter((url) => !this.#named.has(url));
    for (const url of free) this.#named.set(url, { line: this.#yaml.lineOf(node), topic: 'OTHERS' });
    return free.map((url) => ({ kind: 'url', url }));
  }

  #example(node: Node, key: string, topic: string): readonly Example[] {
    if (isScalar(node)) {
      if (key === 'others' && node.value === EVERYDAY) return this.#everyday(node);
      const url = this.#url(node, key);
      return url === undefined || !this.#isNew(node, url, key, topic) ? [] : [{ kind: 'url', url }];
    }
    const file = this.#yaml.entries(node, ['file'], 'an example').get('file');
    const path = this.#yaml.plain(file?.value);
    if (typeof path !== 'string') return [];
    const found = this.#context.findFile(path);
    if (found === undefined) {
      const hint = 'Paths are relative to the folder of the workspace. Correct the path, or remove the line.';
      this.#yaml.mistake(file?.value, key, `Cannot read the file ${JSON.stringify(path)}.`, hint);
      return [];
    }
    return this.#isNew(node, found, key, topic) ? [{ kind: 'file', path: found }] : [];
  }

  #isNew(node: Node, page: string, key: string, topic: string): boolean {
    const before = this.#named.get(page);
    if (before === undefined) {
      this.#named.set(page, { line: this.#yaml.lineOf(node), topic });
      return true;
    }
    const message = `${page} is already an example of ${before.topic} (line ${before.line}).`;
    this.#yaml.mistake(node, key, message, 'One page can teach one topic: remove one of the two lines.');
    return false;
  }

  #urls(entry: Entry | undefined): readonly string[] {
    const urls = this.#yaml.items(entry?.value).flatMap((item) => this.#url(item, 'seeds') ?? []);
    return [...new Set(urls)];
  }

  #url(node: Node, key: string): string | undefined {
    const text = this.#yaml.plain(node);
    const wrong = whyBadUrl(typeof text === 'string' ? text : '');
    if (wrong === undefined) {
      if (hasCredentials(text as string)) this.#yaml.note(node, `${canonicalize(text as string)}: ${CREDENTIALS_HINT}`);
      return canonicalize(text as string);
    }
    const hint = key === 'seeds' ? wrong : `${wrong} A local file is written "- file: PATH".`;
    this.#yaml.mistake(node, key, `${shape(node)} is not a web address.`, hint);
    return undefined;
  }

  /** Returns the value of a topic's key; `undefined` if it is missing or invalid. */
  #value<T>(entry: Entry | undefined, rule: Rule<T>): T | undefined {
    if (entry?.value === undefined) return undefined;
    const read = rule.read(this.#yaml.plain(entry.value));
    if (read.ok) return read.value;
    this.#yaml.mistake(entry.value, entry.key, `Expected ${rule.expects}, got ${shape(entry.value)}.`);
    return undefined;
  }

  #lockedHosts(entry: Entry | undefined): readonly string[] {
    return this.#yaml.items(entry?.value).flatMap((item) => {
      const host = hostName().read(this.#yaml.plain(item));
      if (host.ok) return [host.value];
      const hint = 'Write the host name alone, such as www.example.org.';
      this.#yaml.mistake(item, 'lockedHosts', `${shape(item)} is not a host name.`, hint);
      return [];
    });
  }
}

/** Returns a hint why a text is not a URL that can be crawled; `undefined` if it is one. */
export function whyBadUrl(text: string): string | undefined {
  if (canonicalize(text) !== undefined) return undefined;
  if (isBareAddress(text)) return `Write the whole address: ${/^[^/?#]*:/.test(text) ? 'http' : 'https'}://${text}`;
  if (/^https?:/i.test(text)) return 'No host can have this name, or this port: look for a typo, such as a blank.';
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return 'Only http:// and https:// addresses can be crawled.';
  return 'Write a whole address such as https://www.example.org/page.';
}

/** Whether a text is a URL without its scheme: `example.org/page`, `localhost:8000`. */
export function isBareAddress(text: string): boolean {
  return /^([\w-]+(\.[\w-]+)+|[\w-]+(?=:\d))([/:?#].*)?$/.test(text);
}

/** Returns why a topic cannot have this name. */
export function whyBadTopicName(name: string): { readonly message: string; readonly hint: string } | undefined {
  if (name.includes('/')) {
    const hint = `Nest the topics instead, or write "${name.replace(/\s*\/\s*/g, ' and ')}".`;
    return { message: `"${name}" holds a "/", which separates topics from their subtopics.`, hint };
  }
  if (name.toUpperCase() === 'OTHERS') {
    const hint = 'Put these pages under "others:" at the top of the file, or choose another name.';
    return { message: `"${name}" is what Bingo calls pages of no topic.`, hint };
  }
  if (/[\x00-\x1f\x7f-\x9f]/.test(name)) return { message: 'The name holds control characters.', hint: 'Retype it.' };
  if (sanitizeText(name) !== name.replace(/^ +| +$/g, '') || !/[\p{L}\p{N}\p{P}\p{S}]/u.test(name))
    return { message: 'The name holds invisible characters.', hint: 'Retype it.' };
  if (name.length > 100) return { message: 'The name is longer than 100 characters.', hint: 'Shorten it.' };
  return undefined;
}
