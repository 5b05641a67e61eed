import * as z from 'zod';
import {
  LIMIT_NAMES,
  ORDERINGS,
  parseSteerCommand,
  QUESTION_ANSWERS,
  type SteerCommand,
  UsageError,
} from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import { type CrawlOptions, DECISIONS, MAX_REVIEWER, TEXT_FORMATS } from '../../workbench/index.ts';
import { NotFoundError } from '../errors.ts';
import type { NumberedEvent } from '../event-log.ts';
import {
  changeRow,
  clusterRow,
  findState,
  jobState,
  MAX_LIMIT,
  markResult,
  marks,
  pageFilter,
  reviewAudit,
  reviewState,
  reviewText,
  url,
} from '../schemas.ts';
import { sqlInChild } from '../sql-in-child.ts';
import { type Operation, operation, stream } from './operation.ts';

/** Comments keep a connection open while nothing happens. */
const HEARTBEAT_MS = 15_000;
const MAX_SQL_ROWS = 10_000;
const MAX_SQL_SECONDS = 60;

const topic = z.string().max(500);
const reviewer = z.string().max(MAX_REVIEWER).optional().describe('Name of the reviewer, for the audit.');

const command = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['pause', 'resume', 'end-learning', 'begin-learning', 'stop']) }),
  z.strictObject({ kind: z.literal('set-budget'), budget: z.int().min(1).max(1e9) }),
  z.strictObject({ kind: z.literal('set-limit'), limit: z.enum(LIMIT_NAMES), value: z.int().min(0).max(1e12) }),
  z.strictObject({ kind: z.literal('lock-host'), host: z.string().max(255) }),
  z.strictObject({ kind: z.literal('mark-topic'), topic, good: z.boolean() }),
  z.strictObject({ kind: z.literal('set-ordering'), ordering: z.enum(ORDERINGS) }),
]);

const ok = z.object({ done: z.literal(true) });
const DONE = { done: true } as const;

const EVENTS = {
  media: 'text/event-stream',
  what: 'Server-sent events; each has a number, and its data is JSON with a "kind". Last-Event-ID continues.',
  query: { after: z.int().min(0).max(1e12).default(0).describe('Number of the last event that is known.') },
};

