import {
  type AnalyzedDocument,
  goodTopics,
  isWithin,
  type Question,
  type QuestionAnswer,
  type TopicId,
  type TopicTree,
} from '../../core/index.ts';
import { counted, percent } from '../../kit/index.ts';
import type { Notice } from '../alarms.ts';
import type { Journal, PageReader, ReaderQuestion } from '../ports.ts';
import type { InlineExample } from '../training/trainer-features.ts';
import type { Item } from '../training/training-items.ts';

interface ReaderPorts {
  readonly journal: Pick<Journal, 'documents'>;
  readonly inline: readonly InlineExample[] | undefined;
  readonly tree: () => TopicTree;
  /** Returns the user's training pages, with marked ones. */
  readonly given: () => readonly Item[];
  readonly alarm: (notice: Notice) => void;
}

/** A page of the user, and what a reader must say about it. */
interface ExamPage {
  readonly item: Item;
  readonly topic: TopicId;
  readonly expected: 'yes' | 'no';
}

/** Number of pages that a reader is examined on, and how many of them may be examples. Our choice. */
const EXAM = 20;
const EXAM_EXAMPLES = 10;
/** Share of right answers below which a reader is dropped. Our choice. */
const PASS = 0.8;
/** Failures in a row after which a reader is dropped. */
const MOST_FAILURES = 3;
/** Number of titles that describe a topic, of examples and of counter-examples. */
const TITLES = 8;
const ORIGINS: ReadonlySet<string> = new Set(['user', 'feedback', 'others', 'feedback-others']);

/**
 * A reader that is examined on the user's own examples and counter-examples before its first answer. It is dropped if
 * fewer than 80 % of its answers are right, if it is wrong about most examples or most counter-examples, if it fails
 * three times in a row, or once its budget is used.
 */
export class ExaminedReader {
  readonly #reader: PageReader;
  readonly #ports: ReaderPorts;
  #exam: Promise<void> | undefined;
  #isDropped = false;
  #failures = 0;

  constructor(reader: PageReader, ports: ReaderPorts) {
    this.#reader = reader;
    this.#ports = ports;
  }

  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Answers a question about a stored page; `undefined` if the reader is dropped. Never rejects. */
  async answer(
    { topic, key, title }: Pick<Question, 'topic' | 'key' | 'title'>,
    { text }: Pick<AnalyzedDocument, 'text'>,
  ): Promise<QuestionAnswer | undefined> {
    this.#exam ??= this.#examine();
    await this.#exam;
    return await this.#ask({ topic, key, title, text, ...this.#described(topic, key) });
  }

  async #ask(question: ReaderQuestion): Promise<QuestionAnswer | undefined> {
    if (this.#isDropped) return undefined;
    const reply = await this.#reader.answer(question);
    if (reply.kind === 'answer') {
      this.#failures = 0;
      return reply.answer;
    }
    if (reply.kind === 'failed' && ++this.#failures < MOST_FAILURES) return 'skip';
    this.#drop(
      reply.why,
      'Check learn.reader, or raise its limits: bingo settings. Marks work as before: bingo review DIR',
    );
    return undefined;
  }

  async #examine(): Promise<void> {
    const pages = examPages(this.#ports.given(), this.#ports.tree());
    const texts = await this.#textsOf(pages);
    const right = { yes: 0, no: 0 };
    const asked = { yes: 0, no: 0 };
    for (const { item, topic, expected } of pages) {
      const { key, title } = item;
      const text = texts.get(item);
      if (text === undefined) continue;
      const answer = await this.#ask({ topic, key, title, text, ...this.#described(topic, key) });
      if (answer === undefined) return;
      asked[expected]++;
      if (answer === expected) right[expected]++;
    }
    this.#judge(asked, right);
  }

