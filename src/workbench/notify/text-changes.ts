import { sanitizeText } from '../../kit/index.ts';

/** Passages shown of each side, and their greatest length. */
const SHOWN = 12;
const MAX_CHARS = 300;

/**
 * Returns the passages that only the former text has, marked `- `, and those that only the new one has, marked `+ `. Passages that
 * moved are left out. At most a dozen of each.
 */
export function textChanges(before: string, now: string): readonly string[] {
  const [old, fresh] = [passagesOf(before), passagesOf(now)];
  const [wasThere, isThere] = [new Set(old), new Set(fresh)];
  return [
    ...marked(
      '-',
      old.filter((passage) => !isThere.has(passage)),
    ),
    ...marked(
      '+',
      fresh.filter((passage) => !wasThere.has(passage)),
    ),
  ];
}

function marked(sign: string, passages: readonly string[]): readonly string[] {
  const shown = passages.slice(0, SHOWN).map((text) => {
    return `${sign} ${text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS).toWellFormed()}…` : text}`;
  });
  const left = passages.length - shown.length;
  return left > 0 ? [...shown, `${sign} … and ${left} more`] : shown;
}

/** Sentences and lines. */
function passagesOf(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?]) +(?=\p{Lu})/u)
    .map((passage) => sanitizeText(passage).trim())
    .filter((passage) => passage !== '');
}
