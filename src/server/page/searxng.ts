import type { ResultRow } from '../../workbench/index.ts';
import { RefusedError } from '../errors.ts';
import { json } from '../reply.ts';
import type { Served, ServedWorkspaces } from '../served.ts';

/** Results per page and workspace, as SearXNG has about. */
const PAGE = 10;
const MAX_PAGES = 50;

const SINCE: Readonly<Record<string, string>> = { day: '1d', week: '7d', month: '31d', year: '366d' };

/** A result in the format of SearXNG's result pages. */
interface SearxngResult {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  /** The workspace. */
  readonly engine: string;
  readonly engines: readonly string[];
  readonly parsed_url: readonly string[];
  readonly template: string;
  readonly positions: readonly number[];
  readonly score: number;
  readonly category: string;
  readonly publishedDate: null;
}

/**
 * Answers as a SearXNG instance does, whose engines are the workspaces: parameters `q`, `pageno`, `engines` and
 * `time_range`; others have no effect.
 * @throws UsageError if the query has no searchable word
 */
export async function answerSearxng(workspaces: ServedWorkspaces, asked: URLSearchParams): Promise<Response> {
  const query = (asked.get('q') ?? '').slice(0, 2_000);
  if (asked.get('format') !== 'json')
    throw new RefusedError(403, {
      code: 'FORMAT',
      message: 'Only the format json is supported.',
      hint: 'Add &format=json.',
    });
  const page = Math.min(MAX_PAGES, Math.max(1, Math.trunc(Number(asked.get('pageno') ?? 1)) || 1));
  const wanted = (asked.get('engines') ?? '').split(',').filter((name) => name !== '');
  const engines = workspaces.all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const since = SINCE[asked.get('time_range') ?? ''];
  const window = { limit: PAGE, offset: (page - 1) * PAGE, ...(since !== undefined && { since }) };
  const found = await Promise.all(engines.map(async (one) => ({ one, ...(await searchOne(one, query, window)) })));
  const results = found.flatMap(({ one, results: rows }) => rows.map((row) => searxngResult(row, one.name)));
  return json(200, {
    query,
    number_of_results: found.reduce((sum, { matches }) => sum + matches, 0),
    results: results.sort((a, b) => a.positions[0]! - b.positions[0]! || b.score - a.score),
    answers: [],
    corrections: found.flatMap(({ meant }) => meant ?? []),
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [],
  });
}

async function searchOne(
  served: Served,
  query: string,
  window: { readonly limit: number; readonly offset: number },
): Promise<{ readonly results: readonly ResultRow[]; readonly matches: number; readonly meant?: string }> {
  if ((await served.status()) === undefined) return { results: [], matches: 0 };
  return await served.workspace.search(query, { ...window, accepted: true });
}

function searxngResult({ url, title, snippet, score, rank }: ResultRow, engine: string): SearxngResult {
  const { protocol, host, pathname, search, hash } = new URL(url);
  const parsed_url = [protocol.slice(0, -1), host, pathname, '', search.slice(1), hash.slice(1)];
  const named = { engine, engines: [engine], parsed_url, template: 'default.html', positions: [rank] };
  return { url, title, content: snippet, ...named, score, category: 'general', publishedDate: null };
}
