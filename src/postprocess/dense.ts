/** A character of a script without spaces between words: the index stores pairs of neighbouring characters. */
export const DENSE: RegExp =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
