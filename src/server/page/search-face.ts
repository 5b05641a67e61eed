import * as z from 'zod';
import { BingoError, isWithin, ROOT, type TopicId, type TopicTree } from '../../core/index.ts';
import { webAddress } from '../../postprocess/index.ts';
import {
  type LocalAnswer,
  logQuery,
  meantWords,
  type Reading,
  readPageFilter,
  readSearch,
  searchContext,
  searchPages,
  surestPages,
} from '../../workbench/index.ts';
import { statusOf } from '../errors.ts';
import { readQuery } from '../read-input.ts';
import { html, json, plain, SAFE_HEADERS } from '../reply.ts';
import { MAX_LIMIT, resultWindow, searchOptions, words } from '../schemas.ts';
import type { Served, ServedWorkspaces } from '../served.ts';
import { type SearchPage, searchPage, welcomePage } from './search-page.ts';

/** How many results "More" adds. */
const MORE = 20;

/** Parameters for programs. */
const PARAMETERS = z.object({ q: words.default(''), ...searchOptions, ...resultWindow });
type Asked = z.infer<typeof PARAMETERS>;

/** Answers a search of a program. */
export async function answerSearchJson({ workspace }: Served, asked: URLSearchParams): Promise<Response> {
  const { q, ...options } = readQuery(PARAMETERS, asked);
  const { query, matches, ended, notes, meant, results } = await workspace.search(q, options);
  const all = meant === undefined ? notes : [...notes, `Did you mean ${meant}?`];
  return json(200, { query, matches, ended, offset: options.offset, notes: all, results });
}

interface PageRequest {
  readonly asked: URLSearchParams;
  /** Path of the page. */
  readonly base: string;
  /** Receives errors of the server. */
  readonly onError: (error: unknown) => void;
}

/** Answers with the search page. Unknown parameters are ignored: addresses of pages live long. */
export async function answerPage({ workspace: opened }: Served, request: PageRequest): Promise<Response> {
  return await opened.read(async (reading) => {
    const { asked, base, onError } = request;
    const { title } = opened;
    const page = { title, base, tree: reading.workspace.tree, asked };
    try {
      const known = [...asked].filter(([name]) => Object.hasOwn(PARAMETERS.shape, name) && name !== 'offset');
      const query = readQuery(PARAMETERS, new URLSearchParams(known));
      return html(200, searchPage({ ...page, ...(await contentOf(reading, query, request)) }));
    } catch (error) {
      if (!(error instanceof BingoError)) throw error;
      const status = statusOf(error);
      if (status >= 500) onError(error);
      return html(status, searchPage({ ...page, problem: { message: error.message, hint: error.hint } }));
    }
  });
}

/**
 * Logs that a result is opened, and redirects to it. Only stored pages: other addresses would make this server
 * recommend any site.
 */
export async function openResult({ workspace: opened }: Served, asked: URLSearchParams): Promise<Response> {
  return await opened.read(async ({ store, workspace }) => {
    const url = webAddress((await store.pageOf(asked.get('url') ?? ''))?.finalUrl ?? '');
    if (url === undefined) return plain(404, 'No page is stored under this address.');
    logQuery(workspace, { from: 'serve', query: asked.get('q') ?? '', opened: url });
    return new Response(null, { status: 302, headers: { ...SAFE_HEADERS, location: url } });
  });
}

/** Answers with a list of the workspaces. */
export async function welcome({ all }: ServedWorkspaces): Promise<Response> {
  const rows = all.map(async (one) => ({ name: one.name, relevant: (await one.status())?.relevant ?? 0 }));
  return html(200, welcomePage(await Promise.all(rows)));
}

async function contentOf(reading: Reading, query: Asked, { asked, base }: PageRequest): Promise<Partial<SearchPage>> {
  // Counted only for the first page: it takes longer than many searches.
  if (query.q.trim() === '' && query.like === undefined) {
    const accepted = subtreeCounts(await acceptedPages(reading), reading.workspace.tree);
    const answer = await browsed(reading, query, accepted);
    return { accepted, ...(answer !== undefined && { answer, ...more(answer, query, { asked, base }) }) };
  }
  const began = performance.now();
  const answer = await search(reading, query);
  const elapsedMs = performance.now() - began;
  const { workspace } = reading;
  // Neither "More", which asks again with a greater limit, nor pages like a page.
  if (!asked.has('limit') && query.like === undefined)
    logQuery(workspace, { from: 'serve', query: query.q, matches: answer.matches });
  const isLogged = workspace.config.search.log;
  return { isLogged, answer, notes: answer.notes, elapsedMs, ...more(answer, query, { asked, base }) };
}

async function acceptedPages({ store }: Reading): Promise<ReadonlyMap<TopicId, number>> {
  return new Map((await store.status()).topics.map(({ topic, accepted }) => [topic, accepted]));
}

/** Returns the accepted pages of each topic and its subtopics, in tree order. */
function subtreeCounts(own: ReadonlyMap<TopicId, number>, { nodes }: TopicTree): ReadonlyMap<TopicId, number> {
  const ids = [...nodes.keys()].filter((id) => id !== '');
  const within = (id: TopicId): number => [...own].reduce((sum, [topic, n]) => sum + (isWithin(topic, id) ? n : 0), 0);
  return new Map(ids.map((id) => [id, within(id)]));
}

/** Returns the most relevant pages of the chosen topic and its subtopics; `undefined` without a topic. */
async function browsed(
  { store, workspace }: Reading,
  query: Asked,
  accepted: ReadonlyMap<TopicId, number>,
): Promise<LocalAnswer | undefined> {
  if (query.topic === undefined) return undefined;
  const filter = readPageFilter(query, workspace.tree);
  const results = await surestPages(store, { relevance: 1 }, { shown: [], count: query.limit, filter });
  const matches = Math.max(results.length, accepted.get(filter.topics?.[0] ?? ROOT) ?? 0);
  return { results, matches, unchecked: 0, ended: 0 };
}

interface Answer extends LocalAnswer {
  /** Parts of the query that were read differently from what the user may have meant. */
  readonly notes: readonly string[];
}

async function search({ store, workspace: { tree } }: Reading, { q, limit, ...options }: Asked): Promise<Answer> {
  const { like } = options;
  const context = await searchContext(store, q, { tree, limit, ...(like !== undefined && { like }) });
  const search = readSearch(q, options, context);
  const answer = await searchPages(store, search);
  const { notes = [] } = search;
  const mayBeMisspelt = answer.matches === 0 && notes.length === 0;
  const meant = mayBeMisspelt && q.trim() !== '' ? await meantWords(store, q) : undefined;
  return { ...answer, notes: meant === undefined ? notes : [`Did you mean ${meant}?`] };
}

/** Returns the address of the same page with more results; nothing on the last page. */
function more(
  { results, matches }: LocalAnswer,
  { limit }: Asked,
  { asked, base }: Pick<PageRequest, 'asked' | 'base'>,
): Pick<SearchPage, 'more'> {
  if (results.length < limit || limit >= MAX_LIMIT || matches <= limit) return {};
  const next = new URLSearchParams(asked);
  next.set('limit', String(Math.min(MAX_LIMIT, limit + MORE)));
  return { more: `${base}?${next}` };
}
