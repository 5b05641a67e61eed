import { foldLine } from '../../analyze/index.ts';
import { type FilterName, OPERATORS } from './operators.ts';

/** A part of a query as typed: a word or phrase, its condition, and the operator whose value it is. */
export interface Part {
  readonly isRuledOut: boolean;
  /** Marked by a plus, or by `AND`. */
  readonly isRequired: boolean;
  /** Joined to the previous part by `OR`: both are words or phrases, neither is excluded. */
  readonly isAlternative: boolean;
  readonly operator: FilterName | 'title' | undefined;
  /** Between quotation marks; else `undefined`. */
  readonly phrase: string | undefined;
  /** The word, or the phrase. */
  readonly text: string;
  /** Matches any word that starts with `text`; typed with an asterisk. */
  readonly isBeginning: boolean;
}

/** The parts of a query, in order, and notes on possible misreadings. */
export interface Parts {
  readonly parts: readonly Part[];
  /** Sentences. */
  readonly notes: readonly string[];
}

/** A word may contain parentheses, as in `f(x)`. */
const WORD = '[^\\s"“”„«»()]+(?:\\([^\\s"“”„«»()]*\\)?[^\\s"“”„«»()]*)*';

/**
 * A parenthesis or a part: a word or a quoted phrase, optionally after a sign or an operator. The value after an
 * operator's colon starts with a letter, a digit, a quotation mark, or a host pattern; in `type::x`, nothing is an
 * operator.
 */
const PIECE = new RegExp(
  `(?<close>\\))|(?<sign>-|\\+(?=[\\p{L}"“„«(]))?(?:(?<open>\\()|(?:(?<operator>${[...OPERATORS.keys()].join('|')}):(?=["“„«\\p{L}\\p{N}.*_#]))?` +
    `(?:["“„«](?<phrase>[^"“”„»]*)(?<closing>["“”»])?|(?<word>${WORD})))`,
  'giu',
);

/**
 * Returns the parts of a query. `OR` and `|` join two of them, `AND` requires both, `NOT` is a minus; `-(a b)`
 * excludes both words.
 */
export function partsOf(query: string): Parts {
  const reading = new Reading();
  for (const { groups = {} } of typed(query).matchAll(PIECE)) {
    if (groups.phrase !== undefined && groups.closing === undefined) reading.note(UNCLOSED_QUOTE);
    reading.take(groups);
  }
  reading.end();
  return reading;
}

/** Returns the wanted words of a query: without excluded parts and operators. */
export function wantedWords(query: string): string {
  return partsOf(query)
    .parts.filter(({ isRuledOut, operator }) => !isRuledOut && (operator === undefined || operator === 'title'))
    .map(
      ({ phrase, text, isAlternative }) => (isAlternative ? 'OR ' : '') + (phrase === undefined ? text : `"${text}"`),
    )
    .join(' ');
}

/** Returns whether a query excludes something. */
export function rulesOut(query: string): boolean {
  return partsOf(query).parts.some(({ isRuledOut }) => isRuledOut);
}

/**
 * Normalises a query like stored pages. Within a Hebrew word, a quotation mark denotes an abbreviation, such as צה"ל,
 * and does not start a phrase.
 */
