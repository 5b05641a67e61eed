const MAX_SCRIPT_CHARS = 2_500;
/**
 * `window.location.href = '/new'`, `location.assign('/new')`, `window.open('/new', …)`: a complete URL to which
 * nothing is appended.
 */
const GOES =
  /(?<![\w$.])(?:(?:window|self|top|parent|document|this)\s?\.\s?)?(?:location(?:\s?\.\s?href)?\s{0,2}=\s{0,2}|location\s?\.\s?(?:assign|replace)\s?\(\s?|open\s?\(\s?)(["'])([^"'\\<>\s]{1,2000})\1\s{0,2}(?:[;,)}]|$|return\b)/;

/** Returns the target of a click handler; `''` if it has none, or it is unknown without running the script. */
export function clickTarget(script: string): string {
  return GOES.exec(script.slice(0, MAX_SCRIPT_CHARS))?.[2] ?? '';
}
