import {
  ARCHIVE_PREFIX,
  BIBLIOGRAPHY_PREFIX,
  type ClassifierExtension,
  type Extension,
  type ExtensionPage,
  type ExtensionTopic,
  type ExtractorExtension,
  FIELD_LIMITS,
  type FieldValue,
  type GivenPriorities,
  type JudgedExtensionPage,
  type LoadedExtension,
  type OrderingExtension,
  type PageFields,
  type PageVote,
  type TopicId,
  type TopicTree,
} from '../../core/index.ts';
import { within } from '../../kit/index.ts';
import { errorText } from './load.ts';

/** Longest time that an extension may wait on one page. */
const PAGE_MS = 10_000;

const FIELD_NAME = /^[A-Za-z][\w.-]*$/;

/** How an extension did on a page; without `failure`, it worked. */
export interface ExtensionOutcome {
  readonly name: string;
  readonly failure?: string;
}

/** What extensions decided on a page. */
export interface PageDecisions {
  /** Missing if no extractor added a field. */
  readonly fields?: PageFields;
  /** Missing if no classifier voted. */
  readonly votes?: readonly PageVote[];
  readonly outcomes: readonly ExtensionOutcome[];
}

/** What an ordering decided on the links of a page. */
export interface LinkDecisions {
  /** Missing if it gave no priority. */
  readonly given?: GivenPriorities;
  readonly outcomes: readonly ExtensionOutcome[];
}

/** Runs the extensions that look at pages, one after the other. Their failures are values. */
export class PageExtensions {
  readonly #extensions: readonly (ExtractorExtension | ClassifierExtension)[];
  readonly #ordering: OrderingExtension | undefined;
  readonly #topics: readonly ExtensionTopic[];