function typed(text: string): string {
  return foldLine(text).replace(/(?<=\p{Script=Hebrew})"(?=\p{Script=Hebrew})/gu, '\u05f4');
}

type Piece = Readonly<Record<string, string | undefined>>;

/** An open parenthesis. */
interface Group {
  readonly isRuledOut: boolean;
  readonly isRequired: boolean;
  /** Follows an `OR`. */
  readonly isJoined: boolean;
  readonly begin: number;
}

class Reading implements Parts {
  readonly parts: Part[] = [];
  readonly #notes = new Set<string>();
  readonly #open: Group[] = [];
  /** True if the last closed group has words not joined by `OR`, and nothing follows it. */
  #isLoose = false;
  /** Start of the last closed group among the parts, if nothing follows it. */
  #closed: number | undefined;
  /** The keyword before this piece. */
  #word: 'OR' | 'AND' | 'NOT' | undefined;

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  /** Notes parentheses that are still open. */
  end(): void {
    if (this.#open.length > 0) this.#notes.add(UNCLOSED);
  }

  take({ close, open, sign = '', operator, phrase, word = '' }: Piece): void {
    if (close !== undefined) this.#close();
    else if (open !== undefined) this.#begin(sign);
    else if (sign === '' && operator === undefined && phrase === undefined && this.#isJoint(word)) return;
    else
      this.#add({
        ...this.#asked(sign),
        ...wordOf(word),
        operator: operator === undefined ? undefined : OPERATORS.get(operator.toLowerCase()),
        ...(phrase === undefined ? {} : { text: phrase }),
        phrase,
      });
  }

  #isJoint(word: string): boolean {
    if (word === 'NOT') this.#negateNext();
    else if (this.parts.length === 0) return word === '|';
    else if (word === 'OR' || word === '|') this.#joinNext();
    else if (word === 'AND') this.#requireLast();
    else return false;
    return true;
  }

  #negateNext(): void {
    if (this.#word === 'OR') this.#notes.add(UNLIKE);
    this.#word = 'NOT';
  }

  #joinNext(): void {
    if (this.#isLoose) this.#notes.add(LOOSE);
    this.#word = 'OR';
  }

  #requireLast(): void {
    this.#word = 'AND';
    const last = this.#closed ?? this.parts.length - 1;
    // The first alternative represents all.
    const first = this.parts.findLastIndex(({ isAlternative }, at) => at <= last && !isAlternative);
    for (const [at, part] of this.parts.entries()) if (at >= first) this.parts[at] = { ...part, isRequired: true };
  }

  /** Returns the conditions from signs, keywords and parentheses before a piece. */
  #asked(sign: string): Pick<Part, 'isRuledOut' | 'isRequired'> {
    const around = this.#open.at(-1);
    return {
      isRuledOut: sign === '-' || this.#word === 'NOT' || around?.isRuledOut === true,
      isRequired: sign === '+' || this.#word === 'AND' || around?.isRequired === true,
    };
  }

  #begin(sign: string): void {
    this.#open.push({ ...this.#asked(sign), isJoined: this.#word === 'OR', begin: this.parts.length });
    if (this.#word !== 'OR') this.#word = undefined;
    this.#isLoose = false;
    this.#closed = undefined;
  }

  #close(): void {
    const group = this.#open.pop();
    if (group === undefined) {
      this.#notes.add(UNOPENED);
      return;
    }
    this.#closed = group.begin;
    this.#isLoose = this.parts.slice(group.begin + 1).some(({ isAlternative }) => !isAlternative);
    if (this.#isLoose && group.isJoined) this.#notes.add(LOOSE);
  }

  #add(part: Omit<Part, 'isAlternative'>): void {
    const before = this.parts.at(-1);
    const isAsked = this.#word === 'OR' && before !== undefined;
    const isAlternative = isAsked && canJoin(before, part);
    if (isAsked && !isAlternative && !isSame(before, part)) this.#notes.add(UNLIKE);
    this.parts.push({ ...part, isAlternative });
    this.#word = undefined;
    this.#isLoose = false;
    this.#closed = undefined;
  }
}

/** A trailing asterisk after at least two letters or digits matches the rest of a word. */
const BEGINNING = /^([\p{L}\p{M}\p{N}]{2,})\*$/u;

function wordOf(word: string): Pick<Part, 'text' | 'isBeginning'> {
  const beginning = BEGINNING.exec(word)?.[1];
  return { text: beginning ?? word, isBeginning: beginning !== undefined };
}

const UNCLOSED = 'A parenthesis is not closed: the group ends where the query ends.';
const UNOPENED = 'Ignored a closing parenthesis: no parenthesis is open before it.';
const UNCLOSED_QUOTE = 'A quotation mark is not closed: the phrase ends at the next quotation mark or at the end.';
const LOOSE =
  'OR joins single words and phrases; in parentheses, only the words next to it. Put words that belong together in quotation marks.';
const UNLIKE = 'OR joins words and phrases, or operators of one name. It joins no excluded words.';

function canJoin(a: Part, b: Omit<Part, 'isAlternative'>): boolean {
  return !a.isRuledOut && !b.isRuledOut && isOfWords(a) && isOfWords(b);
}

/** True if `OR` can be ignored: both are excluded, or are sites, types or topics, any of which suffices. */
function isSame(a: Part, b: Omit<Part, 'isAlternative'>): boolean {
  return a.isRuledOut === b.isRuledOut && (a.isRuledOut || (a.operator === b.operator && a.operator !== undefined));
}

/** Returns whether a part is about words, not about other properties of pages. */
export function isOfWords({ operator }: Pick<Part, 'operator'>): boolean {
  return operator === undefined || operator === 'title';
}
