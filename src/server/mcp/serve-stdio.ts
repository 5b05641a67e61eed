import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpParts } from './mcp-server.ts';

/** Serves one agent over its pipes. Returns a function that ends the connection. */
export function serveMcpOverPipes(
  parts: McpParts,
  { input, output }: { readonly input: Readable; readonly output: Writable },
): () => Promise<void> {
  const transport = new StdioServerTransport(input, output);
  const { close } = serveStdio(() => createMcpServer(parts), { transport, onerror: parts.onError });
  return close;
}
