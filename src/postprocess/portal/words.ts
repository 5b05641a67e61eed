import { readFileSync } from 'node:fs';
import { packageFile, sanitizeText } from '../../kit/index.ts';
import { html, Markup } from './html.ts';

/** Languages of the words of a portal that come with the product (ISO 639-1). */
export const PORTAL_LANGUAGES = ['en', 'de', 'es', 'fr', 'zh'] as const;

/** Texts by name; texts that depend on a number have one per plural category of the language (Unicode CLDR). */
export type WordTable = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

type Values = Readonly<Record<string, string | number>>;

const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']);
const PLACE = /\{(\w+)\}/g;

/** The words that a portal itself says, in one language. What a table lacks is said in English. */
export class PortalWords {
  readonly language: string;
  readonly #table: WordTable;
  readonly #plurals: Intl.PluralRules;

  /** @param language BCP 47 tag @param table texts of the user's; default: those that come with the product */
  constructor(language = 'en', table: WordTable = shippedWords(language) ?? {}) {
    this.language = language;
    this.#table = { ...shippedWords('en'), ...table };
    this.#plurals = new Intl.PluralRules(language);
  }

  get direction(): 'ltr' | 'rtl' {
    return RIGHT_TO_LEFT.has(this.language.split('-')[0] ?? '') ? 'rtl' : 'ltr';
  }

  /** Returns a text with its places filled in. */
  text(name: string, values: Values = {}): string {
    return this.#template(name).replaceAll(PLACE, (_, place: string) => String(values[place] ?? ''));
  }

  /** Returns a text as markup; values that are markup stay so. */
  markup(name: string, values: Readonly<Record<string, string | number | Markup>>): Markup {
    const escaped = html`${this.#template(name)}`.text;
    return new Markup(escaped.replaceAll(PLACE, (_, place: string) => html`${values[place]}`.text));
  }

  /** `3 pages`: a text that depends on a number, written as the language writes numbers. */
  counted(name: string, n: number): string {
    const forms = this.#table[name] ?? {};
    const form = typeof forms === 'string' ? forms : (forms[this.#plurals.select(n)] ?? forms.other ?? '{n}');
    return form.replace('{n}', this.number(n));
  }

  /** One of several texts under one name. */
  form(name: string, form: string, n: number): string {
    const forms = this.#table[name];
    return (typeof forms === 'object' ? (forms[form] ?? '{n}') : '{n}').replace('{n}', this.number(n));
  }

  number(n: number): string {
    return n.toLocaleString(this.language);
  }

  /** Texts that the search in the browser says. */
  forSearch(): WordTable {
    const used = (name: string): boolean => name === 'pages' || /^search[A-Z]/.test(name);
    return Object.fromEntries(Object.entries(this.#table).filter(([name]) => used(name)));
  }

  #template(name: string): string {
    const text = this.#table[name];
    return typeof text === 'string' ? text : name;
  }
}

/** Returns the names of all texts and, of each, the places that it may have. */
export function wordNames(): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(shippedWords('en') ?? {}).map(([name, text]) => [name, placesIn(text)]));
}

function placesIn(text: WordTable[string]): readonly string[] {
  const texts = typeof text === 'string' ? [text] : Object.values(text);
  return [...new Set(texts.flatMap((one) => [...one.matchAll(PLACE)].map(([, place = '']) => place)))];
}

/** @throws InputError if a shipped file was changed to something else than JSON */
function shippedWords(language: string): WordTable | undefined {
  const name = PORTAL_LANGUAGES.find((known) => known === language.split('-')[0]);
  if (name === undefined) return undefined;
  const table: Record<string, unknown> = JSON.parse(
    readFileSync(packageFile(`assets/portal/words/${name}.json`), 'utf8'),
  );
  return cleanWords(table);
}

/** Keeps what is text, without invisible characters. */
export function cleanWords(table: Readonly<Record<string, unknown>>): WordTable {
  const clean = (value: unknown): string[] => (typeof value === 'string' ? [sanitizeText(value)] : []);
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, value]): [string, WordTable[string]][] => {
      if (typeof value !== 'object' || value === null) return clean(value).map((text) => [name, text]);
      const forms = Object.entries(value).flatMap(([form, text]) => clean(text).map((one) => [form, one] as const));
      return [[name, Object.fromEntries(forms)]];
    }),
  );
}
