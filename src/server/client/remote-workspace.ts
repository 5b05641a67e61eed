import type {
  BrowsedPages,
  BrowseOptions,
  ClusterRow,
  CrawlOptions,
  ExportOptions,
  MarkResult,
  Marks,
  PageFacets,
  PageFilterOptions,
  PageRow,
  ResultWindow,
  ReviewAudit,
  SearchAnswer,
  SearchOptions,
  SqlRows,
  StoredPage,
  TextFormat,
  TopicRow,
  UrlRow,
  WorkspaceStatus,
} from '../../workbench/index.ts';
import { ApiError, Connection } from './connection.ts';
import { RemoteCrawl } from './remote-crawl.ts';
import { RemoteFind, type RemoteFindOptions } from './remote-find.ts';
import { RemoteReview } from './remote-review.ts';
import { RemoteStanding } from './remote-standing.ts';

/** How to reach a server. */
export interface ConnectOptions {
  /** Token that `bingo serve --host` printed. */
  readonly token?: string | undefined;
  /** Name of the workspace. Default: the only one. */
  readonly workspace?: string | undefined;
}

/** A crawl to start. */
export type RemoteCrawlOptions = Pick<CrawlOptions, 'budget' | 'only' | 'ordering' | 'ask' | 'signal'> & {
  /** Time limit, such as `90m`. */
  readonly time?: string | undefined;
};

/** A workspace of a server. Its methods answer as those of a local workspace do. */
export class RemoteWorkspace implements AsyncDisposable {
  /** Name of the workspace. */
  readonly title: string;
  /** Queries that are asked again after each crawl and recheck. */
  readonly standing: RemoteStanding;
  readonly #connection: Connection;

  /** @internal Use {@link connect}. */
  constructor(title: string, connection: Connection) {
    this.title = title;
    this.#connection = connection;
    this.standing = new RemoteStanding(connection);
  }

  /** Returns the workspace's progress: pages, topics, failures. */
  async status(): Promise<WorkspaceStatus> {
    return await this.#connection.get('/status');
  }

  /** Searches the stored pages. */
  async search(words: string, options: SearchOptions & ResultWindow = {}): Promise<SearchAnswer> {
    const { named: _, ...rest } = options;
    return await this.#connection.get('/search', { q: words, ...rest });
  }

  /** Lists stored pages without a query, a part at a time: most relevant or newest first. */
  async browse(options: BrowseOptions = {}): Promise<BrowsedPages> {
    const { named: _, ...rest } = options;
    return await this.#connection.get('/pages', { ...rest });
  }

  /** Counts stored pages by topic, site, media type, language and day. */
  async facets(options: PageFilterOptions = {}): Promise<PageFacets> {
    const { named: _, ...rest } = options;
    return await this.#connection.get('/facets', { ...rest });
  }

