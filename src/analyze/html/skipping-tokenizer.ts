import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export interface TokenizerOptions {
  readonly decodeEntities: boolean;
  readonly recognizeSelfClosing: boolean;
}

/**
 * Private members of htmlparser2's tokenizer, in the exact version of package.json: `buffer` begins at `offset`,
 * `index` is the position.
 */
interface Internals extends Pick<Tokenizer, 'write' | 'end'> {
  index: number;
  readonly buffer: string;
  readonly offset: number;
  fastForwardTo(code: number): boolean;
  /** Called for the character after `<!`. */
  stateBeforeDeclaration(code: number): void;
}

const Walking = Tokenizer as unknown as new (options: TokenizerOptions, callbacks: TokenizerCallbacks) => Internals;

/**
 * htmlparser2's tokenizer checks each character of texts, scripts and attribute values for the one that ends them.
 * This subclass searches for that character with native code. `leaping-tokenizer.test.ts` verifies that the tokens
 * are the same.
 */
export class LeapingTokenizer extends Walking {
  override fastForwardTo(code: number): boolean {
    const at = this.buffer.indexOf(String.fromCharCode(code), this.index + 1 - this.offset);
    this.index = this.offset + (at < 0 ? this.buffer.length - 1 : at);
    return at >= 0;
  }
}