  #judge(asked: ExamCounts, right: ExamCounts): void {
    const [all, good] = [asked.yes + asked.no, right.yes + right.no];
    if (asked.yes === 0 || asked.no === 0) {
      this.#drop(
        'It cannot be examined without examples and counter-examples.',
        'Name pages of other subjects under "others:" in bingo.yaml.',
      );
      return;
    }
    const score = `${good} of ${counted(all, 'answer')} about your own pages are right (${percent(good / all)})`;
    if (good < PASS * all || 2 * right.yes < asked.yes || 2 * right.no < asked.no)
      this.#drop(
        `${score}: ${right.yes} of ${counted(asked.yes, 'example')}, ${right.no} of ${counted(asked.no, 'counter-example')}.`,
        'Name another model (learn.readerModel), or give the topic a name that says what it is about.',
      );
    else
      this.#ports.alarm({
        code: 'reader',
        message: `${this.#reader.name} answers the questions of this crawl: ${score}.`,
        remedy: 'Check its marks: bingo review DIR',
      });
  }

  #drop(why: string, remedy: string): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#ports.alarm({ code: 'reader', message: `${this.#reader.name} is not used. ${why}`, remedy });
  }

  /** Returns the texts of pages that can be read. */
  async #textsOf(pages: readonly ExamPage[]): Promise<ReadonlyMap<Item, string>> {
    const { inline = [], journal } = this.#ports;
    const stored = pages.map(({ item }) => item.sequence).filter((sequence) => sequence > 0);
    const documents = await journal.documents(stored).catch(() => new Map<number, AnalyzedDocument>());
    const texts = pages.flatMap(({ item }) => {
      const own = inline.find(({ key }) => key === item.key)?.document;
      const text = (item.sequence > 0 ? documents.get(item.sequence) : own)?.text;
      return text === undefined ? [] : [[item, text] as const];
    });
    return new Map(texts);
  }

  /** Describes a topic by the titles of the user's pages, without the page that is asked about. */
  #described(topic: TopicId, without: string): Pick<ReaderQuestion, 'examples' | 'counterExamples'> {
    const items = this.#ports.given().filter(({ key, origin }) => key !== without && ORIGINS.has(origin));
    const titles = (wanted: readonly Item[]): string[] =>
      spread(
        wanted.flatMap(({ title }) => (title === '' ? [] : title)),
        TITLES,
      );
    return {
      examples: titles(items.filter((item) => isExampleOf(item, topic))),
      counterExamples: titles(items.filter((item) => !isExampleOf(item, topic))),
    };
  }
}

interface ExamCounts {
  readonly yes: number;
  readonly no: number;
}

/** Returns the pages of an exam: examples of each good topic in turn, then counter-examples and examples of others. */
function examPages(given: readonly Item[], tree: TopicTree): ExamPage[] {
  const topics = goodTopics(tree).map(({ id }) => id);
  const queries = new Set(
    [...tree.nodes.values()].flatMap(({ examples }) =>
      examples.flatMap(({ kind, ...example }) => (kind === 'text' && 'name' in example ? example.name : [])),
    ),
  );
  const items = given.filter(({ key, origin }) => ORIGINS.has(origin) && !queries.has(key));
  const own = topics.map((topic) => items.filter((item) => isExampleOf(item, topic)).map((item) => ({ item, topic })));
  const longest = Math.max(0, ...own.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, i) => own.flatMap((pages) => pages[i] ?? [])).flat();
  const examples = inTurn.slice(0, EXAM_EXAMPLES);
  const others = spread(
    items.filter(({ others: isOthers }) => isOthers),
    EXAM - examples.length,
  );
  const counter = others.flatMap((item, i) => {
    const topic = topics[i % topics.length];
    return topic === undefined ? [] : [{ item, topic }];
  });
  const strange = topics.flatMap((topic) =>
    items.flatMap((item) => (item.others || isExampleOf(item, topic) ? [] : [{ item, topic }])),
  );
  const wrong = [...counter, ...spread(strange, EXAM - examples.length - counter.length)];
  return [
    ...examples.map((page) => ({ ...page, expected: 'yes' as const })),
    ...wrong.map((page) => ({ ...page, expected: 'no' as const })),
  ];
}

function isExampleOf({ others, topic }: Item, of: TopicId): boolean {
  return !others && isWithin(topic, of);
}

/** Returns an even sample of at most `count` values, in order. */
function spread<T>(values: readonly T[], count: number): T[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: Math.max(0, count) }, (_, i) => values[Math.floor((i * values.length) / count)]!);
}
