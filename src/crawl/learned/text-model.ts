import type { Fields } from '../../kit/index.ts';
import { MAX_WORDS, WORD_SLOTS } from './link-words.ts';

/**
 * Ridge regression on hashed words: learns how much each word of a link predicts about the page behind it. Trained on
 * the latest `capacity` samples by dual coordinate ascent, which continues from its last state. So the cost of a
 * refit does not grow with the crawl.
 */
export class TextModel {
  readonly #capacity: number;
  readonly #strength: number;
  #weights = new Float32Array(WORD_SLOTS);
  /** Per sample: its distinct words, the relevance of its page, its weight, and its dual coefficient. */
  #units: Uint16Array;
  #lengths: Uint8Array;
  #relevance: Float64Array;
  #counts: Float64Array;
  #duals: Float64Array;
  #samples = 0;
  #next = 0;

  /** @param options - `strength` > 0: number of samples after which a word has half of its full effect */
  constructor({ capacity, strength }: { readonly capacity: number; readonly strength: number }) {
    this.#capacity = capacity;
    this.#strength = strength;
    this.#units = new Uint16Array(capacity * MAX_WORDS);
    this.#lengths = new Uint8Array(capacity);
    this.#relevance = new Float64Array(capacity);
    this.#counts = new Float64Array(capacity);
    this.#duals = new Float64Array(capacity);
  }

  get samples(): number {
    return this.#samples;
  }

  /**
   * Adds a sample, replacing the oldest one if the model is full. It takes effect at the next refit.
   * @param weight - weight of the sample, > 0
   */
  add(units: Uint16Array, from: number, to: number, y: number, weight = 1): void {
    if (from === to) return;
    const sample = this.#samples < this.#capacity ? this.#samples++ : this.#next++ % this.#capacity;
    this.#shift(sample, -this.#duals[sample]!);
    const start = sample * MAX_WORDS;
    for (let i = from; i < to; i++) this.#units[start + i - from] = units[i]!;
    this.#lengths[sample] = to - from;
    this.#relevance[sample] = y;
    this.#counts[sample] = weight;
    this.#duals[sample] = 0;
  }

  /**
   * Returns the prediction for the words `units[from … to)`, as a difference from the mean relevance. 0 for unknown
   * words.
   */
  score(units: Uint16Array, from: number, to: number): number {
    if (from === to) return 0;
    const weights = this.#weights;
    let sum = 0;
    for (let i = from; i < to; i++) sum += weights[units[i]!]!;
    return sum / Math.sqrt(to - from);
  }

  /** Moves each sample in turn to its optimum, given the others. */
  refit(passes: number): void {
    const mean = this.#mean();
    for (let pass = 0; pass < passes; pass++) {
      for (let sample = 0; sample < this.#samples; sample++) {
        const start = sample * MAX_WORDS;
        const pull = this.#strength / this.#counts[sample]!;
        const score = this.score(this.#units, start, start + this.#lengths[sample]!);
        const step = (this.#relevance[sample]! - mean - score - pull * this.#duals[sample]!) / (1 + pull);
        this.#duals[sample]! += step;
        this.#shift(sample, step);
      }
    }
  }

  #mean(): number {
    let weights = 0;
    let sum = 0;
    for (let sample = 0; sample < this.#samples; sample++) {
      weights += this.#counts[sample]!;
      sum += this.#counts[sample]! * this.#relevance[sample]!;
    }
    return weights === 0 ? 0 : sum / weights;
  }

  #shift(sample: number, step: number): void {
    const length = this.#lengths[sample]!;
    const start = sample * MAX_WORDS;
    const share = step / Math.sqrt(length);
    for (let i = start; i < start + length; i++) this.#weights[this.#units[i]!]! += share;
  }

  exchange(fields: Fields): void {
    this.#weights = fields.numbers(this.#weights);
    this.#units = fields.numbers(this.#units);
    this.#lengths = fields.numbers(this.#lengths);
    this.#relevance = fields.numbers(this.#relevance);
    this.#counts = fields.numbers(this.#counts);
    this.#duals = fields.numbers(this.#duals);
    this.#samples = fields.value(this.#samples);
    this.#next = fields.value(this.#next);
  }
}
