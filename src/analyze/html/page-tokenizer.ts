import type { TokenizerCallbacks } from 'htmlparser2';
import { LeapingTokenizer, type TokenizerOptions } from './skipping-tokenizer.ts';

const BRACKET = '['.charCodeAt(0);
/** After `<!`, it begins a comment that ends with the next `>`. */
const QUESTION = '?'.charCodeAt(0);

/**
 * Reads `<![CDATA[` as browsers do: outside XHTML and drawings it is a comment, so that the text after its first tag
 * is shown.
 */
export class PageTokenizer extends LeapingTokenizer {
  readonly #isXhtml: boolean;
  readonly #callbacks: TokenizerCallbacks;

  constructor(options: TokenizerOptions, callbacks: TokenizerCallbacks) {
    super(options, callbacks);
    this.#isXhtml = options.recognizeSelfClosing;
    this.#callbacks = callbacks;
  }

  override stateBeforeDeclaration(code: number): void {
    const isComment = code === BRACKET && !this.#isXhtml && this.#callbacks.isInForeignContext?.() !== true;
    super.stateBeforeDeclaration(isComment ? QUESTION : code);
  }
}
