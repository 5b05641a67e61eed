import * as z from 'zod';
import { UsageError } from '../../core/index.ts';
import { PAGE_ORDERS, productVersion } from '../../workbench/index.ts';
import { NotFoundError } from '../errors.ts';
import {
  browsedPages,
  MAX_LIMIT,
  MAX_TEXT_CHARS,
  pageFacets,
  pageFilter,
  resultWindow,
  searchAnswer,
  searchOptions,
  storedPage,
  topicRow,
  url,
  urlRow,
  words,
  workspaceStatus,
} from '../schemas.ts';
import { type Operation, operation } from './operation.ts';

/** Operations that answer from what is stored. */
export const READING: readonly Operation[] = [
  operation({
    id: 'listWorkspaces',
    path: '/workspaces',
    summary: 'List the workspaces of this server',
    answer: z.object({
      version: z.string().describe('Version of Bingo.'),
      workspaces: z.array(z.object({ name: z.string(), pages: z.int(), relevant: z.int() })),
    }),
    run: async ({ workspaces }) => {
      const rows = workspaces.all.map(async (served) => {
        const { pages, relevant } = (await served.status()) ?? { pages: 0, relevant: 0 };
        return { name: served.name, pages, relevant };
      });
      return { version: productVersion(), workspaces: await Promise.all(rows) };
    },
  }),
  operation({
    id: 'status',
    path: '/workspaces/{workspace}/status',
    summary: 'Report pages, topics, failures and the last crawl',
    answer: workspaceStatus,
    run: async ({ served }) => await served.workspace.status(),
  }),
  operation({
    id: 'search',
    path: '/workspaces/{workspace}/search',
    summary: 'Search the stored pages, by words or for pages like a page',
    query: { q: words.optional(), ...searchOptions, ...resultWindow },
    answer: searchAnswer,
    run: async ({ served, query: { q, ...options } }) => {
      if (q === undefined && options.like === undefined)
        throw new UsageError('The parameter q is missing.', 'Or name a stored page: like=URL.');
      return await served.workspace.search(q ?? '', options);
    },
  }),
  operation({
    id: 'listPages',
    path: '/workspaces/{workspace}/pages',
    summary: 'List stored pages without a query, most relevant or newest first',
    query: {
      ...pageFilter,
      order: z.enum(PAGE_ORDERS).default('relevance'),
      limit: z.int().min(1).max(MAX_LIMIT).default(100).describe('Maximum number of pages.'),
      offset: z.int().min(0).max(1e9).default(0).describe('Number of pages to skip.'),
    },
    answer: browsedPages,
    run: async ({ served, query }) => await served.workspace.browse(query),
  }),
  operation({
    id: 'facets',
    path: '/workspaces/{workspace}/facets',
    summary: 'Count stored pages by topic, site, media type, language and day',
    query: pageFilter,
    answer: pageFacets,
    run: async ({ served, query }) => await served.workspace.facets(query),
  }),
  operation({
    id: 'page',
    path: '/workspaces/{workspace}/page',
    summary: 'Return a stored page with its main text, or a part of the text',
    query: {
      url,
      from: z.int().min(0).max(1e9).default(0).describe('First character of the text.'),
      chars: z.int().min(0).max(MAX_TEXT_CHARS).default(MAX_TEXT_CHARS).describe('Maximum number of characters.'),
    },
    answer: storedPage,
    run: async ({ served, query }) => {
      const page = await served.workspace.page(query.url);
      if (page === undefined)
        throw new NotFoundError(`No page is stored under ${query.url}.`, '"why" says the reason.');
      return { ...page, text: page.text.slice(query.from, query.from + query.chars), textChars: page.text.length };
    },
  }),
  operation({
    id: 'why',
    path: '/workspaces/{workspace}/why',
    summary: 'Explain a URL: its path, its verdict, the decisive terms, or why it was not fetched',
    query: { url, topic: z.string().max(500).optional().describe('Also the scores of this topic.') },
    answer: urlRow,
    run: async ({ served, query: { url: asked, topic } }) =>
      await served.workspace.explain(asked, topic === undefined ? {} : { topic }),
  }),
  operation({
    id: 'topics',
    path: '/workspaces/{workspace}/topics',
    summary: 'List the topics with their examples and accepted pages',
    answer: z.object({ topics: z.array(topicRow) }),
    run: async ({ served }) => ({ topics: [...(await served.workspace.topics())] }),
  }),
];
