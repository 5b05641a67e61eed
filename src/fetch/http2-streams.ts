import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';

/** Tells of each stream before its request is sent. */
const CREATED = 'http2.client.stream.created';
const ROBOTS_TAG = 'x-robots-tag';

/**
 * From now on, in this whole process, HTTP/2 tells what HTTP/1.1 does:
 * - `X-Robots-Tag` fields are a list in every answer. Node.js joins fields of one name to one text, and so loses for whom a directive
 *   is: a robot's name holds to the end of its own field.
 * - An answer that its server breaks off has an error: by cancelling the stream, or by closing it without an error before it said that
 *   this is the end (RFC 9113 §8.1). Node.js ends it as if it were whole.
 * @returns what ends it
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

/** @param rawFields - name, value, name, value, … as they came */
function part(headers: IncomingHttpHeaders, _flags: number, rawFields: readonly string[]): void {
  const values = rawFields.filter((_, i) => rawFields[i - 1] === ROBOTS_TAG && i % 2 === 1);
  if (values.length > 1) headers[ROBOTS_TAG] = values;
}

/**
 * Node.js pushes the end of a stream when its last frame says so (END_STREAM), before it is closed; and again when it is closed, by
 * whatever frame.
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
