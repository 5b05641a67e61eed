import { type Assignment, type SpaceName, unpackFeatures } from '../../core/index.ts';
import { mix32, Turns } from '../../kit/index.ts';
import { type CurrentPages, isCurrent, type PackedPage, type PageSource } from '../judging/judge-again.ts';
import {
  type JudgedDocument,
  type PageToJudge,
  pageJudge,
  placeName,
  type RejudgedPage,
  type Verdicts,
} from '../judging/page-judge.ts';
import { lacksOwnSpaces, lacksSurroundings } from '../training/rebuild-features.ts';

/** Pages that would move, or moved, from one place to another. */
export interface Effect {
  /** Pages examined: pages the crawl found, and training pages that move or are no longer training pages. */
  readonly pages: number;
  /** All these pages; more than `pages` if only a sample was examined. */
  readonly of: number;
  readonly changed: number;
  /** Changed pages that the current model would move in the same way. */
  readonly overdue: number;
  /** Most pages first. */
  readonly moves: readonly { readonly from: string; readonly to: string; readonly pages: number }[];
  /** Most confident first, at most {@link EXAMPLES}. */
  readonly examples: readonly {
    readonly url: string;
    readonly title: string;
    readonly from: string;
    readonly to: string;
  }[];
}

/** Pages that an effect lists. */
export const EXAMPLES = 20;

/** Documents read from the store per batch. Each batch blocks the thread for a few milliseconds. */
const CHUNK = 10;

/** What a sample is taken from. */
export interface SampleOptions {
  readonly source: PageSource;
  /** Maximum number of pages without the user's decisions; each takes about 10 kB of memory. */
  readonly limit: number;
  readonly spaces: readonly SpaceName[];
}

interface SampledPage {
  readonly page: PageToJudge;
  readonly document: JudgedDocument;
}

/**
 * A fixed set of pages to judge repeatedly: an even sample of stored pages whose features stay in memory, and pages
 * on which the user decided.
 */
export class EffectSample {
  readonly #options: SampleOptions;
  readonly #pages = new Map<number, SampledPage>();
  #current: CurrentPages | undefined;
  #chosen: readonly number[] = [];

  constructor(options: SampleOptions) {
    this.#options = options;
  }

  /** Returns what a model would change; `now` is the current model. */
  async effectOf(verdicts: Verdicts, now: Verdicts): Promise<Effect> {
    const turns = new Turns();
    const sequences = await this.#sample([...verdicts.places.sequences, ...now.places.sequences]);
    await this.#load(sequences, turns);
    const [next, before] = [pageJudge(verdicts), pageJudge(now)];
    const tally = new EffectTally();
    let stored = this.#stored();
    for (const sequence of sequences) {
      const sampled = this.#pages.get(sequence);
      if (sampled === undefined) continue;
      if (turns.isOver) await turns.come();
      const { page, document } = sampled;
      const judged = next.judged(page, document);
      if (!judged.isCounted) stored--;
      tally.add(judged, () => before.judged(page, document).assignment);
    }
    return tally.effect(Math.max(0, stored - tally.pages));
  }

  /** Returns the sample and these pages, without duplicates. */
  async #sample(decided: readonly number[]): Promise<ReadonlySet<number>> {
    const { source, limit } = this.#options;
    if (this.#current === undefined) {
      this.#current = await source.currentPages();
      this.#chosen = sampleOf(this.#current, limit);
    }
    const current = this.#current;
    return new Set([...this.#chosen, ...decided.filter((sequence) => isCurrent(current, sequence))]);
  }

  #stored(): number {
    return (this.#current?.accepted.length ?? 0) + (this.#current?.rejected.length ?? 0);
  }

  async #load(sequences: ReadonlySet<number>, turns: Turns): Promise<void> {
    const wanted = [...sequences].filter((sequence) => !this.#pages.has(sequence));
    for (let at = 0; at < wanted.length; at += CHUNK) {
      await turns.come();
      for (const page of await this.#options.source.packedPages(wanted.slice(at, at + CHUNK))) {
        const document = await this.#documentOf(page);
        const { content: _, hasVotes: __, ...stored } = page;
        this.#pages.set(page.sequence, { page: stored, document });
      }
    }
  }

  /** Reads the whole document only if the features lack something. */
  async #documentOf({ sequence, content, hasVotes }: PackedPage): Promise<JudgedDocument> {
    const { source, spaces } = this.#options;
    const features = unpackFeatures(content);
    if (!hasVotes && !lacksOwnSpaces(features, spaces) && !lacksSurroundings(features, spaces)) return { features };
    const whole = (await source.documents([sequence])).get(sequence);
    return { features: whole?.features ?? {}, ...(whole?.votes && { votes: whole.votes }) };
  }
}

type SureExample = Effect['examples'][number] & { readonly sureness: number };

/** Counts what changes. */
export class EffectTally {
  readonly #moves = new Map<string, { readonly from: string; readonly to: string; readonly pages: number }>();
  #examples: SureExample[] = [];
  #pages = 0;
  #changed = 0;
  #overdue = 0;

  /** Pages counted so far. */
  get pages(): number {
    return this.#pages;
  }

  /** @param inForce returns the current model's verdict on the page */
  add({ page, assignment, isCounted }: RejudgedPage, inForce?: () => Assignment): void {
    if (!isCounted) return;
    this.#pages++;
    const [from, to] = [placeName(page), placeName(assignment)];
    if (from === to) return;
    this.#changed++;
    if (inForce !== undefined && placeName(inForce()) === to) this.#overdue++;
    const key = `${from}\n${to}`;
    const move = this.#moves.get(key) ?? { from, to, pages: 0 };
    this.#moves.set(key, { ...move, pages: move.pages + 1 });
    const { finalUrl: url, title } = page;
    this.#examples.push({ url, title, from, to, sureness: Math.abs(assignment.confidence) });
    if (this.#examples.length > 1000) this.#examples = this.#best();
  }

  /** @param left pages that were not examined */
  effect(left = 0): Effect {
    const of = this.#pages + left;
    const moves = [...this.#moves.values()].sort((a, b) => b.pages - a.pages || (a.from < b.from ? -1 : 1));
    const examples = this.#best().map(({ sureness: _, ...example }) => example);
    return { pages: this.#pages, of, changed: this.#changed, overdue: this.#overdue, moves, examples };
  }

  #best(): SureExample[] {
    return this.#examples.toSorted((a, b) => b.sureness - a.sureness).slice(0, EXAMPLES);
  }
}

/** Returns an even sample of pages, always the same one. Sorts only some of them: sorting a million takes seconds. */
function sampleOf({ accepted, rejected }: CurrentPages, limit: number): readonly number[] {
  const total = accepted.length + rejected.length;
  for (let share = total <= limit ? 1 : (1.5 * limit) / total; ; share *= 2) {
    const isPicked = (sequence: number): boolean => hashOf(sequence) < share * 2 ** 32;
    const picked = [...accepted.filter(isPicked), ...rejected.filter(isPicked)];
    if (picked.length < limit && share < 1) continue;
    const chosen = picked.sort((a, b) => hashOf(a) - hashOf(b) || a - b).slice(0, limit);
    return chosen.sort((a, b) => a - b);
  }
}

function hashOf(sequence: number): number {
  return mix32(sequence % 2 ** 32);
}
