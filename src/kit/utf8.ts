/**
 * Decodes a header, which arrives with one character per byte, as UTF-8, because servers send UTF-8. Invalid UTF-8
 * stays unchanged.
 */
export function utf8(header: string): string {
  if (!/[\x80-\xff]/.test(header)) return header;
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? header : text;
}
