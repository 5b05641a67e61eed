/** A character of a script in which words follow each other without a space: the index has pairs of such neighbours. */
export const DENSE: RegExp =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
