import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../src/postprocess/index.ts';

describe('csvLine', () => {
  it('ends with CRLF and keeps plain values unchanged', () => {
    expect(csvLine(['a', 1, 0.5, true, null])).toBe('a,1,0.5,true,\r\n');
  });

  it('quotes commas, quotes and line breaks', () => {
    expect(csvLine(['a,b', 'say "hi"', 'two\nlines'])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =cmd'])('keeps a spreadsheet from running %j', (text) => {
    expect(csvLine([text])).toBe(`'${text}\r\n`);
  });

  it('keeps negative numbers unchanged', () => {
    expect(csvLine([-0.25])).toBe('-0.25\r\n');
  });
});
