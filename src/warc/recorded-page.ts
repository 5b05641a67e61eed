import { type CanonicalUrl, isPartial, isPassingStatus, PART_STATUS } from '../core/index.ts';
import { asReceived, type HeaderFields, parseHttpResponse } from './http-message.ts';

/** A recorded response. */
export interface RecordedPage {
  readonly url: CanonicalUrl;
  readonly status: number;
  /** As recorded; `body` is already decoded. */
  readonly headers: HeaderFields;
  readonly body: Uint8Array;
  /** Time of the recording, in ms since 1970; 0 if unknown. */
  readonly recordedAt: number;
  /**
   * True if the body was truncated while recording, or not recorded. A body truncated for its length counts as whole:
   * web archives keep enough of long pages.
   */
  readonly breaksOff: boolean;
}

/** A record as read: its block, and what its fields say. */
export interface RecordedBlock {
  readonly url: CanonicalUrl;
  readonly recordedAt: number;
  readonly block: Uint8Array;
  /** Bytes of the block that are not there. */
  readonly missing: number;
  /** Segments of the record are missing. */
  readonly isPart: boolean;
  /** `WARC-Truncated` in lower case; `''` if complete. */
  readonly cutFor: string;
  /** Media type of a `resource` record, which has no HTTP header. */
  readonly resourceType: string | undefined;
  /** For a `revisit` record: the page with the same body, if it was found. */
  readonly repeats?: { readonly original: RecordedPage | undefined } | undefined;
}

const NO_BYTES = new Uint8Array(0);

/** Returns the page in a record. */
export function recordedPage(record: RecordedBlock): RecordedPage {
  const { url, recordedAt, block, missing, isPart, cutFor, resourceType, repeats } = record;
  const known = { url, recordedAt, breaksOff: isPart || missing > 0 };
  if (resourceType !== undefined) {
    const headers: HeaderFields = [['Content-Type', resourceType], ...lengthOf(missing)];
    return { ...known, status: 200, headers, body: block };
  }
  const original = repeats?.original;
  const response = parseHttpResponse(block);
  // A record that repeats another one may have no HTTP header.
  if (response === undefined && original !== undefined) return { ...original, url, recordedAt };
  if (response === undefined) return { ...known, status: 502, headers: [], body: NO_BYTES };
  const { status, headers } = response;
  if (missing > 0) return { ...known, status, headers: [...lengthOf(missing), ...headers], body: NO_BYTES };
  const { body, isWhole } = repeats === undefined ? response : bodyOf(original);
  const isCut = cutFor !== '' || !isWhole;
  const breaksOff = isPart || (isCut && (cutFor !== 'length' || body.length === 0));
  return { ...known, status, headers, body, breaksOff };
}

/** For a body too long to store, keeps only its length. */
function lengthOf(missing: number): HeaderFields {
  return missing === 0 ? [] : [['Content-Length', String(missing)]];
}

/** A body missing from the archive was not recorded. */
function bodyOf(original: RecordedPage | undefined): { readonly body: Uint8Array; readonly isWhole: boolean } {
  return original === undefined
    ? { body: NO_BYTES, isWhole: false }
    : { body: original.body, isWhole: !original.breaksOff };
}

/** Returns true if any other recording of the page is preferred: errors that pass, parts, and broken off bodies. */
export function isPoorPage({ status, headers, breaksOff }: RecordedPage): boolean {
  if (breaksOff || isPoorStatus(status)) return true;
  return status === PART_STATUS && isPartial(status, asReceived(headers));
}

/** Returns true for statuses of responses that are not the page. "Not modified" answers a conditional request. */
export function isPoorStatus(status: number): boolean {
  return !(status >= 100) || isPassingStatus(status) || status === 304;
}
