/** Headers arrive as bytes, one a character; servers write UTF-8 into them. What is none stays as it is. */
export function utf8(header: string): string {
  if (!/[\x80-\xff]/.test(header)) return header;
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? header : text;
}
