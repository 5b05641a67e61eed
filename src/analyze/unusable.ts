/**
 * - `empty`: no bytes
 * - `convertible`: a PDF, an Office document or an archive; convert it first
 * - `binary`: pictures, programs, compressed data, whatever the header says
 * - `type`: text of a kind that holds no prose (style sheets, scripts, data)
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

/** A page that cannot become a document. */
export interface Unusable {
  readonly kind: 'unusable';
  readonly reason: (typeof UNUSABLE_REASONS)[number];
  /** For people: what was found. */
  readonly detail: string;
}

export function unusable(reason: Unusable['reason'], detail: string): Unusable {
  return { kind: 'unusable', reason, detail };
}

export function isUnusable(result: object): result is Unusable {
  return 'kind' in result && result.kind === 'unusable';
}
