import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { safeJson } from '../kit/index.ts';
import { isOwnName } from './host-check.ts';
import { errorReply, RefusedError, SAFE_HEADERS } from './reply.ts';

/** Browsers send no longer URLs; a longer one is rejected. */
const MAX_ADDRESS_CHARS = 4_000;

/** Refuses requests that are not meant for this server, before any of them is read. */
export function guarded(answer: RequestListener): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(request);
    if (refusal === undefined) answer(request, response);
    else refuse(refusal, response);
  };
}

function refusalOf({ headers, url = '/' }: IncomingMessage): RefusedError | undefined {
  if (!isOwnName(headers.host))
    return new RefusedError(421, { code: 'FOREIGN_HOST', message: 'Use the address that bingo serve printed.' });
  if (url.length > MAX_ADDRESS_CHARS)
    return new RefusedError(414, { code: 'TOO_LONG', message: 'The address is too long.' });
  return undefined;
}

function refuse(refusal: RefusedError, response: ServerResponse): void {
  const body = Buffer.from(`${safeJson({ error: errorReply(refusal) })}\n`);
  const head = { ...SAFE_HEADERS, 'content-type': 'application/json', 'content-length': body.length };
  response.writeHead(refusal.status, { ...head, connection: 'close' });
  response.end(body);
}
