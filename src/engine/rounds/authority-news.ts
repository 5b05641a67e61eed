import type { TopicAuthorities, TopicId } from '../../core/index.ts';
import type { Distilled } from './distillation.ts';

/** A topic's authorities are told again when they have grown by this share; our choice. */
const GROWTH = 0.2;
/** Or after so many distillations. */
const PATIENCE = 10;

/**
 * Decides when the authorities of all pages of a topic are worth writing down. Each time all of them are written, so that
 * telling them with every distillation would cost more than the pages themselves.
 */
export class AuthorityNews {
  readonly #told = new Map<TopicId, { readonly size: number; readonly age: number }>();

  /** Those of the topics whose turn it is; the others are a distillation older afterwards. */
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
