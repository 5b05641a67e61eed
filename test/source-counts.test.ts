import { describe, expect, it } from 'vitest';
import { countsOf } from '../scripts/source-counts.ts';

describe('countsOf', () => {
  it('counts assertions, properties and functions in the code, not in texts or comments', () => {
    const counts = countsOf(
      'a.ts',
      `// a comment!
export class Row {
  readonly a = 1;
  #b = 2;
  /** Two
   * lines. */
  sum(list: number[]): string { return \`\${list[0]! + this.#b}!\`; }
}
interface Shape { readonly a: number; b?: string }
`,
    );
    expect(counts).toMatchObject({ lines: 9, commentLines: 3, codeLines: 6, functions: 1, assertions: 1 });
    expect(counts).toMatchObject({ properties: 4, readonlyProperties: 2, bareErrors: [] });
  });

  it('lists functions with more than 3 parameters or 60 lines, and bare errors', () => {
    const long = `function long() {\n${'  f();\n'.repeat(59)}}\n`;
    const counts = countsOf(
      'a.ts',
      `${long}const wide = (a, b, c, d) => { throw new Error('x'); };\nthrow new TypeError();\n`,
    );
    expect(counts.longFunctions).toEqual([{ line: 1, size: 61 }]);
    expect(counts.wideFunctions).toEqual([{ line: 62, size: 4 }]);
    expect(counts.bareErrors).toEqual([{ line: 62, size: 1 }]);
  });
});
