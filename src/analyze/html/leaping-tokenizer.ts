import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export interface TokenizerOptions {
  readonly decodeEntities: boolean;
  readonly recognizeSelfClosing: boolean;
}

/** What htmlparser2's tokenizer keeps to itself, in the one version that package.json names: `buffer` begins at `offset`, and `index` is read. */
interface Internals extends Pick<Tokenizer, 'write' | 'end'> {
  index: number;
  readonly buffer: string;
  readonly offset: number;
  fastForwardTo(code: number): boolean;
  /** Told of the character behind `<!`. */
  stateBeforeDeclaration(code: number): void;
}

const Walking = Tokenizer as unknown as new (options: TokenizerOptions, callbacks: TokenizerCallbacks) => Internals;

/**
 * htmlparser2's tokenizer, which looks at each character of a text, a script and an attribute's value for the one that ends it. This one has the
 * processor look at many at once. `leaping-tokenizer.test.ts` holds it to the same tokens.
 */
export class LeapingTokenizer extends Walking {
  override fastForwardTo(code: number): boolean {
    const at = this.buffer.indexOf(String.fromCharCode(code), this.index + 1 - this.offset);
    this.index = this.offset + (at < 0 ? this.buffer.length - 1 : at);
    return at >= 0;
  }
}
