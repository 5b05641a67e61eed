import { EMPTY_COUNTS, type TermCounts } from '../../core/index.ts';
import { ModelServer, type ModelServerOptions } from '../../fetch/index.ts';

/** Server that turns texts into vectors: `learn.embeddings`. */
export interface MeaningSettings extends Pick<ModelServerOptions, 'network' | 'access'> {
  readonly server: string;
  /** `''` = the first model that it lists. */
  readonly model: string;
}

/** Words of title and text that the server receives. More of a page says less about its subject. Measured. */
const WORDS = 50;
const MAX_CHARS = 1_000;
/** Numbers kept of a vector. Longer ones are folded. */
const DIMENSIONS = 128;
/** Components below this share of the root mean square are left out. Our choice. */
const LEAST = 1 / 3;
/** Damped count (1 + ln) of a component per root mean square. With 3, the greatest count is that of 4 of them. */
const STEPS = 3;
const MAX_COUNT = 65_535;
const TIMEOUT_MS = 10_000;
/** Failures in a row after which nothing more is asked. */
const MOST_FAILURES = 5;

/**
 * Makes the `meaning` space of pages: the vector of their first words, by a server that the user names. A component is
 * one of two features, for its sign; its count is such that the damped count is its size. So idf over the
 * counter-examples weakens directions that they all have. A page without a vector has no features.
 */
export class MeaningSource {
  readonly #server: ModelServer;
  #model: string;
  #failures = 0;

  constructor({ server, model, network, access }: MeaningSettings) {
    this.#server = new ModelServer(server, { network, access, timeoutMs: TIMEOUT_MS });
    this.#model = model;
  }

  /** Never rejects. */
  async of(title: string, text: string): Promise<TermCounts> {
    if (this.#failures >= MOST_FAILURES) return EMPTY_COUNTS;
    const input = leadOf(title, text);
    const vector = input === '' ? [] : await this.#vectorOf(input);
    this.#failures = vector === undefined ? this.#failures + 1 : 0;
    return vector === undefined ? EMPTY_COUNTS : meaningFeatures(vector);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  async #vectorOf(input: string): Promise<readonly number[] | undefined> {
    if (this.#model === '') {
      const models = await this.#server.models();
      if ('kind' in models || models[0] === undefined) return undefined;
      [this.#model] = models;
    }
    const reply = await this.#server.post('/embeddings', { model: this.#model, input, encoding_format: 'float' });
    return reply.kind === 'failed' ? undefined : vectorIn(reply.value);
  }
}

/** Returns the first words of a page, title first. */
export function leadOf(title: string, text: string): string {
  const words = `${title}\n${text.slice(0, 10 * MAX_CHARS)}`.split(/\s+/).filter((word) => word !== '');
  return words.slice(0, WORDS).join(' ').slice(0, MAX_CHARS).toWellFormed();
}

function vectorIn(value: unknown): readonly number[] | undefined {
  const { data } = (value ?? {}) as { readonly data?: readonly { readonly embedding?: unknown }[] };
  const vector = Array.isArray(data) ? (data[0] as { readonly embedding?: unknown } | null)?.embedding : undefined;
  return Array.isArray(vector) && vector.length > 0 && vector.every((one) => Number.isFinite(one)) ? vector : undefined;
}

/** Returns a vector as features: `+5` for a positive fifth component, `-5` for a negative one. */
export function meaningFeatures(vector: readonly number[]): TermCounts {
  const folded = foldedTo(DIMENSIONS, vector);
  const mean = Math.sqrt(folded.reduce((sum, value) => sum + value * value, 0) / folded.length);
  const names: string[] = [];
  const counts: number[] = [];
  folded.forEach((value, i) => {
    const size = Math.abs(value) / mean;
    if (!(size >= LEAST)) return;
    names.push(`${value > 0 ? '+' : '-'}${i}`);
    counts.push(Math.min(MAX_COUNT, Math.round(Math.exp(STEPS * size - 1))));
  });
  return names.length === 0 ? EMPTY_COUNTS : { features: names.join('\n'), counts: Uint16Array.from(counts) };
}

/** Adds up components with changing signs, so that inner products are kept on average (a count sketch). */
function foldedTo(dimensions: number, vector: readonly number[]): readonly number[] {
  if (vector.length <= dimensions) return vector;
  const folded = new Array<number>(dimensions).fill(0);
  vector.forEach((value, i) => {
    // A fixed sequence of signs: the lowest bit of a product of odd multipliers is spread by the shift.
    const sign = (Math.imul(i + 1, 0x9e3779b1) >>> 16) & 1 ? 1 : -1;
    folded[i % dimensions]! += sign * value;
  });
  return folded;
}
