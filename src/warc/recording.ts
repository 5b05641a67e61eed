import type { CanonicalUrl } from '../core/index.ts';

/** One request and its response as transferred, ready to be recorded. */
export interface Recording {
  readonly url: CanonicalUrl;
  /** Time of the response, in ms since 1970. */
  readonly fetchedAt: number;
  /** Address dialled; `''` behind a proxy. */
  readonly address: string;
  /** Header fields as sent: name, value, name, value, … */
  readonly requestFields: readonly string[];
  readonly status: number;
  /** Header fields as received, in the same form. */
  readonly responseFields: readonly string[];
  /** Without chunked coding, but still in its content coding. */
  readonly body: Uint8Array;
  /** The body was longer; the rest was not read. */
  readonly cut: boolean;
  /** The connection ended within the body. Default: false. */
  readonly isBrokenOff?: boolean;
}

/** A page as a browser showed it, ready to be recorded beside its response. */
export interface RenderedRecording {
  readonly url: CanonicalUrl;
  /** Time of rendering, in ms since 1970. */
  readonly renderedAt: number;
  /** Its source as shown, in UTF-8. */
  readonly html: Uint8Array;
}

/** Records transferred requests and responses, and rendered pages. */
export interface Recorder {
  /**
   * Resolves once the exchange is in the file, so that no page is reported that is missing from the recording.
   * @throws BingoError `WARC_UNWRITABLE` if it cannot be recorded; the crawl must stop then
   */
  record(recording: Recording): Promise<void>;
  /** Resolves once the rendered page is in the file. Throws like {@link record}. */
  recordRendered(page: RenderedRecording): Promise<void>;
}

/** Header fields as undici returns them: alternating buffers or strings, or an object (HTTP/2). */
export type RawFields = readonly (Buffer | string)[] | Readonly<Record<string, unknown>> | null | undefined;

/** Converts header fields into one format. Omits HTTP/2 pseudo headers. */
export function plainFields(raw: RawFields): readonly string[] {
  const flat = Array.isArray(raw)
    ? (raw as readonly (Buffer | string)[]).map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
    : Object.entries(raw ?? {}).flatMap(([name, value]) => [value].flat().flatMap((each) => [name, String(each)]));
  return flat.filter((_, i) => !flat[i - (i % 2)]!.startsWith(':'));
}
