import { isMessage, isTar } from '../analyze/index.ts';

/** Containers of documents that are more than a text, told by their first bytes. */
export type Container = 'pdf' | 'ole' | 'zip' | 'gzip' | 'tar' | 'rtf' | 'message';

/** A PDF may have junk before its header; readers look this far. */
const PDF_HEADER_BYTES = 1024;

/** Archives that hold programs or data, no documents. */
const NO_DOCUMENTS =
  /java-archive|android\.package|spreadsheet|excel|x-msdownload|apple\.installer|x-xpinstall|python\.wheel|\.(?:jar|war|apk|xlsx|xlsm|xls|ods|whl|xpi|nupkg|vsix|msi|ipa|aar)(?:[?#]|$)/i;

/** The container that a body begins like, or `undefined`. The media type counts only where bytes leave a doubt. */
export function containerOf(contentType: string, firstBytes: Uint8Array): Container | undefined {
  const [a, b, c, d] = firstBytes;
  if (a === 0x50 && b === 0x4b && c === 0x03 && d === 0x04) return 'zip';
  if (a === 0x1f && b === 0x8b && c === 0x08) return 'gzip';
  if (a === 0xd0 && b === 0xcf && c === 0x11 && d === 0xe0) return 'ole';
  if (isTar(firstBytes)) return 'tar';
  if (a === 0x7b && b === 0x5c && c === 0x72 && d === 0x74) return 'rtf'; // {\rt
  const head = Buffer.from(firstBytes.subarray(0, PDF_HEADER_BYTES)).toString('latin1');
  if (isMessage(head, contentType)) return 'message';
  const at = head.indexOf('%PDF-');
  return at === 0 || (at > 0 && (contentType === 'application/pdf' || head.slice(0, at).trim() === ''))
    ? 'pdf'
    : undefined;
}

/**
 * True for a page that has to go through a `Converter` before it can be analysed.
 * @param firstBytes the body or its first kilobyte
 */
export function isConvertible(contentType: string, url: string, firstBytes: Uint8Array): boolean {
  return (
    containerOf(contentType, firstBytes) !== undefined && !NO_DOCUMENTS.test(contentType) && !NO_DOCUMENTS.test(url)
  );
}
