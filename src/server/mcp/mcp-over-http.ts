import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Scope } from '../api/operation.ts';
import { MAX_BODY_BYTES } from '../guard.ts';
import { createMcpServer, type McpParts } from './mcp-server.ts';

const MAX_SUBSCRIPTIONS = 32;

/** Answers a request of an agent that may do this much. */
export type McpAnswer = (request: Request, scopes: readonly Scope[]) => Promise<Response>;

/** Serves agents over HTTP, without sessions. */
export function mcpOverHttp(parts: Omit<McpParts, 'scopes'>): McpAnswer {
  const handler = createMcpHandler(
    ({ authInfo }) => createMcpServer({ ...parts, scopes: (authInfo?.scopes ?? []) as Scope[] }),
    { onerror: parts.onError, maxRequestBodySize: MAX_BODY_BYTES, maxSubscriptions: MAX_SUBSCRIPTIONS },
  );
  return async (request, scopes) =>
    await handler.fetch(request, { authInfo: { token: '', clientId: '', scopes: [...scopes] } });
}
