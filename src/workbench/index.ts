/** The user's operations on a workspace: they return values and events, and print nothing. */

export { PAGE_ORDERS, type PageFacets, type PageOrder } from '../store/index.ts';
export type { AdaptEvent, AdaptPlan, AdaptSummary } from './adapt/adapt-events.ts';
export { type AdaptOptions, adaptWorkspace, undoAdaptation } from './adapt/adapt-workspace.ts';
export { type AdaptChoice, planAdaptation } from './adapt/plan-adapt.ts';
export { SAMPLES } from './adapt/representatives.ts';
export { checkWorkspace, type WorkspaceCheck } from './check/check-workspace.ts';
export { type ClassifiedDocument, classifyDocument } from './classify/classify-document.ts';
export { addNeighbours, type NearTopic, nearSubjects } from './classify/near-subjects.ts';
export { namedDocument } from './classify/read-document.ts';
export { type RoutedDocument, routeDocument } from './classify/route-document.ts';
export {
  BEST as BEST_COMPARED,
  type ComparedCrawl,
  type Comparison,
  compareCrawls,
  comparisonChart,
  type Distances,
  type Shared,
  TOP_HOSTS,
} from './compare/compare-crawls.ts';
export { crawlFacts } from './compare/crawl-facts.ts';
export { type ListScore, scoreChart, scoreCrawl } from './compare/score-crawl.ts';
export { checkContact } from './crawl/contact.ts';
export type { WorkspaceCrawlEvent, WorkspaceCrawlSummary } from './crawl/crawl-events.ts';
export {
  type CrawlFace,
  type CrawlPlace,
  type CrawlPlan,
  type CrawlWarning,
  crawlIn,
  type JudgedOutcome,
  recheckPlan,
  runCrawl,
  withCrawlStore,
} from './crawl/crawl-workspace.ts';
export { openSession, type Session } from './crawl/session.ts';
export { steerElsewhere } from './crawl/steer-elsewhere.ts';
export { type Check, type CheckState, checkMachine, type DoctorOptions } from './doctor/doctor.ts';
export { explainUrl, type UrlRow, urlRow } from './explain/explain-url.ts';
export { harvestChart } from './explain/harvest-chart.ts';
export { storedModel } from './explain/stored-model.ts';
export { BETWEEN_TERMS, spaceShown, termList } from './explain/term-name.ts';
export { type RoundRow, type TopicAnswer, topicAnswer, topicRow } from './explain/topic-answer.ts';
export { answerFor, type UrlAnswer } from './explain/url-answer.ts';
export { type WorkspaceStatus, workspaceStatus } from './explain/workspace-status.ts';
export { Consumer } from './export/consumers.ts';
export { type CurationFields, curationFields, saveCurationFields } from './export/curation-fields.ts';
export { startCuration } from './export/curation-template.ts';
export { packRecording } from './export/pack-recording.ts';
export { type ExportOptions, PageExport, TEXT_FORMATS, type TextFormat } from './export/page-export.ts';
export { portalInto } from './export/portal.ts';
export { curationText, saveCuration } from './export/read-curation.ts';
export { type BacklinkRequest, type FoundBacklinks, findBacklinks } from './find/ask-backlinks.ts';
export { type FindAnswers, refuseTopics, type WholeMatches } from './find/find-answers.ts';
export { type AskedOtherwise, type FindCrawl, FindSession } from './find/find-session.ts';
export { type Choose, type FindNews, type FindRequest, openSearch } from './find/find-workspace.ts';
export { type ExampleLook, openScout, type Scout } from './find/scout.ts';
export type { ServiceResult } from './find/search-service.ts';
export { type AddedSeeds, addServiceSeeds, serviceResults } from './find/service-seeds.ts';
export {
  ALL_ALIKE,
  clustersOf,
  isAllAlike,
  marksAgainst,
  marksBlocking,
  type NamedClusters,
  subtopicOfCluster,
} from './judging/adopt-cluster.ts';
export { adoptSubtopics } from './judging/adopt-subtopics.ts';
export { type JudgedAfterCrawl, judgeStored } from './judging/after-crawl.ts';
export { carryOutPlan, type MarkResult, planDecisions } from './judging/apply-decisions.ts';
export {
  type FeedbackSession,
  requireModel,
  withFeedback,
  withFeedbackForReading,
  withOpenStore,
} from './judging/apply-feedback.ts';
export { type ChangeRow, changeRow, estimateChanges } from './judging/change-row.ts';
export { asExample, asOthers, findPages } from './judging/decided-pages.ts';
export { type Change, isUntaught, judgementOf, openFeedback } from './judging/feedback.ts';
export { markedSites, siteLines, unknownSites } from './judging/marked-sites.ts';
export { isNoAddress, type Marks, readMarks } from './judging/marks.ts';
export { type GoodResult, setTopicGood } from './judging/set-topic-good.ts';
export type { ClusterRow, TopicKnowledge, TopicRow } from './library/answers.ts';
export type { CrawlRun } from './library/crawl-run.ts';
export type { FindAnswer, FindEvent, FindOptions, FindRun } from './library/find-run.ts';
export { createWorkspace, type OpenWorkspace, openWorkspace } from './library/open-workspace.ts';
export type { CrawlOptions, CreateOptions, SqlRows, StoredPage } from './library/options.ts';
export { Reader, type Reading } from './library/reader.ts';
export type { DecideOptions, DecisionMaker, TopicReview } from './library/topic-review.ts';
export { newsSubject, newsText } from './notify/news-text.ts';
export { type Delivery, type Notified, notifyWorkspace, testChannels } from './notify/notify-workspace.ts';
export {
  deleteQueries,
  expireQueries,
  type LogEntry,
  type LoggedQuery,
  linesOf,
  loggedQueries,
  logQuery,
  QUERIES_FILE,
  queryKey,
  readQueryLog,
} from './queries/query-log.ts';
export { crawledTree, journalInWordsOf } from './reading/crawled-tree.ts';
export { type JournalPages, replayStore, requireRunning, StoreFollower } from './reading/follow-store.ts';
export { namedStore, type TableNames, tableNames } from './reading/named-store.ts';
export { PAGE_FIELDS, type PageRow, rowOfRecord } from './reading/page-row.ts';
export { loadForReading, placeOf, readingStore, type Tables, withStore } from './reading/reading.ts';
export { onGrowth } from './reading/store-growth.ts';
export { acceptAll, DECISIONS, type Decision, decisionOn, readWithout } from './review/decisions.ts';
export { type FoundProposal, proposalRow } from './review/proposals.ts';
export { type GroupUse, type RejectedGroup, RejectedGroups } from './review/rejected-groups.ts';
export { MAX_REVIEWER, type ReviewAudit } from './review/review-log.ts';
export type { ReviewMaterial } from './review/review-material.ts';
export {
  describeOrigin,
  describeUse,
  type Proposal,
  type ReviewPage,
  type ReviewText,
  type ReviewTopic,
  type Segment,
} from './review/review-page.ts';
export { ReviewSession } from './review/review-session.ts';
export {
  decisionsIn,
  exportReview,
  type ReviewTable,
  readReviewTable,
  tableFormat,
} from './review/review-table.ts';
export { JOBS, type JobName, type PlannedJob, plannedJobs, scheduledJobs } from './schedule/scheduled-jobs.ts';
export { withJobOutput } from './schedule/watch-files.ts';
export {
  type JobEnd,
  scheduleTime,
  type WatchEvent,
  type WatchPorts,
  watchWorkspaces,
} from './schedule/watch-workspaces.ts';
export type { BrowsedPages, BrowseOptions, ListedPageRow } from './search/browse-pages.ts';
export {
  type LocalAnswer,
  type LocalSearch,
  type Result,
  readSearch,
  readWeights,
  type SearchOptions,
  searchContext,
  searchPages,
  surestPages,
} from './search/local-search.ts';
export { type PageFilterOptions, readPageFilter } from './search/page-filter.ts';
export { type ResultRow, resultRow } from './search/result-row.ts';
export { bylineText, endText, scoreParts, scoreText } from './search/result-words.ts';
export { type ResultWindow, type SearchAnswer, searchStored } from './search/search-stored.ts';
export { meantWords } from './search/spelling-suggestion.ts';
export { unfetchedPages } from './search/unfetched-pages.ts';
export { type NewArchive, newArchive } from './sources/archive-starts.ts';
export { NO_FOLDER } from './sources/bookmarks.ts';
export { checkReplaced, writeWorkspace } from './sources/create-workspace.ts';
export { type ImportedTopics, importTopics, type TopicSource, topicsInText } from './sources/import-topics.ts';
export { localDocument } from './sources/local-document.ts';
export { checkFolder, inFolder, makeFolder, readTextFile } from './sources/local-file.ts';
export { parsePageList } from './sources/page-list.ts';
export { readSeeds } from './sources/seeds.ts';
export { parseOthers, readShippedTree, shippedOthers, shippedTrees } from './sources/shipped.ts';
export { type Gathered, gatherWorkspace } from './spread/gather-workspace.ts';
export { type ShardRow, shardRows } from './spread/spread-status.ts';
export { spreadWorkspace } from './spread/spread-workspace.ts';
export { type WorkEnd, type WorkFace, type WorkLook, type WorkSummary, workSpread } from './spread/work-spread.ts';
export { askSql, type SqlSource } from './sql/ask-sql.ts';
export { type Distillation, distillationChart, distillTopic } from './sql/distill.ts';
export { dropReclassified, type Reclassification, reclassify } from './sql/reclassify.ts';
export type { SqlWatch } from './sql/work-in-sql.ts';
export {
  addStanding,
  askStanding,
  markStandingSeen,
  type NewFinding,
  removeStanding,
  type StandingAnswer,
  type StandingQuery,
  standingQueries,
} from './standing/standing-queries.ts';
export {
  addPages,
  type MovedTopic,
  moveTopic,
  removePages,
  removeTopic,
  renameTopic,
} from './topics/change-topics.ts';
export { type RemovedPage, removePage } from './topics/remove-page.ts';
export { TopicsUnclearError, takeUpTopics } from './topics/sync-topics.ts';
export { addTopicAt, editPages, editTopicsBy, switchTopic } from './topics/topic-edits.ts';
export type { Watch, Work, WorkEvent } from './watch.ts';
export { adviceFor, quoted, splitAssignment } from './words/shell-words.ts';
export { didYouMean } from './words/suggest.ts';
export {
  type Column,
  displayWidth,
  labelled,
  type Paint,
  pad,
  paint,
  sanitizeForTerminal,
  showAddress,
  showHost,
  table,
  truncate,
  wrap,
} from './words/terminal.ts';
export { figure, formatDuration, formatSize, parseDuration } from './words/units.ts';
export { FILE_LIMITS, readBounded } from './workspace/bounded-file.ts';
export { setSetting, unsetSetting } from './workspace/edit-settings.ts';
export { BACKUP_FILE } from './workspace/edit-workspace.ts';
export { findTopic, namesShown, topicCalled, topicMeant, topicsLike } from './workspace/find-topic.ts';
export { isWorkspace, workspaceAround } from './workspace/find-workspace.ts';
export { writeNamedFile, writeOutFile } from './workspace/out-file.ts';
export { PACKAGE_ROOT, productVersion, SOFTWARE } from './workspace/product.ts';
export { duration, integer, number } from './workspace/rules.ts';
export { parseService, SERVICE_FORMS } from './workspace/service-name.ts';
export { LISTED_SETTINGS, SECTIONS, settingOf } from './workspace/settings.ts';
export {
  isListed,
  type SettingInForce,
  type SettingSource,
  settingsAsked,
  settingsInForce,
} from './workspace/settings-in-force.ts';
export { readSpread } from './workspace/spread-file.ts';
export { examplePages, topicName } from './workspace/topic-draft.ts';
export { whyBadTopicName, whyBadUrl } from './workspace/topic-file.ts';
export { addressForms } from './workspace/typed-address.ts';
export {
  claimWorkspace,
  describeMistakes,
  loadWorkspace,
  parseWorkspace,
  readFlags,
  readSettings,
  reloadWorkspace,
  shownPath,
  WORKSPACE_FILE,
  type Workspace,
  withLearnShare,
} from './workspace/workspace.ts';
export { renderWorkspace } from './workspace/workspace-file.ts';
export { workspaceTitle } from './workspace/workspace-title.ts';
