import type { PageFields } from './extension.ts';
import type { Capture } from './fetch-outcome.ts';

/** Names of stored fields that begin with this say from which archive a page is. Extractors cannot use it. */
export const ARCHIVE_PREFIX = 'archive.';

/** The archive from which a page was read, as it is exported. */
export interface Provenance {
  /** Name of the file, or address of the service. */
  readonly archive: string;
  /** The address as archived. */
  readonly url: string;
  /** Time of the recording, ISO 8601, UTC; `''` if unknown. */
  readonly captured: string;
}

/** Returns the stored fields of a capture. */
export function captureFields({ archive, url, at }: Capture): PageFields {
  const captured = at === 0 || Number.isNaN(at) ? '' : new Date(at).toISOString();
  return {
    [`${ARCHIVE_PREFIX}name`]: archive,
    [`${ARCHIVE_PREFIX}url`]: url,
    ...(captured !== '' && { [`${ARCHIVE_PREFIX}captured`]: captured }),
  };
}

/** Returns the archive of a page; `undefined` for a page from its server. */
export function provenanceOf(fields: PageFields | undefined): Provenance | undefined {
  const text = (name: string): string => String(fields?.[`${ARCHIVE_PREFIX}${name}`] ?? '');
  const archive = text('name');
  return archive === '' ? undefined : { archive, url: text('url'), captured: text('captured') };
}
