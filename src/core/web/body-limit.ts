import type { Config } from '../config.ts';

/** Settings that limit the size of a page. */
export type BodyLimits = Partial<Pick<Config['network'], 'maxBytesByType'>> & Pick<Config['network'], 'maxBodyBytes'>;

/** A size limit of one media type, or of all types of a group such as `audio/*`. */
export interface TypeLimit {
  /** In lower case. */
  readonly type: string;
  readonly bytes: number;
}

const TYPE_LIMIT = /^([\w!#$&^.+-]+\/(?:[\w!#$&^.+-]+|\*))=(\d+)$/;

/** Parses `TYPE=BYTES`; `undefined` if it has another form. */
export function parseTypeLimit(text: string): TypeLimit | undefined {
  const [, type, bytes] = TYPE_LIMIT.exec(text.toLowerCase()) ?? [];
  return type === undefined ? undefined : { type, bytes: Number(bytes) };
}

/**
 * Returns the maximum size of a body of this media type, in bytes. The limit of the type counts before that of its
 * group, and both before the general one. Of two limits of one type the last counts.
 * @param type in lower case, without parameters; `''` if unknown
 */
export function bodyLimit({ maxBodyBytes, maxBytesByType = [] }: BodyLimits, type: string): number {
  if (maxBytesByType.length === 0) return maxBodyBytes;
  const limits = maxBytesByType.flatMap((text) => parseTypeLimit(text) ?? []);
  const group = `${type.split('/')[0]}/*`;
  const found = limits.findLast((limit) => limit.type === type) ?? limits.findLast((limit) => limit.type === group);
  return found?.bytes ?? maxBodyBytes;
}

/** The greatest limit of any type, in bytes. */
export function largestBody({ maxBodyBytes, maxBytesByType = [] }: BodyLimits): number {
  return maxBytesByType.reduce((most, text) => Math.max(most, parseTypeLimit(text)?.bytes ?? 0), maxBodyBytes);
}
