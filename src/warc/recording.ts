import type { CanonicalUrl } from '../core/index.ts';

/** One request and its answer as they went over the wire, ready to be kept. */
export interface Recording {
  readonly url: CanonicalUrl;
  /** When the answer was there, in ms since 1970. */
  readonly fetchedAt: number;
  /** Address dialled; `''` behind a proxy. */
  readonly address: string;
  /** Header fields as sent: name, value, name, value, … */
  readonly requestFields: readonly string[];
  readonly status: number;
  /** Header fields as received, in the same form. */
  readonly responseFields: readonly string[];
  /** Freed of chunks, still in its content coding. */
  readonly body: Uint8Array;
  /** The body was longer; the rest was not read. */
  readonly cut: boolean;
  /** The connection ended within the body. Default: false. */
  readonly isBrokenOff?: boolean;
}

/** Keeps what went over the wire. */
export interface Recorder {
  /**
   * Resolves when the exchange is in the file, so that no page can be reported that the recording lacks.
   * @throws BingoError `WARC_UNWRITABLE` when it cannot be kept; the crawl must stop then
   */
  record(recording: Recording): Promise<void>;
}

/** Header fields as undici hands them over: buffers or strings in turn, or an object (HTTP/2). */
export type RawFields = readonly (Buffer | string)[] | Readonly<Record<string, unknown>> | null | undefined;

/** Brings header fields into one form. Pseudo headers of HTTP/2 are left out. */
export function plainFields(raw: RawFields): readonly string[] {
  const flat = Array.isArray(raw)
    ? (raw as readonly (Buffer | string)[]).map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
    : Object.entries(raw ?? {}).flatMap(([name, value]) => [value].flat().flatMap((each) => [name, String(each)]));
  return flat.filter((_, i) => !flat[i - (i % 2)]!.startsWith(':'));
}
