import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';

/** Tells of each stream before its request is sent. */
const CREATED = 'http2.client.stream.created';
const ROBOTS_TAG = 'x-robots-tag';

/**
 * Node.js joins HTTP/2 fields of one name to one text. Of `X-Robots-Tag` that loses for whom a directive is: a robot's name holds to
 * the end of its own field. From now on these are a list in every answer, in this whole process, as those of HTTP/1.1 are.
 * @returns what ends it
 */
export function keepRobotsTagsApart(): () => void {
  const listener = (message: unknown): void => {
    if (isOfStream(message)) message.stream.once('response', part);
  };
  subscribe(CREATED, listener);
  return () => void unsubscribe(CREATED, listener);
}

/** @param rawFields - name, value, name, value, … as they came */
function part(headers: IncomingHttpHeaders, _flags: number, rawFields: readonly string[]): void {
  const values = rawFields.filter((_, i) => rawFields[i - 1] === ROBOTS_TAG && i % 2 === 1);
  if (values.length > 1) headers[ROBOTS_TAG] = values;
}

function isOfStream(message: unknown): message is { readonly stream: ClientHttp2Stream } {
  return typeof message === 'object' && message !== null && 'stream' in message;
}
