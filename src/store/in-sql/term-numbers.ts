import type { FeatureSpace } from '../../core/index.ts';
import { clean } from '../rows/record-rows.ts';
import { MAX_CHARS, type Row } from '../schema.ts';
import { numberOf, type Scratch } from './scratch.ts';

/** Numbers that stand for terms in the tables. */
export interface TermNumbers {
  /** Returns the numbers of the terms that have or receive one. */
  of(space: FeatureSpace, terms: Iterable<string>): Promise<ReadonlyMap<string, number>>;
}

/** Features of some nodes, numbered 1, 2, 3, …. Other terms have no number. */
export class FixedTerms implements TermNumbers {
  readonly #numbers = new Map<FeatureSpace, Map<string, number>>();

  constructor(nodes: readonly { readonly space: FeatureSpace; readonly features: readonly string[] }[]) {
    let last = 0;
    for (const { space, features } of nodes) {
      const numbers = this.#numbers.get(space) ?? new Map<string, number>();
      this.#numbers.set(space, numbers);
      for (const feature of features) if (!numbers.has(feature)) numbers.set(feature, ++last);
    }
  }

  async of(space: FeatureSpace): Promise<ReadonlyMap<string, number>> {
    return this.#numbers.get(space) ?? new Map();
  }
}

/** Terms per query. */
const CHUNK = 200;
/** Number of terms cached. When exceeded, the cache is emptied. About 30 MB. */
const REMEMBERED = 300_000;

/** Numbers stored in the table `term`, which grows by every unknown term. */
export class KeptTerms implements TermNumbers {
  readonly #scratch: Scratch;
  readonly #known = new Map<string, number>();
  #last: number | undefined;

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  /** Terms that are equal to the database, after truncation to its maximum length, share a number. */
  async of(space: FeatureSpace, terms: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    if (this.#known.size > REMEMBERED) this.#known.clear();
    const texts = new Map([...terms].map((term) => [term, clean(term, MAX_CHARS.name).trimEnd()]));
    const key = (text: string): string => `${space}\n${text}`;
    const unknown = [...new Set(texts.values())].filter((text) => !this.#known.has(key(text)));
    for (let at = 0; at < unknown.length; at += CHUNK) {
      const part = unknown.slice(at, at + CHUNK);
      const marks = part.map(() => '?').join(',');
      const rows = await this.#scratch.all(`select term, id from term where space = ? and term in (${marks})`, [
        space,
        ...part,
      ]);
      for (const [text, id] of rows as readonly [string, number][]) this.#known.set(key(text), id);
    }
    this.#last ??= await numberOf(this.#scratch, 'select coalesce(max(id), 0) from term');
    const rows: Row[] = [];
    for (const text of unknown) {
      if (this.#known.has(key(text))) continue;
      rows.push([++this.#last, space, text]);
      this.#known.set(key(text), this.#last);
    }
    await this.#scratch.insert('term', rows);
    return new Map([...texts].map(([term, text]) => [term, this.#known.get(key(text))!]));
  }
}