  /** @param topics all topics below the root */
  constructor(loaded: readonly LoadedExtension[], topics: readonly ExtensionTopic[]) {
    const extensions = loaded.map(({ extension }) => extension);
    this.#extensions = extensions.flatMap((one) =>
      one.kind === 'extractor' || one.kind === 'classifier' ? [one] : [],
    );
    this.#ordering = extensions.find((one) => one.kind === 'ordering');
    this.#topics = topics.map((topic) => Object.freeze({ ...topic }));
  }

  /**
   * @param without names of extensions to leave out
   * @param onBegin called before an extension runs, which may never return
   */
  async decide(
    page: ExtensionPage,
    without: ReadonlySet<string>,
    onBegin: (name: string) => void,
  ): Promise<PageDecisions> {
    const outcomes: ExtensionOutcome[] = [];
    const fields: Record<string, FieldValue> = {};
    const votes: PageVote[] = [];
    for (const extension of this.#extensions) {
      const { name } = extension;
      if (without.has(name)) continue;
      onBegin(name);
      try {
        const failure =
          extension.kind === 'extractor'
            ? await taken(extension.extract(page), (found) => addFields(fields, found))
            : await taken(extension.classify(page, [...this.#topics]), (found) => this.#addVotes(votes, name, found));
        outcomes.push({ name, ...(failure !== undefined && { failure: `${failure} (${page.url})` }) });
      } catch (error) {
        outcomes.push({ name, failure: `${errorText(error)} (${page.url})` });
      }
    }
    return {
      outcomes,
      ...(Object.keys(fields).length > 0 && { fields }),
      ...(votes.length > 0 && { votes }),
    };
  }

  /**
   * Asks the ordering for the priorities of the page's links.
   * @param without see {@link decide}
   * @param onBegin see {@link decide}
   */
  async order(
    page: JudgedExtensionPage,
    without: ReadonlySet<string>,
    onBegin: (name: string) => void,
  ): Promise<LinkDecisions> {
    const ordering = this.#ordering;
    const { length } = page.links;
    if (ordering === undefined || length === 0 || without.has(ordering.name)) return { outcomes: [] };
    const { name } = ordering;
    onBegin(name);
    const priorities = new Float64Array(length).fill(Number.NaN);
    try {
      const failure = await taken(ordering.priorities(page), (found) => addPriorities(priorities, found));
      if (failure !== undefined) return { outcomes: [{ name, failure: `${failure} (${page.url})` }] };
    } catch (error) {
      return { outcomes: [{ name, failure: `${errorText(error)} (${page.url})` }] };
    }
    const isEmpty = priorities.every((priority) => Number.isNaN(priority));
    return { outcomes: [{ name }], ...(!isEmpty && { given: { ordering: name, priorities } }) };
  }

  /** Adds the votes of one classifier, or none and returns what is wrong with them. */
  #addVotes(votes: PageVote[], voter: string, value: unknown): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) return 'it did not return an object of confidences by topic';
    const found: PageVote[] = [];
    for (const [topic, confidence] of Object.entries(value)) {
      if (confidence === undefined || confidence === null) continue;
      if (!this.#topics.some((known) => known.topic === topic)) return `unknown topic ${JSON.stringify(topic)}`;
      if (!Number.isFinite(confidence)) return `the confidence in "${topic}" is not a finite number`;
      const limited = Math.max(-1, Math.min(1, confidence as number));
      if (limited !== 0) found.push({ voter, topic: topic as TopicId, confidence: limited });
    }
    votes.push(...found);
    return undefined;
  }
}

/** True for extensions that look at pages. */
export function isOfPages(extension: Extension): boolean {
  return extension.kind !== 'sink';
}

/** Adds priorities, or returns what is wrong with them; then they are not used. */
function addPriorities(priorities: Float64Array, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const found = Array.isArray(value) || ArrayBuffer.isView(value) ? Array.from(value as ArrayLike<unknown>) : undefined;
  if (found?.length !== priorities.length)
    return `it did not return a list of ${priorities.length} priorities, one per link`;
  const isPriority = (one: unknown): one is number => typeof one === 'number' && one >= 0 && one <= 1;
  const wrong = found.find((one) => one !== undefined && one !== null && !isPriority(one));
  if (wrong !== undefined) return `the priority ${String(wrong)} is not a number from 0 to 1`;
  found.forEach((one, i) => {
    if (isPriority(one)) priorities[i] = one;
  });
  return undefined;
}

/** Waits for a result and takes it. Returns what is wrong with it, if anything. */
async function taken(result: unknown, take: (value: unknown) => string | undefined): Promise<string | undefined> {
  const found = await within(PAGE_MS, result);
  return found === undefined ? `a page took longer than ${PAGE_MS / 1000} s` : take(found.value);
}

/** Adds the fields of one extractor, or none and returns what is wrong with them. */
function addFields(fields: Record<string, FieldValue>, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return 'it did not return an object of fields';
  const found = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
  for (const [name, field] of found) {
    const problem = problemOf(name, field);
    if (problem !== undefined) return `the field ${JSON.stringify(name.slice(0, FIELD_LIMITS.nameChars))} ${problem}`;
    if (name in fields) return `another extractor has the field "${name}"`;
  }
  const all = { ...fields, ...Object.fromEntries(found) };
  const { count, bytes } = FIELD_LIMITS;
  if (Object.keys(all).length > count) return `a page has more than ${count} fields`;
  if (Buffer.byteLength(JSON.stringify(all)) > bytes) return `the fields of a page take more than ${bytes} bytes`;
  Object.assign(fields, all);
  return undefined;
}

function problemOf(name: string, field: unknown): string | undefined {
  const { nameChars, textChars } = FIELD_LIMITS;
  if (!FIELD_NAME.test(name) || name.length > nameChars)
    return `is not a name of letters, digits, "_", "-" and ".", at most ${nameChars}`;
  if (name.startsWith(ARCHIVE_PREFIX)) return `begins with "${ARCHIVE_PREFIX}", which says where a page is from`;
  if (name.startsWith(BIBLIOGRAPHY_PREFIX))
    return `begins with "${BIBLIOGRAPHY_PREFIX}", which is for the bibliographic record`;
  if (typeof field === 'string') return field.length > textChars ? `is longer than ${textChars} characters` : undefined;
  if (typeof field === 'boolean' || Number.isFinite(field)) return undefined;
  return 'is not a string, a finite number or a boolean';
}

/** Returns the topics of a tree as page classifiers see them. */
export function extensionTopics({ nodes }: TopicTree): readonly ExtensionTopic[] {
  return [...nodes.values()].flatMap(({ id, name, parent }) =>
    parent === undefined ? [] : [{ topic: id, name, parent }],
  );
}
