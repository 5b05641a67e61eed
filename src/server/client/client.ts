/**
 * A client of `bingo serve`: a workspace over HTTP, with the methods and types of the local one.
 *
 * @packageDocumentation
 */
export type {
  ChangeRow,
  ClusterRow,
  DecideOptions,
  Decision,
  ExportOptions,
  FindAnswer,
  FindEvent,
  MarkResult,
  Marks,
  NewFinding,
  PageRow,
  ResultRow,
  ReviewAudit,
  ReviewPage,
  ReviewText,
  ReviewTopic,
  SearchAnswer,
  SearchOptions,
  SqlRows,
  StandingAnswer,
  StandingQuery,
  StoredPage,
  TextFormat,
  TopicRow,
  UrlRow,
  WorkspaceCrawlEvent as CrawlEvent,
  WorkspaceCrawlSummary as CrawlSummary,
  WorkspaceStatus,
} from '../../workbench/index.ts';
export type { MissedEvents } from '../event-log.ts';
export { ApiError } from './connection.ts';
export type { RemoteCrawl } from './remote-crawl.ts';
export type { RemoteFind, RemoteFindOptions } from './remote-find.ts';
export type { RemoteReview } from './remote-review.ts';
export type { RemoteStanding } from './remote-standing.ts';
export { type ConnectOptions, connect, type RemoteCrawlOptions, type RemoteWorkspace } from './remote-workspace.ts';
