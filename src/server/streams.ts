import { RefusedError } from './errors.ts';
import { SAFE_HEADERS } from './reply.ts';

/** Streams open at a time. */
const MAX_STREAMS = 64;

/** Answers that are written in pieces. */
export class Streams {
  readonly #onError: (error: unknown) => void;
  #open = 0;

  /** @param onError receives errors that clients do not see */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * Writes pieces as fast as the client takes them; nothing is kept.
   * @throws RefusedError 503 if too many are open
   */
  answer(media: string, pieces: AsyncIterable<string>): Response {
    if (this.#open >= MAX_STREAMS)
      throw new RefusedError(503, { code: 'OVERLOADED', message: 'Too many streams are open.' });
    this.#open++;
    const each = pieces[Symbol.asyncIterator]();
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { value, done } = await each.next();
          if (done !== true) return controller.enqueue(Buffer.from(value));
          this.#open--;
          controller.close();
        } catch (error) {
          this.#open--;
          this.#onError(error);
          controller.error(error);
        }
      },
      cancel: async () => {
        this.#open--;
        await each.return?.();
      },
    });
    return new Response(body, { headers: { ...SAFE_HEADERS, 'content-type': `${media}; charset=utf-8` } });
  }
}
