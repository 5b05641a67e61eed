/**
 * - `empty`: no bytes
 * - `convertible`: a PDF, an Office document or an archive; convert it first
 * - `binary`: pictures, programs, compressed data, whatever the header says
 * - `type`: text without prose (style sheets, scripts, data)
 * - `damaged`, `protected`, `too-large`, `timeout`, `crashed`: conversion failed
 */
export const UNUSABLE_REASONS = [
  'empty',
  'convertible',
  'binary',
  'type',
  'damaged',
  'protected',
  'too-large',
  'timeout',
  'crashed',
] as const;

/** A page that cannot be converted to a document. */
export interface Unusable {
  readonly kind: 'unusable';
  readonly reason: (typeof UNUSABLE_REASONS)[number];
  /** Description of the content, for users. */
  readonly detail: string;
}

export function unusable(reason: Unusable['reason'], detail: string): Unusable {
  return { kind: 'unusable', reason, detail };
}

export function isUnusable(result: object): result is Unusable {
  return 'kind' in result && result.kind === 'unusable';
}
