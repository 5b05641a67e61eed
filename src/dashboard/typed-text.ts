import type { KeyPress } from './key-press.ts';

/** Keys of the line that changes topics. */
export const TOPIC_KEYS: readonly string[] = [
  'Enter change',
  'Esc back',
  'rename TOPIC NAME',
  'move TOPIC PARENT',
  'remove TOPIC',
  'add TOPIC URL',
  'example TOPIC URL',
  'set TOPIC shown false',
];

/** Returns a line of text after a key; `undefined` if the key does not change it. */
export function typedText(text: string, key: KeyPress, max: number): string | undefined {
  if (key.name === 'backspace') return [...text].slice(0, -1).join('');
  return key.name === 'text' ? [...text, key.text].slice(0, max).join('') : undefined;
}