  /** Returns a stored page with its main text; `undefined` if no page is stored under the URL. */
  async page(url: string): Promise<StoredPage | undefined> {
    try {
      const { textChars, ...page } = await this.#connection.get<StoredPage & { textChars: number }>('/page', { url });
      let { text } = page;
      while (text.length < textChars) {
        const part = await this.#connection.get<StoredPage>('/page', { url, from: text.length });
        if (part.text === '') break;
        text += part.text;
      }
      return { ...page, text };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** Explains a URL: its path from a seed, its verdict, the decisive terms, or why it was not fetched. */
  async explain(url: string, { topic }: { readonly topic?: string } = {}): Promise<UrlRow> {
    return await this.#connection.get('/why', { url, topic });
  }

  /** Returns the topics of bingo.yaml, in tree order. */
  async topics(): Promise<readonly TopicRow[]> {
    return (await this.#connection.get<{ readonly topics: readonly TopicRow[] }>('/topics')).topics;
  }

  /** Groups the accepted pages of a topic by content, largest group first; or rejected pages. */
  async clusters(
    topic?: string,
    { count, rejected }: { readonly count?: number; readonly rejected?: boolean } = {},
  ): Promise<readonly ClusterRow[]> {
    const asked = { topic, count, rejected };
    return (await this.#connection.get<{ readonly clusters: readonly ClusterRow[] }>('/clusters', asked)).clusters;
  }

  /** Applies marks: trains on them, then judges every stored page again. */
  async mark(marks: Marks): Promise<MarkResult> {
    return await this.#connection.post('/marks', marks);
  }

  /** Returns what marks would change; writes nothing. */
  async previewMarks(marks: Marks): Promise<MarkResult> {
    return await this.#connection.post('/marks', { ...marks, preview: true });
  }

  /** Opens a review of what topics learn from. Close it at the end. */
  async review(topic?: string): Promise<RemoteReview> {
    return new RemoteReview(await this.#connection.post('/review', { topic }), this.#connection);
  }

  /** Returns the decisions of all reviews with their names and times, and how far reviewers agree. */
  async reviewAudit(): Promise<ReviewAudit> {
    return await this.#connection.get('/review/audit', { limit: 10_000 });
  }

  /** Starts a crawl on the server. Leaving the loop over its events stops it. */
  crawl(options: RemoteCrawlOptions = {}): RemoteCrawl {
    return RemoteCrawl.start(options, this.#connection);
  }

  /**
   * Follows a crawl that runs in the workspace, whichever client or process started it, or the last one of the server.
   * Leaving the loop over its events, or aborting the signal, does not stop the crawl. The loop throws `NOT_FOUND` if
   * there is no crawl.
   */
  follow({ signal }: { readonly signal?: AbortSignal | undefined } = {}): RemoteCrawl {
    return RemoteCrawl.follow({ signal }, this.#connection);
  }

  /**
   * Finds pages for a question on the web: learns from it and from first pages, crawls, and answers. Leaving the loop
   * over its events stops it.
   */
  find(question: string, options: RemoteFindOptions = {}): RemoteFind {
    return new RemoteFind(question, options, this.#connection);
  }

  /** Yields stored pages in fetch order; with `text`, including their main text. */
  async *pages(options: ExportOptions = {}): AsyncGenerator<PageRow & { readonly text?: string }, void, void> {
    let rest = '';
    for await (const piece of this.export('jsonl', options)) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as PageRow & { readonly text?: string };
    }
  }

  /** Yields an export file of the stored pages, in pieces. */
  async *export(format: TextFormat, options: ExportOptions = {}): AsyncGenerator<string, void, void> {
    const { named: _, ...rest } = options;
    yield* this.#connection.pieces('/export', { format, ...rest });
  }

  /** Runs a read-only SQL query on the store. The server limits its time and rows. */
  async sql(query: string, { limit = 1000 }: { readonly limit?: number } = {}): Promise<SqlRows> {
    return await this.#connection.post('/sql', { query, limit });
  }

  /** Nothing is kept open; for symmetry with the local workspace. */
  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Connects to a workspace of a server.
 * @param url address that `bingo serve` printed
 * @throws ApiError if no server answers, the token is missing, or the workspace is unknown
 *
 * @example
 * ```js
 * const workspace = await connect('http://127.0.0.1:8080');
 * const { results } = await workspace.search('touring routes', { topic: ['cycling'] });
 * ```
 */
export async function connect(url: string, { token, workspace }: ConnectOptions = {}): Promise<RemoteWorkspace> {
  const base = `${url.replace(/\/+$/, '')}/api/v1/workspaces`;
  const { workspaces } = await new Connection(base, token).get<{ readonly workspaces: readonly { name: string }[] }>(
    '',
  );
  const names = workspaces.map(({ name }) => name);
  const name = workspace ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || !names.includes(name)) {
    const message =
      workspace === undefined ? 'Several workspaces are served.' : `No workspace is named "${workspace}".`;
    throw new ApiError(404, { code: 'NOT_FOUND', message, hint: `Name one: ${names.join(', ')}.` });
  }
  return new RemoteWorkspace(name, new Connection(`${base}/${encodeURIComponent(name)}`, token));
}
