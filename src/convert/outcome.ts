import type { UNUSABLE_REASONS } from '../analyze/index.ts';

/** What a converter needs to know. */
export interface ConvertLimits {
  readonly maxPdfPages: number;
  /** Text beyond this is cut later. */
  readonly maxTextChars: number;
  /** HTML longer than this is cut; the analyser would not read it anyway. */
  readonly maxHtmlChars: number;
  /** Bytes that archives and containers may unfold to. */
  readonly maxInflatedBytes: number;
  /** Members of an archive that are read. */
  readonly maxMembers: number;
}

/** A document that cannot be converted; the boundary of the child process turns it into a value. */
export class ConversionError extends Error {
  readonly reason: (typeof UNUSABLE_REASONS)[number];

  constructor(reason: (typeof UNUSABLE_REASONS)[number], detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** The compression method of an archive's member is not supported, so its content is unknown. */
export class PackingError extends ConversionError {
  constructor(packing: string) {
    super('type', `packed by ${packing}, which is not read`);
  }
}
