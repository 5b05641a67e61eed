import { type Context, Hono } from 'hono';
import { productVersion } from '../workbench/index.ts';
import { openApi } from './api/openapi.ts';
import { type Operation, SCOPES } from './api/operation.ts';
import { READING } from './api/reading.ts';
import type { McpAnswer } from './mcp/mcp-over-http.ts';
import { answerPage, answerSearchJson, welcome } from './page/search-face.ts';
import { errorReply, json, plain, statusOf } from './reply.ts';
import type { ServedWorkspaces } from './served.ts';

/** Every operation of the API. */
export const OPERATIONS: readonly Operation[] = [...READING];

/** What an app needs. */
export interface AppParts {
  readonly workspaces: ServedWorkspaces;
  /** Receives errors that callers do not see. */
  readonly onError: (error: unknown) => void;
}

/** Builds the routes: pages for people, the API for programs. */
export function createApp({ workspaces, onError }: AppParts): Hono {
  const app = new Hono();
  const fail = (error: unknown): Response => {
    const status = statusOf(error);
    if (status >= 500) onError(error);
    return json(status, { error: errorReply(error) });
  };
  const only = (c: Context) => workspaces.only(c.req.param('workspace'));

  for (const one of OPERATIONS)
    app.on(one.method, `/api/v1${one.path.replace(/\{(\w+)\}/g, ':$1')}`, async (c) => json(200, await run(one, c)));
  app.get('/api/v1/openapi.json', () =>
    json(200, openApi(OPERATIONS, { version: productVersion(), isTokenWanted: false })),
  );
  app.get('/healthz', () => plain(200, 'ok'));

  // Loaded by the first agent.
  let mcp: McpAnswer | undefined;
  app.all('/mcp', async (c) => {
    mcp ??= (await import('./mcp/mcp-over-http.ts')).mcpOverHttp({ workspaces, onError });
    return await mcp(c.req.raw, SCOPES);
  });

  for (const base of ['', '/w/:workspace']) {
    app.get(base === '' ? '/' : `${base}/`, async (c) => {
      if (base === '' && workspaces.all.length > 1) return await welcome(workspaces);
      return await answerPage(only(c), { asked: paramsOf(c), base: new URL(c.req.url).pathname, onError });
    });
    app.get(`${base}/search.json`, async (c) => await answerSearchJson(only(c), paramsOf(c)));
  }
  app.notFound((c) => {
    const { method, path } = c.req;
    if (method !== 'GET' && method !== 'HEAD' && !path.startsWith('/api/')) return plain(405, 'Only GET and HEAD.');
    if (path.startsWith('/api/')) return json(404, { error: unknownPath(c) });
    return plain(404, 'Known paths are /, /search.json and /api/v1/openapi.json.');
  });
  app.onError(fail);
  return app;

  async function run(one: Operation, c: Context): Promise<unknown> {
    const body = one.body === undefined ? undefined : await c.req.json<unknown>();
    const { signal } = c.req.raw;
    return await one.run({ workspaces, workspace: c.req.param('workspace') ?? '', query: paramsOf(c), body, signal });
  }
}

function unknownPath(c: Context): { code: string; message: string; hint: string } {
  const { method, path } = c.req;
  return { code: 'NOT_FOUND', message: `Nothing answers ${method} ${path}.`, hint: '/api/v1/openapi.json lists all.' };
}

function paramsOf(c: Context): URLSearchParams {
  return new URL(c.req.url).searchParams;
}
