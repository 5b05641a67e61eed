import { WORD_SLOTS, type Words } from './link-words.ts';

/** One bag of hashed words with the relevance that its page turned out to have. */
interface Sample {
  readonly words: Words;
  readonly y: number;
  readonly weight: number;
  /** Its part in the weights. */
  dual: number;
}

/**
 * Ridge regression on hashed words: how much each word of a link says about the page behind it. Trained on the latest
 * `capacity` samples by dual coordinate ascent, which goes on from where it stood: a refit costs the same however long
 * the crawl runs.
 */
export class TextModel {
  readonly #capacity: number;
  readonly #strength: number;
  readonly #weights = new Float32Array(WORD_SLOTS);
  readonly #samples: Sample[] = [];
  #next = 0;

  /** @param options `strength` > 0: samples that a word needs before it says half of what they do */
  constructor(options: { readonly capacity: number; readonly strength: number }) {
    this.#capacity = options.capacity;
    this.#strength = options.strength;
  }

  get samples(): number {
    return this.#samples.length;
  }

  /** The oldest sample goes when there is no room. A sample counts from the next refit on. */
  add(words: Words, y: number, weight = 1): void {
    if (words.length === 0) return;
    const sample = { words, y, weight, dual: 0 };
    if (this.#samples.length < this.#capacity) {
      this.#samples.push(sample);
      return;
    }
    const slot = this.#next++ % this.#capacity;
    const oldest = this.#samples[slot]!;
    this.#shift(oldest.words, -oldest.dual);
    this.#samples[slot] = sample;
  }

  /** What the words say, as a difference from the mean relevance. 0 for unknown words. */
  score(words: Words): number {
    if (words.length === 0) return 0;
    const weights = this.#weights;
    let sum = 0;
    for (let i = 0; i < words.length; i++) sum += weights[words.charCodeAt(i)]!;
    return sum / Math.sqrt(words.length);
  }

  /** Each sample in turn is moved to its optimum given the others. */
  refit(passes: number): void {
    const mean = this.#mean();
    for (let pass = 0; pass < passes; pass++) {
      for (const sample of this.#samples) {
        const pull = this.#strength / sample.weight;
        const step = (sample.y - mean - this.score(sample.words) - pull * sample.dual) / (1 + pull);
        sample.dual += step;
        this.#shift(sample.words, step);
      }
    }
  }

  #mean(): number {
    let weights = 0;
    let sum = 0;
    for (const { weight, y } of this.#samples) {
      weights += weight;
      sum += weight * y;
    }
    return weights === 0 ? 0 : sum / weights;
  }

  #shift(words: Words, step: number): void {
    const share = step / Math.sqrt(words.length);
    for (let i = 0; i < words.length; i++) this.#weights[words.charCodeAt(i)]! += share;
  }
}
