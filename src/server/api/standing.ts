import * as z from 'zod';
import { compareCrawls, crawlFacts } from '../../workbench/index.ts';
import { words } from '../schemas.ts';
import type { Served } from '../served.ts';
import { type Operation, operation } from './operation.ts';

const finding = z.object({
  title: z.string().describe('Title of the page, or the cells of the row.'),
  url: z.string().nullable(),
  foundAt: z.string().describe('ISO 8601, UTC.'),
});
const standing = z
  .object({
    query: z.string().describe('Words of a search, or a SQL statement.'),
    kind: z.enum(['search', 'sql']),
    askedAt: z.string().nullable().describe('ISO 8601, UTC; null before the first crawl.'),
    news: z.array(finding).describe('Found since the findings were last marked as seen, oldest first.'),
  })
  .meta({ id: 'StandingQuery' });
const shared = z.object({ common: z.int(), ofA: z.number(), ofB: z.number() });
const over = z.array(z.tuple([z.number(), z.number()]));
const PATH = '/workspaces/{workspace}/standing';

function listed({ workspace }: Served): z.infer<typeof standing>[] {
  return workspace.standing.list().map((one) => ({ ...one, news: [...one.news] }));
}

/** Operations about standing queries, and the comparison of two workspaces. */
export const STANDING: readonly Operation[] = [
  operation({
    id: 'standingQueries',
    path: PATH,
    summary: 'List the standing queries with what is new',
    answer: z.object({ queries: z.array(standing) }),
    run: async ({ served }) => ({ queries: listed(served) }),
  }),
  operation({
    id: 'addStandingQuery',
    method: 'post',
    path: PATH,
    summary: 'Ask a search or a SQL statement again after each crawl; what it finds now is not new',
    scope: 'judge',
    body: z.object({ query: words }),
    answer: z.object({ queries: z.array(standing) }),
    run: async ({ served, body }) => {
      await served.workspace.standing.add(body.query);
      return { queries: listed(served) };
    },
  }),
  operation({
    id: 'removeStandingQuery',
    method: 'delete',
    path: PATH,
    summary: 'Remove a standing query, by its text',
    scope: 'judge',
    query: { query: words },
    answer: z.object({ queries: z.array(standing) }),
    run: async ({ served, query }) => {
      served.workspace.standing.remove(query.query);
      return { queries: listed(served) };
    },
  }),
  operation({
    id: 'askStandingQueries',
    method: 'post',
    path: `${PATH}/ask`,
    summary: 'Ask all standing queries now',
    scope: 'judge',
    isHeavy: true,
    answer: z.object({
      answers: z.array(
        z.object({
          query: z.string(),
          found: z.array(finding).describe('Found for the first time.'),
          problem: z.string().exactOptional().describe('Why it could not be asked.'),
        }),
      ),
    }),
    run: async ({ served }) => {
      const answers = await served.workspace.standing.ask();
      return { answers: answers.map((one) => ({ ...one, found: [...one.found] })) };
    },
  }),
  operation({
    id: 'markStandingSeen',
    method: 'post',
    path: `${PATH}/seen`,
    summary: 'Mark all findings of the standing queries as seen',
    scope: 'judge',
    answer: z.object({ seen: z.int().describe('Number of findings that were new.') }),
    run: async ({ served }) => ({ seen: served.workspace.standing.markSeen() }),
  }),
  operation({
    id: 'compare',
    path: '/workspaces/{workspace}/compare',
    summary: 'Compare the crawl with that of another workspace of the server',
    isHeavy: true,
    query: { with: z.string().min(1).max(200).describe('Name of the other workspace.') },
    answer: z
      .object({
        crawls: z.array(z.object({ name: z.string(), pages: z.int(), relevant: z.int(), hosts: z.int() })),
        coverage: z.array(
          z.object({ by: z.string(), of: z.string(), found: z.int(), share: z.number(), overTime: over }),
        ),
        overlaps: z.array(
          z.object({
            ...{ a: z.string(), b: z.string(), urls: shared, hosts: shared, best: shared, authorityHosts: shared },
            ...{ urlsOverTime: over, hostsOverTime: over },
          }),
        ),
        distances: z.array(z.object({ crawl: z.string(), shortest: z.array(z.int()), taken: z.array(z.int()) })),
      })
      .meta({ id: 'Comparison' }),
    run: async ({ workspaces, served, query }) => {
      const crawls = [];
      for (const { name, workspace } of [served, workspaces.named(query.with)])
        crawls.push({ name, ...(await workspace.read(({ store, workspace: own }) => crawlFacts(store, own))) });
      return structuredClone(compareCrawls(crawls)) as never;
    },
  }),
];
