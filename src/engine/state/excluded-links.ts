import { LEFT_OUT_RULES, type LeftOut, type LeftOutRule } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import { SeenUrls } from './seen-urls.ts';

/** Maximum number of distinct addresses; further ones are not counted. Their hashes take 3 MB. Our choice. */
const MAX_NOTED = 100_000;

/** Link targets that rules excluded, each counted once, for the first rule that excluded it. */
export class LeftOutLinks {
  /** Stores the rule's number, from 1, in place of a page; 0 if the address was admitted later. */
  readonly #noted = new SeenUrls();
  readonly #counts: number[] = LEFT_OUT_RULES.map(() => 0);

  note(url: string, rule: LeftOutRule): void {
    const known = this.#noted.pageOf(url);
    if (known === undefined ? this.#noted.size >= MAX_NOTED : known > 0) return;
    const n = LEFT_OUT_RULES.indexOf(rule);
    this.#noted.add(url, n + 1);
    this.#counts[n]!++;
  }

  /** Un-counts an address that is admitted after all: hosts recover, and URL patterns prove useful again. */
  letIn(url: string): void {
    const n = this.#noted.size === 0 ? 0 : (this.#noted.pageOf(url) ?? 0);
    if (n === 0) return;
    this.#noted.add(url, 0);
    this.#counts[n - 1]!--;
  }

  /** Returns the counts, most addresses first. */
  counts(): readonly LeftOut[] {
    const counted = LEFT_OUT_RULES.map((rule, n) => ({ rule, addresses: this.#counts[n]! }));
    return counted.filter(({ addresses }) => addresses > 0).sort((a, b) => b.addresses - a.addresses);
  }

  exchange(fields: Fields): void {
    this.#noted.exchange(fields);
    fields.list(this.#counts);
  }
}
