import { Parser } from 'htmlparser2';
import { localName } from '../analyze/index.ts';

/** Shorter XML is read whole. */
const SMALL_CHARS = 500_000;

/**
 * Cuts XML behind the given number of characters of text in elements `t`, and closes what is open there. A tree of the whole takes a library many
 * seconds, though what is beyond the limit of a page's text is cut later anyway.
 */
export function cutXml(xml: string, maxTextChars: number): string {
  if (xml.length < SMALL_CHARS) return xml;
  const open: string[] = [];
  let chars = 0;
  let end = xml.length;
  let tail = '';
  const parser = new Parser(
    {
      onopentagname(name) {
        open.push(name);
      },
      onclosetag() {
        open.pop();
      },
      ontext(text) {
        if (tail !== '' || localName(open.at(-1) ?? '') !== 't') return;
        chars += text.length;
        if (chars <= maxTextChars) return;
        end = parser.endIndex + 1;
        tail = open
          .toReversed()
          .map((name) => `</${name}>`)
          .join('');
        parser.pause();
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  parser.end();
  return xml.slice(0, end) + tail;
}
