import { LEFT_OUT_RULES, type LeftOut, type LeftOutRule } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import { SeenUrls } from './seen.ts';

/** Addresses told apart; beyond it no more are counted. Their hashes take 3 MB. Our choice. */
const MAX_NOTED = 100_000;

/** Addresses that links lead to and that no rule let in, each counted once, for the first rule that kept it out. */
export class LeftOutLinks {
  /** In place of a page: the rule's number, from 1; 0 for what was let in after all. */
  readonly #noted = new SeenUrls();
  readonly #counts: number[] = LEFT_OUT_RULES.map(() => 0);

  note(url: string, rule: LeftOutRule): void {
    const known = this.#noted.pageOf(url);
    if (known === undefined ? this.#noted.size >= MAX_NOTED : known > 0) return;
    const n = LEFT_OUT_RULES.indexOf(rule);
    this.#noted.add(url, n + 1);
    this.#counts[n]!++;
  }

  /** Hosts recover, and patterns of addresses redeem themselves. */
  letIn(url: string): void {
    const n = this.#noted.size === 0 ? 0 : (this.#noted.pageOf(url) ?? 0);
    if (n === 0) return;
    this.#noted.add(url, 0);
    this.#counts[n - 1]!--;
  }

  /** Most addresses first. */
  counts(): readonly LeftOut[] {
    const counted = LEFT_OUT_RULES.map((rule, n) => ({ rule, addresses: this.#counts[n]! }));
    return counted.filter(({ addresses }) => addresses > 0).sort((a, b) => b.addresses - a.addresses);
  }

  exchange(fields: Fields): void {
    this.#noted.exchange(fields);
    fields.list(this.#counts);
  }
}
