import { foldLine } from '../../analyze/index.ts';
import { type FilterName, OPERATORS } from './operators.ts';

/** A part of a query as it was typed: a word or a phrase, what is asked of it, and an operator that it is the value of. */
export interface Part {
  readonly isRuledOut: boolean;
  /** By a plus before it, or `AND` beside it. */
  readonly isRequired: boolean;
  /** `OR` joins it to the part before it: both are words or phrases, neither is ruled out. */
  readonly isAlternative: boolean;
  readonly operator: FilterName | 'title' | undefined;
  /** Between quotation marks; else `undefined`. */
  readonly phrase: string | undefined;
  /** The word, or the phrase. */
  readonly text: string;
  /** Any word that begins with `text` will do: an asterisk stands behind it. */
  readonly isBeginning: boolean;
}

/** The parts of a query, in order, and what of it was not taken as it may have been meant. */
export interface Parts {
  readonly parts: readonly Part[];
  /** Sentences. */
  readonly notes: readonly string[];
}

/** In a word a parenthesis may stand as in `f(x)`. */
const WORD = '[^\\s"“”„«»()]+(?:\\([^\\s"“”„«»()]*\\)?[^\\s"“”„«»()]*)*';

/**
 * A parenthesis, or a part: a word, or a phrase between quotation marks, either with a sign or an operator before it. What stands
 * behind the colon of an operator begins with a letter, a digit, a quotation mark, or as the pattern of a host: in `type::x` nothing
 * is an operator.
 */
const PIECE = new RegExp(
  `(?<close>\\))|(?<sign>-|\\+(?=[\\p{L}"“„«(]))?(?:(?<open>\\()|(?:(?<operator>${[...OPERATORS.keys()].join('|')}):(?=["“„«\\p{L}\\p{N}.*_#]))?` +
    `(?:["“„«](?<phrase>[^"“”„»]*)["“”»]?|(?<word>${WORD})))`,
  'giu',
);

/** The parts of a query. `OR` and `|` join two of them, `AND` requires both, `NOT` is a minus; `-(a b)` rules out both words. */
export function partsOf(query: string): Parts {
  const reading = new Reading();
  for (const { groups = {}, 0: piece } of typed(query).matchAll(PIECE)) {
    if (groups.phrase !== undefined && !/["“”„«»].*["“”»]$/su.test(piece)) reading.note(UNCLOSED_QUOTE);
    reading.take(groups);
  }
  reading.end();
  return reading;
}

/** What a query asks for, in its words: without what it rules out, and without what operators say of pages. */
export function wantedWords(query: string): string {
  return partsOf(query)
    .parts.filter(({ isRuledOut, operator }) => !isRuledOut && (operator === undefined || operator === 'title'))
    .map(
      ({ phrase, text, isAlternative }) => (isAlternative ? 'OR ' : '') + (phrase === undefined ? text : `"${text}"`),
    )
    .join(' ');
}

/** Whether a query says what is not looked for. */
export function rulesOut(query: string): boolean {
  return partsOf(query).parts.some(({ isRuledOut }) => isRuledOut);
}

/** A query in the form that pages are stored in. Within a word of Hebrew a quotation mark tells a short form, such as צה"ל, and begins no phrase. */
function typed(text: string): string {
  return foldLine(text).replace(/(?<=\p{Script=Hebrew})"(?=\p{Script=Hebrew})/gu, '\u05f4');
}

type Piece = Readonly<Record<string, string | undefined>>;

/** A parenthesis that is open. */
interface Group {
  readonly isRuledOut: boolean;
  readonly isRequired: boolean;
  /** `OR` stands before it. */
  readonly isJoined: boolean;
  readonly begin: number;
}

class Reading implements Parts {
  readonly parts: Part[] = [];
  readonly #notes = new Set<string>();
  readonly #open: Group[] = [];
  /** The group that was closed last holds words that `OR` does not join, and nothing came after it. */
  #isLoose = false;
  /** Where it begins among the parts, as long as nothing came after it. */
  #closed: number | undefined;
  /** The word before this piece. */
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
    // Of alternatives the first speaks for all.
    const first = this.parts.findLastIndex(({ isAlternative }, at) => at <= last && !isAlternative);
    for (const [at, part] of this.parts.entries()) if (at >= first) this.parts[at] = { ...part, isRequired: true };
  }

  /** What signs, words and parentheses before a piece ask of it. */
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

/** An asterisk behind at least two letters or digits, and nothing else, stands for the rest of a word. */
const BEGINNING = /^([\p{L}\p{M}\p{N}]{2,})\*$/u;

function wordOf(word: string): Pick<Part, 'text' | 'isBeginning'> {
  const beginning = BEGINNING.exec(word)?.[1];
  return { text: beginning ?? word, isBeginning: beginning !== undefined };
}

const UNCLOSED = 'A parenthesis is not closed: the group ends where the query ends.';
const UNOPENED = 'Ignored a closing parenthesis: no parenthesis is open before it.';
const UNCLOSED_QUOTE = 'A quotation mark is not closed: the phrase ends at the next quotation mark or at the end.';
const LOOSE =
  'OR joins single words and phrases: of words in parentheses those next to it. Put words that belong together in quotation marks.';
const UNLIKE =
  'OR joins words and phrases alone, or operators of one name: neither with the other, nor with what is ruled out.';

function canJoin(a: Part, b: Omit<Part, 'isAlternative'>): boolean {
  return !a.isRuledOut && !b.isRuledOut && isOfWords(a) && isOfWords(b);
}

/** Nothing is lost where `OR` is passed over: both are ruled out, or name sites, types or topics, of which any will do. */
function isSame(a: Part, b: Omit<Part, 'isAlternative'>): boolean {
  return a.isRuledOut === b.isRuledOut && (a.isRuledOut || (a.operator === b.operator && a.operator !== undefined));
}

/** Whether a part asks for words, and does not say something else of pages. */
export function isOfWords({ operator }: Pick<Part, 'operator'>): boolean {
  return operator === undefined || operator === 'title';
}
