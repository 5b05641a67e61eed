/** Offset of the signature in a tar archive (POSIX.1-2024, `pax`: ustar interchange format). */
const MAGIC_AT = 257;
const MAGIC = Buffer.from('ustar');
/** Media type of an e-mail. */
const MAIL = 'message/rfc822';
/** Fields that mail programs write and people do not. A text with one of them may be about e-mails. Our choice. */
const OF_TRANSPORT = /^(received|return-path|delivered-to|message-id|mime-version|authentication-results):/gim;
const MIN_TRANSPORT_FIELDS = 2;
const OF_SAVED_PAGE =
  /^(?:snapshot-content-location:|content-type:\s{0,9}multipart\/related\b|from:[^\n]{0,99}\bsaved by )/im;

/**
 * Removes what programs put before a message's first field: a byte order mark, empty lines, and the separator line of
 * a mailbox (`From a@b.example Mon Jan 1 …`, RFC 4155).
 */
export function withoutEnvelope(message: string): string {
  return message.replace(
    /^(?:\xef\xbb\xbf)?(?:[ \t]{0,99}\r?\n){0,99}(?:>{0,9}From [^\r\n]{0,990}(?:\r?\n){1,99})?/,
    '',
  );
}

/**
 * Whether a body that begins with e-mail fields is an e-mail, by its media type or by two fields of mail programs, or a page that a
 * browser saved with its pictures in one file.
 */
export function isMessage(beginning: string, contentType: string): boolean {
  const message = withoutEnvelope(beginning);
  if (!/^[!-9;-~]{1,990}[ \t]{0,99}:/.test(message)) return false;
  return contentType === MAIL || OF_SAVED_PAGE.test(beginning) || hasTransportFields(message);
}

function hasTransportFields(message: string): boolean {
  const [head = ''] = message.split(/\r?\n\r?\n/, 1);
  const names = Array.from(head.matchAll(OF_TRANSPORT), ([, name = '']) => name.toLowerCase());
  return new Set(names).size >= MIN_TRANSPORT_FIELDS;
}

/** Whether the bytes begin like a tar archive. */
export function isTar(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[MAGIC_AT + index] === byte);
}
