const MAX_SCRIPT_CHARS = 2_500;
/** `window.location.href = '/new'`, `location.assign('/new')`, `window.open('/new', …)`: an address that stands there in full, to which nothing is added. */
const GOES =
  /(?<![\w$.])(?:(?:window|self|top|parent|document|this)\s?\.\s?)?(?:location(?:\s?\.\s?href)?\s{0,2}=\s{0,2}|location\s?\.\s?(?:assign|replace)\s?\(\s?|open\s?\(\s?)(["'])([^"'\\<>\s]{1,2000})\1\s{0,2}(?:[;,)}]|$|return\b)/;

/** Where a script that runs at a click leads; `''`: nowhere, or nobody can tell without running it. */
export function clickTarget(script: string): string {
  return GOES.exec(script.slice(0, MAX_SCRIPT_CHARS))?.[2] ?? '';
}