/** Operations that crawl, judge and write. */
export const WORKING: readonly Operation[] = [
  operation({
    id: 'startCrawl',
    method: 'post',
    path: '/workspaces/{workspace}/crawl',
    summary: 'Start a crawl, or resume the last one',
    scope: 'steer',
    body: z.object({
      budget: z.int().min(1).max(1e9).optional().describe('Total number of pages, earlier runs included.'),
      time: z.string().max(20).optional().describe('Time limit, such as 90m.'),
      only: z.enum(['learn', 'harvest']).optional().describe('Ends when learning ends, or skips learning.'),
      ordering: z.enum(ORDERINGS).optional().describe('Decides which link is fetched next.'),
      ask: z.int().min(0).max(100).optional().describe('Number of "question" events per topic. Default: none.'),
    }),
    answer: jobState,
    run: async ({ served, body }) => served.crawl(body satisfies CrawlOptions).state(),
  }),
  operation({
    id: 'crawl',
    path: '/workspaces/{workspace}/crawl',
    summary: 'Report the crawl that runs, here or in another process, or else the last one of this server',
    answer: jobState,
    run: async ({ served }) => (await served.currentCrawl()).state(),
  }),
  operation({
    id: 'steerCrawl',
    method: 'post',
    path: '/workspaces/{workspace}/crawl/steer',
    summary: 'Pause, resume or stop the crawl, or change its limits, hosts, topics or ordering',
    scope: 'steer',
    body: command,
    answer: jobState,
    run: async ({ served, body }) => {
      const crawl = await served.currentCrawl();
      if (body.kind === 'stop') crawl.stop();
      else await crawl.steer(steerCommand(body));
      return crawl.state();
    },
  }),
  operation({
    id: 'answerQuestion',
    method: 'post',
    path: '/workspaces/{workspace}/crawl/answer',
    summary: 'Answer a "question" event of the crawl; it learns at once',
    scope: 'judge',
    body: z.object({
      key: z.string().max(4_000).describe('Of the question.'),
      topic,
      answer: z.enum(QUESTION_ANSWERS),
    }),
    answer: ok,
    run: async ({ served, body: { answer, ...asked } }) => {
      const crawl = await served.currentCrawl();
      const question = crawl.question(asked);
      if (question === undefined) throw new NotFoundError('The crawl did not ask this, or too long ago.');
      await crawl.answer(question, answer);
      return DONE;
    },
  }),
  stream({
    id: 'crawlEvents',
    path: '/workspaces/{workspace}/crawl/events',
    summary: 'Follow the crawl: its events as they happen, until it ends',
    ...EVENTS,
    run: async ({ served, query, lastEventId, signal }) =>
      serverSentEvents((await served.currentCrawl()).events(Math.max(query.after, lastEventId), signal)),
  }),
  operation({
    id: 'mark',
    method: 'post',
    path: '/workspaces/{workspace}/marks',
    summary: 'Mark pages and sites: trains, then judges every stored page again; or previews that',
    scope: 'judge',
    isHeavy: true,
    body: z.object({ ...marks, preview: z.boolean().optional().describe('Only report what would change.') }),
    answer: markResult,
    run: async ({ served: { workspace }, body: { preview, ...given }, signal }) =>
      await (preview === true ? workspace.previewMarks(given, { signal }) : workspace.mark(given, { signal })),
  }),
  operation({
    id: 'openReview',
    method: 'post',
    path: '/workspaces/{workspace}/review',
    summary: 'Open a review: pages that teach most. It ends after 15 idle minutes',
    scope: 'judge',
    isHeavy: true,
    body: z.object({ topic: topic.optional().describe('A topic, or OTHERS. Default: all.') }),
    answer: reviewState,
    run: async ({ served, body }) => (await served.openReview(body.topic)).state(),
  }),
  operation({
    id: 'review',
    path: '/workspaces/{workspace}/review',
    summary: 'Return the open review',
    scope: 'judge',
    answer: reviewState,
    run: async ({ served }) => (await served.openedReview()).state(),
  }),
  operation({
    id: 'reviewText',
    path: '/workspaces/{workspace}/review/text',
    summary: 'Return the text of a page under review, with the strongest terms of its topic',
    scope: 'judge',
    query: { sequence: z.int().min(0).max(1e12), topic },
    answer: reviewText,
    run: async ({ served, query }) => await (await served.openedReview()).review.text(query as never),
  }),
  operation({
    id: 'decide',
    method: 'post',
    path: '/workspaces/{workspace}/review/decisions',
    summary: 'Decide about a page; nothing changes before the decisions are applied',
    scope: 'judge',
    body: z.object({
      key: z.string().min(1).max(4_000).describe('Key of a candidate, or a URL of a stored page.'),
      decision: z.enum([...DECISIONS, 'forget']),
      to: topic.optional().describe('For "move": the topic.'),
      without: z.array(z.int().min(0).max(1e6)).max(1_500).optional().describe('Paragraphs to leave out, from 0.'),
      by: reviewer,
    }),
    answer: z.object({ decisions: z.int().describe('Decisions so far.') }),
    run: async ({ served, body: { key, decision, ...details } }) => {
      const { review } = await served.openedReview();
      if (decision === 'forget') review.forget(key, details);
      else await review.decide(key, decision, details);
      return { decisions: review.decisions.size };
    },
  }),
  operation({
    id: 'undoDecision',
    method: 'post',
    path: '/workspaces/{workspace}/review/undo',
    summary: 'Undo the last decision of a reviewer that is not applied yet',
    scope: 'judge',
    body: z.object({ by: reviewer }),
    answer: z.object({ key: z.string().nullable().describe('The page; null without such a decision.') }),
    run: async ({ served, body }) => ({ key: (await served.openedReview()).review.undo(body) ?? null }),
  }),
  operation({
    id: 'reviewAudit',
    path: '/workspaces/{workspace}/review/audit',
    summary: 'List the decisions of all reviews with names and times, and how far reviewers agree',
    scope: 'judge',
    query: { limit: z.int().min(1).max(10_000).default(200).describe('Maximum number of decisions, newest first.') },
    answer: reviewAudit,
    run: async ({ served, query: { limit } }) => {
      const { decisions, agreements } = served.workspace.reviewAudit();
      return { decisions: decisions.slice(0, limit), agreements };
    },
  }),
  operation({
    id: 'previewReview',
    method: 'post',
    path: '/workspaces/{workspace}/review/preview',
    summary: 'Return what the decisions would change',
    scope: 'judge',
    isHeavy: true,
    answer: changeRow,
    run: async ({ served }) => await (await served.openedReview()).review.preview(),
  }),
  operation({
    id: 'applyReview',
    method: 'post',
    path: '/workspaces/{workspace}/review/apply',
    summary: 'Apply the decisions: trains, then judges every stored page again',
    scope: 'judge',
    isHeavy: true,
    answer: markResult,
    run: async ({ served }) => await (await served.openedReview()).review.apply(),
  }),
  operation({
    id: 'closeReview',
    method: 'delete',
    path: '/workspaces/{workspace}/review',
    summary: 'End the review; decisions that are not applied are lost',
    scope: 'judge',
    answer: ok,
    run: async ({ served }) => {
      await (await served.openedReview()).close();
      return DONE;
    },
  }),
  operation({
    id: 'startFind',
    method: 'post',
    path: '/workspaces/{workspace}/find',
    summary: 'Find pages for a question on the web: learns from it and from first pages, crawls, and answers',
    scope: 'steer',
    body: z.object({
      question: z.string().min(1).max(2_000).describe('What is looked for.'),
      seeds: z.array(url).max(100).optional().describe('Pages on the subject, to learn from and start at.'),
      service: z
        .string()
        .max(2_000)
        .optional()
        .describe('Asks for first pages: searxng:URL, wikipedia:LANGUAGE. Default: network.searchService.'),
      budget: z.int().min(1).max(100_000).default(200).describe('Total number of pages, earlier runs included.'),
      time: z.string().max(20).default('10m').describe('Time limit, such as 10m.'),
      limit: z.int().min(1).max(MAX_LIMIT).default(10).describe('Maximum number of answers.'),
    }),
    answer: findState,
    run: async ({ served, body: { question, service, ...options } }) =>
      served.find(question, { ...options, searchService: service }).state(),
  }),
  operation({
    id: 'find',
    path: '/workspaces/{workspace}/find',
    summary: 'Report the find that this server started last, with its answers once it has ended',
    answer: findState,
    run: async ({ served }) => served.startedFind().state(),
  }),
  stream({
    id: 'findEvents',
    path: '/workspaces/{workspace}/find/events',
    summary: 'Follow the find: what it prepares, then the events of its crawl, until it ends',
    ...EVENTS,
    run: async ({ served, query, lastEventId, signal }) =>
      serverSentEvents(served.startedFind().events(Math.max(query.after, lastEventId), signal)),
  }),
  operation({
    id: 'stopFind',
    method: 'delete',
    path: '/workspaces/{workspace}/find',
    summary: 'Stop the find; its answers are those found so far',
    scope: 'steer',
    answer: findState,
    run: async ({ served }) => {
      const job = served.startedFind();
      job.stop();
      await job.ended;
      return job.state();
    },
  }),
  operation({
    id: 'clusters',
    path: '/workspaces/{workspace}/clusters',
    summary: 'Group the accepted pages of a topic by content, or rejected pages',
    isHeavy: true,
    query: {
      topic: topic.optional(),
      count: z.int().min(2).max(100).optional(),
      rejected: z.boolean().optional().describe('The pages rejected there; without a topic, all rejected pages.'),
    },
    answer: z.object({ clusters: z.array(clusterRow) }),
    run: async ({ served, query: { topic: name, count, rejected = false } }) => {
      const options = { ...(count !== undefined && { count }), rejected };
      return { clusters: [...(await served.workspace.clusters(name, options))] };
    },
  }),
  stream({
    id: 'export',
    path: '/workspaces/{workspace}/export',
    summary: 'Export stored pages',
    media: 'text/plain',
    what: 'A file of the format.',
    query: {
      format: z.enum(TEXT_FORMATS).default('jsonl'),
      ...pageFilter,
      relevant: z.boolean().optional().describe('Only pages of a topic that the crawl itself found.'),
      text: z.boolean().optional().describe('For jsonl: includes the main text.'),
      copies: z.boolean().optional().describe('For jsonl and csv: a line for every other URL of a page.'),
      gone: z.boolean().optional().describe('For urls, bookmarks and opml: includes pages that are gone.'),
      unreserved: z.boolean().optional().describe('Only pages that reserve no rights against text mining.'),
      size: z.int().min(200).optional().describe('For chunks: greatest length in characters.'),
      overlap: z.int().min(0).optional().describe('For chunks: characters that the next chunk repeats.'),
    },
    run: async ({ served, query: { format, ...options } }) => served.workspace.export(format, options),
  }),
  operation({
    id: 'sql',
    method: 'post',
    path: '/workspaces/{workspace}/sql',
    summary: 'Run a read-only SQL query, with limits on time and rows',
    isHeavy: true,
    body: z.object({
      query: z.string().min(1).max(20_000).describe('One statement. docs/schema.md lists tables and views.'),
      limit: z.int().min(1).max(MAX_SQL_ROWS).default(1_000).describe('Maximum number of rows.'),
      seconds: z.int().min(1).max(MAX_SQL_SECONDS).default(10).describe('Time limit.'),
    }),
    answer: z
      .object({
        columns: z.array(z.string()),
        rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))).describe('Bytes are in base64.'),
        truncated: z.boolean().describe('There are more rows than the limit.'),
      })
      .meta({ id: 'SqlRows' }),
    run: async ({ served, body: { query, limit, seconds }, signal }) => {
      const request = { dir: served.workspace.dir, query, limit };
      const { columns, rows, truncated } = await sqlInChild(request, { timeoutMs: seconds * 1_000, signal });
      return { columns: [...columns], rows: rows.map((row) => row.map(jsonValue)), truncated };
    },
  }),
];

function jsonValue(value: unknown): string | number | null {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'bigint') return String(value);
  return value as string | number | null;
}

/** @throws UsageError if a value is out of its range */
function steerCommand(given: unknown): SteerCommand {
  const parsed = parseSteerCommand(given);
  if (parsed !== undefined) return parsed;
  throw new UsageError('The command has a value out of range.', 'See the limits in docs/dashboard.md.');
}

async function* serverSentEvents(
  events: AsyncGenerator<NumberedEvent<{ readonly kind: string }>, void, void>,
): AsyncGenerator<string, void, void> {
  let next = events.next();
  for (;;) {
    const timer = Promise.withResolvers<undefined>();
    const timeout = setTimeout(() => timer.resolve(undefined), HEARTBEAT_MS);
    const found = await Promise.race([next, timer.promise]).finally(() => clearTimeout(timeout));
    if (found === undefined) {
      yield ': still here\n\n';
      continue;
    }
    if (found.done === true) return;
    next = events.next();
    const { id, event } = found.value;
    yield `id: ${id}\nevent: ${event.kind}\ndata: ${safeJson(event)}\n\n`;
  }
}
