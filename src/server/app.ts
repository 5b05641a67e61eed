import { join } from 'node:path';
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { type OpenWorkspace, productVersion } from '../workbench/index.ts';
import type { Access } from './access.ts';
import { CURATING, SITE_FOLDER } from './api/curating.ts';
import { openApi } from './api/openapi.ts';
import type { Operation, Scope } from './api/operation.ts';
import { READING } from './api/reading.ts';
import { STANDING } from './api/standing.ts';
import { WORKING } from './api/working.ts';
import { errorReply, RefusedError, statusOf } from './errors.ts';
import { MAX_BODY_BYTES, MAX_UPLOAD_BYTES, tooLarge } from './guard.ts';
import type { McpAnswer } from './mcp/mcp-over-http.ts';
import { type AnswerCounts, metricsText } from './metrics.ts';
import { answerPage, answerSearchJson, openResult, welcome } from './page/search-face.ts';
import { answerSearxng } from './page/searxng.ts';
import { logPortalSearch, MAX_LOG_BYTES, portalSearchIn, reporting, SEARCH_PAGE } from './portal-log.ts';
import { json, plain } from './reply.ts';
import type { ServedWorkspaces } from './served.ts';
import { SITE_HEADERS, siteFile } from './site-files.ts';
import { Streams } from './streams.ts';
import { shared, studioFile, studioPage } from './studio-files.ts';
import { Turnstile } from './turnstile.ts';

/** Every operation of the API. */
export const OPERATIONS: readonly Operation[] = [...READING, ...WORKING, ...CURATING, ...STANDING];

/** Requests answered at a time, and requests that wait. */
const QUICK: readonly [number, number] = [16, 256];
/** The same for operations that take long. */
const HEAVY: readonly [number, number] = [2, 16];
/** What an app needs. */
export interface AppParts {
  readonly workspaces: ServedWorkspaces;
  readonly access: Access;
  /** Origins of web pages that may read answers. */
  readonly origins: readonly string[];
  /** Receives errors that callers do not see. */
  readonly onError: (error: unknown) => void;
}

type Env = { Variables: { readonly scopes: readonly Scope[] } };
type Request = Context<Env>;

/** Builds the routes: pages for people, the API for programs, MCP for agents. */
export function createApp({ workspaces, access, origins, onError }: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  const [quick, heavy] = [new Turnstile(...QUICK), new Turnstile(...HEAVY)];
  const answers: AnswerCounts = new Map();
  const streams = new Streams(onError);

  app.use(async (c, next) => {
    await next();
    answers.set(c.res.status, (answers.get(c.res.status) ?? 0) + 1);
    const origin = c.req.header('origin');
    if (origin !== undefined && origins.includes(origin)) allow(c, origin);
  });
  app.use(async (c, next) => {
    // Refused before, unless the origin is named.
    if (c.req.method === 'OPTIONS') return new Response(null, { status: 204 });
    const scopes = access.scopesOf(c.req.header('authorization'));
    if (scopes.length === 0 && c.req.path !== '/healthz') throw unknownCaller();
    c.set('scopes', scopes);
    return await next();
  });

  for (const one of OPERATIONS)
    app.on(one.method.toUpperCase(), `/api/v1${one.path.replace(/\{(\w+)\}/g, ':$1')}`, async (c) => {
      requireScope(c, one.scope);
      const limit = one.isUpload ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES;
      const body = one.body === undefined ? undefined : await bodyOf(c.req.raw, limit);
      const value = await (one.isHeavy ? heavy : quick).pass(() => run(one, c, body));
      return one.answer instanceof z.ZodType
        ? json(200, value)
        : streams.answer(one.answer.media, value as AsyncIterable<string>);
    });
  app.get('/api/v1/openapi.json', () =>
    json(200, openApi(OPERATIONS, { version: productVersion(), isTokenWanted: access.isTokenWanted })),
  );
  app.get('/healthz', () => plain(200, 'ok'));
  app.get('/metrics', async () => plain(200, await metricsText(workspaces, answers)));

  // Loaded by the first agent.
  let mcp: McpAnswer | undefined;
  app.all('/mcp', async (c) => {
    mcp ??= (await import('./mcp/mcp-over-http.ts')).mcpOverHttp({ workspaces, onError });
    return await mcp(c.req.raw, c.get('scopes'));
  });

  addPages(app, quick, { workspaces, onError });
  addFiles(app, workspaces);
  addRefusals(app, onError);
  return app;

  async function run(one: Operation, c: Request, body: unknown): Promise<unknown> {
    const { signal } = c.req.raw;
    const lastEventId = Number(c.req.header('last-event-id') ?? 0) || 0;
    const workspace = c.req.param('workspace') ?? '';
    return await one.run({ workspaces, workspace, query: paramsOf(c), body, lastEventId, signal });
  }
}

