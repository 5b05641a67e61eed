import fc from 'fast-check';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { LeapingTokenizer } from '../../../src/analyze/html/skipping-tokenizer.ts';

const CALLS = [
  ...['ontext', 'onopentagname', 'onattribname', 'onattribdata', 'onattribend', 'onopentagend', 'onselfclosingtag'],
  ...['onclosetag', 'oncdata', 'oncomment', 'ondeclaration', 'onprocessinginstruction', 'onattribentity'],
  ...['ontextentity', 'onend'],
];

const piece = fc.oneof(
  fc.constantFrom(
    ...['<', '>', '</', '/>', '"', "'", '=', ' ', '&amp;', '&', '…', '\0', '-', '--', '!', '?', ']]>', '\n'],
    ...['<a href="/x">', '</a>', '<p class=x>', '<br/>', '<!-- x -->', '<!--', '-->', '<!doctype html>', '<?xml x?>'],
    ...['<script>', '</script', '<style>', '</style>', '<title>', '</title>', '<textarea>', '</textarea>', '<svg>'],
    ...['<iframe>', '</iframe>', '<noembed>', '<xmp>', '<plaintext>', '<![CDATA[', 'words of a text'],
  ),
  fc.string({ maxLength: 8 }),
);

function tokens(
  tokenizer: typeof Tokenizer | typeof LeapingTokenizer,
  chunks: readonly string[],
  recognizeSelfClosing: boolean,
): readonly unknown[] {
  const seen: unknown[] = [];
  const entries = CALLS.map((name) => [name, (...places: readonly number[]) => seen.push([name, ...places])]);
  const callbacks = Object.fromEntries(entries) as TokenizerCallbacks;
  const reader = new tokenizer({ decodeEntities: false, recognizeSelfClosing }, callbacks);
  for (const chunk of chunks) reader.write(chunk);
  reader.end();
  return seen;
}

describe('the skipping tokenizer', () => {
  it("finds the same tokens as htmlparser2's own tokenizer, in one chunk or several", () => {
    const html = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(html, { minLength: 1, maxLength: 3 }), fc.boolean(), (chunks, selfCloses) => {
        expect(tokens(LeapingTokenizer, chunks, selfCloses)).toEqual(tokens(Tokenizer, chunks, selfCloses));
      }),
      { numRuns: 3000 },
    );
  });

  it('skips ahead: fails if a new version of htmlparser2 no longer lets it', () => {
    const reader = new LeapingTokenizer({ decodeEntities: false, recognizeSelfClosing: false }, {
      ontext: () => {},
      onend: () => {},
    } as unknown as TokenizerCallbacks);
    let leaps = 0;
    const leap = reader.fastForwardTo;
    reader.fastForwardTo = (code) => {
      leaps++;
      return leap.call(reader, code);
    };
    reader.write('a text');
    reader.end();
    expect(leaps).toBe(1);
  });
});
