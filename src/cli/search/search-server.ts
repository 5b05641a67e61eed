import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BingoError, isWithin, ROOT, type TopicId, type TopicTree, UsageError } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';
import {
  type LocalAnswer,
  meantWords,
  readPageFilter,
  readSearch,
  resultRow,
  searchContext,
  searchPages,
  surestPages,
  type Workspace,
  workspaceTitle,
} from '../../workbench/index.ts';
import { isOwnName } from '../host-check.ts';
import { localServer } from '../local-server.ts';
import { readCount } from '../read-count.ts';
import { pageFilterOptions, SEARCH_FLAGS, searchOptions } from './search-flags.ts';
import { type SearchPage, searchPage } from './search-page.ts';
import { argsOf } from './url-parameters.ts';

const LOOPBACK = '127.0.0.1';
const LIMIT = 10;
const MAX_LIMIT = 200;
/** Ranking more candidates takes long. */
const MAX_OFFSET = 1_000;
/** Browsers send no longer URLs; a longer one is rejected. */
const MAX_ADDRESS_CHARS = 4_000;

/** Forbids a result page to run scripts, load anything from elsewhere, or be embedded. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** A server that answers searches. */
export interface SearchServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves searches on loopback only: `/?q=…` as a page, `/search.json?q=…` for programs. Both accept the flags of
 * `bingo search` as parameters.
 * @throws BingoError `CANNOT_LISTEN`
 */
export async function serveSearch(store: Store, workspace: Workspace, port: number): Promise<SearchServer> {
  const server = localServer((request, response) => {
    answer(store, workspace, request).then(
      (reply) => send(request, response, reply),
      (error: Error) => send(request, response, json(500, { error: { message: error.message } })),
    );
  });
  await listen(server, port);
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${own}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

async function answer(store: Store, workspace: Workspace, request: IncomingMessage): Promise<Reply> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'Only GET and HEAD.');
  if (!isOwnName(request.headers.host)) return plain(421, 'Use the address that bingo serve printed.');
  const address = request.url ?? '/';
  const url = address.length > MAX_ADDRESS_CHARS ? null : URL.parse(address, `http://${LOOPBACK}`);
  if (url === null) return plain(414, 'The address is too long.');
  if (url.pathname === '/') return await answerPage(store, workspace, url);
  if (url.pathname === '/search.json') return await answerJson(store, workspace, url.searchParams);
  return plain(404, 'Known paths are / and /search.json.');
}

async function answerJson(store: Store, workspace: Workspace, asked: URLSearchParams): Promise<Reply> {
  try {
    checkParameters(asked);
    const limit = limitOf(asked);
    const offset = readCount('offset', asked.get('offset') || undefined, 0, { min: 0, max: MAX_OFFSET });
    const { matches, ended, notes, results } = await ask(store, workspace, asked, offset + limit);
    const page = results.map(resultRow).slice(offset);
    return json(200, { query: asked.get('q') ?? '', matches, ended, offset, notes, results: page });
  } catch (error) {
    if (!(error instanceof BingoError)) throw error;
    const { code, message, hint } = error;
    return json(error instanceof UsageError ? 400 : 500, { error: { code, message, hint } });
  }
}

async function answerPage(store: Store, workspace: Workspace, { searchParams: asked }: URL): Promise<Reply> {
  const page = { title: workspaceTitle(workspace), tree: workspace.tree, asked };
  try {
    // Counted only for the first page: it takes longer than many searches.
    if ((asked.get('q') ?? '').trim() === '') {
      const accepted = subtreeCounts(await acceptedPages(store), workspace.tree);
      return html(200, searchPage({ ...page, accepted, ...(await browsed(store, workspace, asked, accepted)) }));
    }
    const began = performance.now();
    const found = await ask(store, workspace, asked);
    const elapsedMs = performance.now() - began;
    const limit = limitOf(asked);
    const isMore = found.results.length === limit && limit < MAX_LIMIT && found.matches > limit;
    const more = isMore ? { more: `/?${withLimit(asked, limit + 2 * LIMIT)}` } : {};
    return html(200, searchPage({ ...page, answer: found, notes: found.notes, elapsedMs, ...more }));
  } catch (error) {
    if (!(error instanceof BingoError)) throw error;
    const problem = { message: error.message, hint: error.hint };
    return html(error instanceof UsageError ? 400 : 500, searchPage({ ...page, problem }));
  }
}

