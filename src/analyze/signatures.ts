/** Where a tar archive says what it is (POSIX.1-2024, `pax`: ustar interchange format). */
const MAGIC_AT = 257;
const MAGIC = Buffer.from('ustar');
/** The media type of a mail. A text that merely begins like one may tell of mails. */
const MAIL = 'message/rfc822';
const OF_SAVED_PAGE =
  /^(?:snapshot-content-location:|content-type:\s{0,9}multipart\/related\b|from:[^\n]{0,99}\bsaved by )/im;

/**
 * A message without what programs put before its first field: a byte order mark, empty lines, and the line by which a mailbox parts its messages
 * (`From a@b.example Mon Jan 1 …`, RFC 4155).
 */
export function withoutEnvelope(message: string): string {
  return message.replace(
    /^(?:\xef\xbb\xbf)?(?:[ \t]{0,99}\r?\n){0,99}(?:>{0,9}From [^\r\n]{0,990}(?:\r?\n){1,99})?/,
    '',
  );
}

/** What begins with fields of a mail is one, where it is sent as that; else a page that a browser saved, with its pictures, in one file. */
export function isMessage(beginning: string, contentType: string): boolean {
  return (
    /^[!-9;-~]{1,990}[ \t]{0,99}:/.test(withoutEnvelope(beginning)) &&
    (contentType === MAIL || OF_SAVED_PAGE.test(beginning))
  );
}

/** True for bytes that begin as a tar archive does. */
export function isTar(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[MAGIC_AT + index] === byte);
}
