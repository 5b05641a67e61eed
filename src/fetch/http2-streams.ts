import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';

/** Diagnostics channel that announces each stream before its request is sent. */
const CREATED = 'http2.client.stream.created';
const ROBOTS_TAG = 'x-robots-tag';

/**
 * Makes HTTP/2 behave like HTTP/1.1 in two respects, in the whole process:
 * - `X-Robots-Tag` fields are a list in every response. Node.js joins fields of one name into one text. That loses
 * which robot a
 * directive is for, since a robot's name applies until the end of its own field.
 * - A response that its server breaks off causes an error: the stream is cancelled, or closed without an error before
 * the end was
 * signalled (RFC 9113 §8.1). Node.js ends it as if it were complete.
 * @returns a function that undoes this
 */
export function watchHttp2Streams(): () => void {
  const listener = (message: unknown): void => {
    if (!isOfStream(message)) return;
    message.stream.once('response', part);
    watchEnd(message.stream);
  };
  subscribe(CREATED, listener);
  return () => void unsubscribe(CREATED, listener);
}

/** @param rawFields - name, value, name, value, … as received */
function part(headers: IncomingHttpHeaders, _flags: number, rawFields: readonly string[]): void {
  const values = rawFields.filter((_, i) => rawFields[i - 1] === ROBOTS_TAG && i % 2 === 1);
  if (values.length > 1) headers[ROBOTS_TAG] = values;
}

/**
 * Detects the end of a stream. Node.js signals it when the last frame has END_STREAM, before the stream is closed,
 * and again when it is closed by any frame.
 */
function watchEnd(stream: ClientHttp2Stream): void {
  const push = stream.push.bind(stream);
  let isWhole = false;
  stream.push = (chunk: unknown, ...encoding) => {
    if (chunk === null && !stream.closed) isWhole = true;
    return push(chunk, ...encoding);
  };
  stream.once('end', () => {
    if (isWhole || stream.listenerCount('error') === 0) return;
    const code = stream.rstCode === constants.NGHTTP2_CANCEL ? 'NGHTTP2_CANCEL' : 'NGHTTP2_NO_ERROR before its end';
    const error = new Error(`Stream closed with error code ${code}`);
    stream.emit('error', Object.assign(error, { code: 'ERR_HTTP2_STREAM_ERROR' }));
  });
}

function isOfStream(message: unknown): message is { readonly stream: ClientHttp2Stream } {
  return typeof message === 'object' && message !== null && 'stream' in message;
}
