/** Returns the words of a shell line up to the first pipe, redirection or comment. */
export function shellWords(line: string): string[] {
  const found = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)];
  const end = found.findIndex(([whole]) => /^(?:[|<>#]|&&)/.test(whole));
  return found.slice(0, end < 0 ? undefined : end).map(([, single, double, plain]) => single ?? double ?? plain!);
}