/** Pages for people, and searches of programs beside the API. */
function addPages(
  app: Hono<Env>,
  quick: Turnstile,
  { workspaces, onError }: Pick<AppParts, 'workspaces' | 'onError'>,
): void {
  for (const base of ['', '/w/:workspace']) {
    const only = (c: Request) => workspaces.only(c.req.param('workspace'));
    app.get(base === '' ? '/' : `${base}/`, async (c) => {
      if (base === '' && workspaces.all.length > 1) return await welcome(workspaces);
      const page = { asked: paramsOf(c), base: new URL(c.req.url).pathname, onError };
      return await quick.pass(() => answerPage(only(c), page));
    });
    app.get(`${base}/open`, async (c) => await quick.pass(() => openResult(only(c), paramsOf(c))));
    app.get(`${base}/search.json`, async (c) => await quick.pass(() => answerSearchJson(only(c), paramsOf(c))));
  }
  app.get('/search', async (c) => await quick.pass(() => answerSearxng(workspaces, paramsOf(c))));
  // Other instances ask by a form.
  app.post('/search', async (c) => {
    const asked = new URLSearchParams(await textOf(c.req.raw));
    return await quick.pass(() => answerSearxng(workspaces, asked));
  });
}

/** The studio, and the portals that it writes. */
function addFiles(app: Hono<Env>, workspaces: ServedWorkspaces): void {
  app.get('/studio', () => studioPage());
  app.get('/studio/share', (c) => shared(paramsOf(c)));
  app.get('/studio/:file', async (c) => (await studioFile(c.req.param('file'))) ?? plain(404, 'Not found.'));
  app.get(`/w/:workspace/${SITE_FOLDER}/*`, async (c) => {
    const { name, workspace } = workspaces.named(c.req.param('workspace'));
    const path = new URL(c.req.url).pathname.replace(/^(\/[^/]*){3}/, '');
    const file = await siteFile(join(workspace.dir, SITE_FOLDER), path);
    if (file === undefined) return plain(404, 'Not found.');
    const log = `/w/${encodeURIComponent(name)}/${SITE_FOLDER}${LOG_PATH}`;
    const body = path === SEARCH_PAGE && (await isLogged(workspace)) ? reporting(file.body, log) : file.body;
    return new Response(body, { headers: { ...SITE_HEADERS, 'content-type': file.type } });
  });
  app.post(`/w/:workspace/${SITE_FOLDER}${LOG_PATH}`, async (c) => {
    const { workspace } = workspaces.named(c.req.param('workspace'));
    if (!(await isLogged(workspace))) return plain(404, 'The query log is off.');
    const text = await textOf(c.req.raw, MAX_LOG_BYTES);
    const search = portalSearchIn(text);
    if (search === undefined) return plain(400, 'Not a search.');
    await workspace.read((reading) => logPortalSearch(search, reading));
    return new Response(null, { status: 204 });
  });
}

/** Where the search page of a portal reports to. */
const LOG_PATH = '/log';

async function isLogged(workspace: OpenWorkspace): Promise<boolean> {
  return await workspace.read(async ({ workspace: { config } }) => config.search.log);
}

/** Answers to unknown paths and to errors. */
function addRefusals(app: Hono<Env>, onError: AppParts['onError']): void {
  app.notFound((c) => {
    const { method, path } = c.req;
    if (path.startsWith('/api/')) return json(404, { error: unknownPath(method, path) });
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Only GET and HEAD.');
    return plain(404, 'Known paths are /, /studio, /search.json, /api/v1/openapi.json, /mcp, /healthz and /metrics.');
  });
  app.onError((error) => {
    const status = statusOf(error);
    if (status >= 500 && !(error instanceof RefusedError)) onError(error);
    const answer = json(status, { error: errorReply(error) });
    if (status === 401) answer.headers.set('www-authenticate', 'Bearer, Basic realm="Bingo: the password is a token"');
    if (status === 503) answer.headers.set('retry-after', '1');
    return answer;
  });
}

function requireScope(c: Request, scope: Scope): void {
  if (c.get('scopes').includes(scope)) return;
  throw new RefusedError(403, {
    code: 'SCOPE',
    message: `The token does not allow this: it needs the scope "${scope}".`,
    hint: 'Use the token of that scope, as bingo serve printed it.',
  });
}

function unknownCaller(): RefusedError {
  return new RefusedError(401, {
    code: 'TOKEN',
    message: 'A token is needed.',
    hint: 'Send "Authorization: Bearer TOKEN", as bingo serve printed it. In a browser it is the password.',
  });
}

function allow(c: Request, origin: string): void {
  c.header('access-control-allow-origin', origin);
  c.header('access-control-allow-headers', 'authorization, content-type, last-event-id');
  c.header('access-control-allow-methods', 'GET, POST, DELETE');
  c.header('vary', 'origin');
}

/** @throws RefusedError if it is not JSON, or too large */
async function bodyOf(request: globalThis.Request, limit: number): Promise<unknown> {
  if (!/^application\/json\b/.test(request.headers.get('content-type') ?? ''))
    throw new RefusedError(415, {
      code: 'NOT_JSON',
      message: 'The body is not marked as JSON.',
      hint: 'Send JSON, such as {}, and the header Content-Type: application/json.',
    });
  const text = await textOf(request, limit);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const message = `The body is not valid JSON: ${error instanceof Error ? error.message : error}`;
    throw new RefusedError(400, {
      code: 'NOT_JSON',
      message,
      hint: 'Check quotes and braces; a shell may remove some.',
    });
  }
}

/** @throws RefusedError if it is too large */
async function textOf({ body }: globalThis.Request, most: number = MAX_BODY_BYTES): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > most) throw tooLarge(most);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function unknownPath(method: string, path: string): { code: string; message: string; hint: string } {
  return { code: 'NOT_FOUND', message: `Nothing answers ${method} ${path}.`, hint: '/api/v1/openapi.json lists all.' };
}

function paramsOf(c: Request): URLSearchParams {
  return new URL(c.req.url).searchParams;
}
