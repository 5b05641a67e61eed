import type { TopicAuthorities, TopicId } from '../../core/index.ts';
import type { Distilled } from './distillation.ts';

/** A topic's authorities are reported again if their number has grown by this share; our choice. */
const GROWTH = 0.2;
/** Or after this many distillations. */
const PATIENCE = 10;

/**
 * Decides when to write all authorities of a topic into the journal. They are always written together, so writing
 * them with every distillation would take more space than the pages.
 */
export class AuthorityNews {
  readonly #told = new Map<TopicId, { readonly size: number; readonly age: number }>();

  /** Returns the authorities of topics that are due, and counts one more distillation for the others. */
  of(distilled: readonly Distilled[], pageOf: (url: string) => number): readonly TopicAuthorities[] {
    return distilled.flatMap(({ topic, authorities }) => {
      const told = this.#told.get(topic) ?? { size: 0, age: 0 };
      const isDue = authorities.size > told.size * (1 + GROWTH) || (authorities.size > 0 && told.age + 1 >= PATIENCE);
      this.#told.set(topic, isDue ? { size: authorities.size, age: 0 } : { ...told, age: told.age + 1 });
      if (!isDue) return [];
      const known = [...authorities].flatMap(([url, score]) => {
        const page = pageOf(url);
        return page > 0 ? [{ page, score }] : [];
      });
      return [{ topic, pages: known.map(({ page }) => page), scores: known.map(({ score }) => score) }];
    });
  }
}
