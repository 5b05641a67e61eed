/** Where a tar archive says what it is (POSIX.1-2024, `pax`: ustar interchange format). */
const MAGIC_AT = 257;
const MAGIC = Buffer.from('ustar');
/** The media type of a mail. A text that merely begins like one may tell of mails. */
const MAIL = 'message/rfc822';
const OF_SAVED_PAGE =
  /^(?:snapshot-content-location:|content-type:\s{0,9}multipart\/related\b|from:[^\n]{0,99}\bsaved by )/im;

/** What begins with fields of a mail is one, where it is sent as that; else a page that a browser saved, with its pictures, in one file. */
export function isMessage(beginning: string, contentType: string): boolean {
  return /^[A-Za-z][\w-]{0,60}:[ \t]/.test(beginning) && (contentType === MAIL || OF_SAVED_PAGE.test(beginning));
}

/** True for bytes that begin as a tar archive does. */
export function isTar(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[MAGIC_AT + index] === byte);
}
