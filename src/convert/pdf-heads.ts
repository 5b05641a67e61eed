/** Lines at the top and at the bottom of a page, empty ones aside, that may be its head and foot. */
const EDGE_LINES = 3;
/** What stands at the edge of fewer pages may be part of the text. */
const MIN_PAGES = 3;
/** Words, or a number alone; lines of several numbers are rows of a table. */
const HEAD = /\p{L}|^[^\p{L}\p{N}]*0[^\p{L}\p{N}]*$/u;

/** The text of pages without the heads and feet that they repeat, whatever numbers are in these; each stays where it stands first. */
export function withoutRunningHeads(pages: readonly string[]): readonly string[] {
  const split = pages.map((text) => text.split('\n'));
  const pagesWith = new Map<string, number>();
  for (const lines of split)
    for (const head of new Set(edgesOf(lines).map((at) => headOf(lines[at]!))))
      pagesWith.set(head, (pagesWith.get(head) ?? 0) + 1);
  const shown = new Set<string>();
  return split.map((lines) => {
    const heads = edgesOf(lines).filter((at) => isRunning(headOf(lines[at]!), pagesWith));
    const again = new Set(heads.filter((at) => shown.has(headOf(lines[at]!))));
    for (const at of heads) shown.add(headOf(lines[at]!));
    return lines.filter((_, at) => !again.has(at)).join('\n');
  });
}

function isRunning(head: string, pagesWith: ReadonlyMap<string, number>): boolean {
  return HEAD.test(head) && (pagesWith.get(head) ?? 0) >= MIN_PAGES;
}

/** Numbers of the lines at both edges of a page. */
function edgesOf(lines: readonly string[]): readonly number[] {
  const written = [...lines.keys()].filter((at) => lines[at]!.trim() !== '');
  return [...new Set([...written.slice(0, EDGE_LINES), ...written.slice(-EDGE_LINES)])];
}

/** A line as it stands on other pages, too. */
function headOf(line: string): string {
  return line.trim().replace(/\s+/g, ' ').replace(/\d+/g, '0');
}