async function acceptedPages(store: Store): Promise<ReadonlyMap<TopicId, number>> {
  return new Map((await store.status()).topics.map(({ topic, accepted }) => [topic, accepted]));
}

/** Returns the accepted pages of each topic and its subtopics, in tree order. */
function subtreeCounts(own: ReadonlyMap<TopicId, number>, { nodes }: TopicTree): ReadonlyMap<TopicId, number> {
  const ids = [...nodes.keys()].filter((id) => id !== '');
  const within = (id: TopicId): number => [...own].reduce((sum, [topic, n]) => sum + (isWithin(topic, id) ? n : 0), 0);
  return new Map(ids.map((id) => [id, within(id)]));
}

/** Returns the most relevant pages of the chosen topic and its subtopics; nothing without a topic. */
async function browsed(
  store: Store,
  { tree }: Workspace,
  asked: URLSearchParams,
  accepted: ReadonlyMap<TopicId, number>,
): Promise<Partial<Pick<SearchPage, 'answer' | 'more'>>> {
  if ((asked.get('topic') ?? '') === '') return {};
  const limit = limitOf(asked);
  const filter = readPageFilter(pageFilterOptions(argsOf(asked)), tree);
  const results = await surestPages(store, { relevance: 1 }, { shown: [], count: limit, filter });
  const matches = Math.max(results.length, accepted.get(filter.topics?.[0] ?? ROOT) ?? 0);
  const isMore = results.length === limit && limit < MAX_LIMIT && matches > limit;
  const more = isMore ? { more: `/?${withLimit(asked, limit + 2 * LIMIT)}` } : {};
  return { answer: { results, matches, unchecked: 0, ended: 0 }, ...more };
}

/** @throws UsageError for an unknown parameter of a program: a misspelt filter would otherwise have no effect */
function checkParameters(asked: URLSearchParams): void {
  const known = ['q', 'limit', 'offset', ...Object.keys(SEARCH_FLAGS)];
  const unknown = [...asked.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`Unknown parameter: ${unknown}.`, `Known parameters: ${known.join(', ')}.`);
}

interface Answer extends LocalAnswer {
  /** Parts of the query that were read differently from what the user may have meant. */
  readonly notes: readonly string[];
}

async function ask(
  store: Store,
  { tree }: Workspace,
  asked: URLSearchParams,
  limit: number = limitOf(asked),
): Promise<Answer> {
  const words = asked.get('q') ?? '';
  const context = await searchContext(store, words, { tree, limit });
  const search = readSearch(words, searchOptions(argsOf(asked)), context);
  const answer = await searchPages(store, search);
  const { notes = [] } = search;
  const mayBeMisspelt = answer.matches === 0 && notes.length === 0;
  const meant = mayBeMisspelt ? await meantWords(store, words) : undefined;
  return { ...answer, notes: meant === undefined ? notes : [`Did you mean ${meant}?`] };
}

/** @throws UsageError if it is not a valid number of results */
function limitOf(asked: URLSearchParams): number {
  return readCount('limit', asked.get('limit') || undefined, LIMIT, { max: MAX_LIMIT });
}

function withLimit(asked: URLSearchParams, limit: number): URLSearchParams {
  const next = new URLSearchParams(asked);
  next.set('limit', String(Math.min(MAX_LIMIT, limit)));
  return next;
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body }: Reply): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...HEADERS, 'content-type': type, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function html(status: number, body: string): Reply {
  return { status, type: 'text/html; charset=utf-8', body };
}

function json(status: number, value: unknown): Reply {
  return { status, type: 'application/json', body: `${safeJson(value)}\n` };
}

function plain(status: number, text: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      const message = taken ? `Port ${port} is in use.` : `Port ${port} cannot be opened: ${cause.message}`;
      reject(new BingoError({ code: 'CANNOT_LISTEN', message, hint: 'Name another with --port, or none.', cause }));
    });
    server.listen(port, LOOPBACK, resolve);
  });
}
