import { type CallToolResult, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { safeJson } from '../../kit/index.ts';
import { productVersion, surestPages } from '../../workbench/index.ts';
import type { Scope } from '../api/operation.ts';
import { errorReply, NotFoundError } from '../errors.ts';
import type { Served, ServedWorkspaces } from '../served.ts';
import { markedText, UNTRUSTED } from './page-text.ts';
import { TOOLS, type Tool } from './tools.ts';

const INSTRUCTIONS = `Bingo keeps web pages on chosen topics, found by a focused crawler and judged by a classifier.
Ask "find" for passages that answer a question, "search" for a list, "read_page" for a text. Cite the address and the date.
If nothing fits, "find_beyond" looks for pages on the web, and "crawl_more" continues the crawl; "mark" teaches which pages are wanted. ${UNTRUSTED}`;

/** Pages listed as resources, per workspace. */
const LISTED_PAGES = 50;
const RESOURCE_CHARS = 50_000;

/** What an MCP server needs. */
export interface McpParts {
  readonly workspaces: ServedWorkspaces;
  /** What the client may do. */
  readonly scopes: readonly Scope[];
  /** Receives errors that clients do not see. */
  readonly onError: (error: unknown) => void;
}

/** Creates the MCP server of one client: tools to ask, teach and crawl, and the pages as resources. */
export function createMcpServer(parts: McpParts): McpServer {
  const info = { name: 'bingo', title: 'Bingo', version: productVersion() };
  const server = new McpServer(info, { instructions: INSTRUCTIONS, maxToolInputElements: 1_000 });
  for (const tool of TOOLS.filter(({ scope }) => parts.scopes.includes(scope))) addTool(server, tool, parts);
  addPages(server, parts);
  return server;
}

function addTool(server: McpServer, tool: Tool, { workspaces, onError }: McpParts): void {
  const { name, title, description, input, scope, run } = tool;
  const annotations = {
    title,
    readOnlyHint: scope === 'read',
    destructiveHint: false,
    idempotentHint: scope !== 'steer',
    openWorldHint: scope === 'steer',
  };
  const inputSchema = z.object(input).strict();
  server.registerTool(name, { title, description, inputSchema, annotations }, async (values, { mcpReq }) => {
    try {
      const answer = await run({ workspaces, input: values, signal: mcpReq.signal });
      return { content: [{ type: 'text', text: typeof answer === 'string' ? answer : safeJson(answer) }] };
    } catch (error) {
      return failure(error, onError);
    }
  });
}

function failure(error: unknown, onError: (error: unknown) => void): CallToolResult {
  const { code, message, hint } = errorReply(error);
  if (code === 'UNEXPECTED') onError(error);
  return { isError: true, content: [{ type: 'text', text: [message, hint].filter(Boolean).join('\n') }] };
}

function addPages(server: McpServer, { workspaces }: McpParts): void {
  const template = new ResourceTemplate('bingo://{workspace}/page{?url}', {
    list: async () => ({ resources: (await Promise.all(workspaces.all.map(bestPages))).flat() }),
  });
  const config = { title: 'Stored pages', description: `A stored page as text. ${UNTRUSTED}`, mimeType: 'text/plain' };
  server.registerResource('page', template, config, async (uri, variables) => {
    const { workspace } = workspaces.named(decodeURIComponent(String(variables.workspace)));
    const url = uri.searchParams.get('url') ?? '';
    const page = await workspace.page(url);
    if (page === undefined) throw new NotFoundError(`No page is stored under ${url}.`);
    const text = markedText(page, page.text.slice(0, RESOURCE_CHARS));
    return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] };
  });
}

async function bestPages(served: Served): Promise<{ uri: string; name: string; mimeType: string }[]> {
  const { name, workspace } = served;
  if ((await served.status()) === undefined) return [];
  const best = await workspace.read(({ store }) =>
    surestPages(store, { relevance: 1 }, { shown: [], count: LISTED_PAGES, filter: {} }),
  );
  return best.map(({ url, title }) => {
    const uri = `bingo://${encodeURIComponent(name)}/page?url=${encodeURIComponent(url)}`;
    return { uri, name: title || url, mimeType: 'text/plain' };
  });
}
