export type { Assignment, TopicScores } from './assignment.ts';
export { type Config, DEFAULTS, META_RULES, type MetaRule, ORDERINGS, type OrderingName } from './config.ts';
export {
  type AnalyzedDocument,
  baseSpaces,
  type DocumentFeatures,
  EMPTY_COUNTS,
  EMPTY_LINKS,
  FEATURE_SPACES,
  type FeatureSpace,
  type Forward,
  hashesOf,
  LINK_FLAG,
  type Link,
  type LinkTable,
  linkedUrls,
  MAX_POSITION,
  packLinks,
  type SpaceName,
  spaceParts,
  type TermCounts,
  unpackCounts,
  unpackLinks,
} from './document.ts';
export {
  BingoError,
  InputError,
  type Mistake,
  NO_THREAD,
  StoreError,
  UnreadableFileError,
  UsageError,
  WorkspaceLockedError,
} from './errors.ts';
export {
  type AlarmData,
  type AlarmPlace,
  type BarrenHarvest,
  barrenText,
  type CrawlEvent,
  type CrawlStatus,
  describeChange,
  type HeldPart,
  LEFT_OUT_RULES,
  type LeftOut,
  type LeftOutRule,
  type LinkOrder,
  linkOrderText,
  progressOf,
  type RecheckCounts,
  type SettingChange,
  type StopReason,
  waitingLinks,
} from './events.ts';
export {
  EXTENSION_FUNCTIONS,
  type Extension,
  type ExtensionBase,
  type ExtensionKind,
  type ExtensionLink,
  type ExtensionPage,
  type ExtensionSource,
  type ExtractorExtension,
  FIELD_LIMITS,
  type FieldValue,
  type LoadedExtension,
  type PageFields,
  type SinkExtension,
} from './extension.ts';
export {
  type FetchedPage,
  type FetchOutcome,
  isPassingStatus,
  NO_HEADERS,
  NOT_NOW,
  PART_STATUS,
  type PageHeaders,
  PROXY_PASSWORD_STATUS,
  type Refusal,
} from './fetch-outcome.ts';
export { type CanonicalUrl, type Confidence, confidence, parseTopicId, ROOT, type TopicId } from './ids.ts';
export {
  MAX_STEM_COUNT,
  type PackedDocument,
  packDocument,
  packLinksAlone,
  packStems,
  stemNumber,
  thinDocument,
  unpackContentLinks,
  unpackDocument,
  unpackLinksAlone,
  unpackStems,
  unpackText,
} from './packed/packed-document.ts';
export { ENDINGS, type Ending, endingOf, type PageHistory, type PageNews } from './page-history.ts';
export { RANK_MEASURES, type RankMeasure } from './ranking.ts';
export {
  type ConfidenceRange,
  type JournalRecord,
  KEPT_SCORES,
  LINKS_FOLLOWED,
  type LinkScore,
  type Origin,
  type PageRecord,
  type PageRole,
  type PageVersion,
  PHASE_NAMES,
  type Phase,
  type PhaseRecord,
  type RoundRecord,
  type RunRecord,
  type SteerRecord,
  type TopicAuthorities,
  type TopicEstimate,
  type TopicGrade,
  type TopicNaming,
  type TrainingEntry,
  VIAS,
  type Via,
  type VisitRecord,
  type WordWeights,
  withoutWords,
} from './record.ts';
export { relevanceText, shownRelevance } from './shown-relevance.ts';
export {
  isSiteUse,
  type Judgement,
  LIMIT_BOUNDS,
  LIMIT_NAMES,
  LIMITS,
  type LimitName,
  MAX_JUDGED,
  parseSteerCommand,
  SITE_WORDS,
  type SiteUse,
  type Steer,
  type SteerCommand,
  siteKey,
  siteMark,
  siteOfKey,
} from './steer.ts';
export {
  type Example,
  goodTopics,
  innerNodes,
  isArchetype,
  isOthersOrigin,
  isWithin,
  markTopic,
  parentTopic,
  type TopicNode,
  type TopicPaths,
  type TopicSpec,
  type TopicTree,
  TRAINING_ORIGINS,
  type TrainingOrigin,
  topicNode,
  topicTree,
} from './topic-tree.ts';
export { assertNever, type OfKind } from './unions.ts';
export { ACCEPT_ENCODING, type Decoded, decodeBody, decodeBodySync } from './web/content-coding.ts';
export { decodeCredential, hidePassword } from './web/credentials.ts';
export {
  allValues,
  firstValue,
  isPartial,
  pageHeaders,
  redirectTarget,
  STATUS_LINE,
  strayRedirect,
} from './web/header-fields.ts';
export { isPackedText, isReadableInPart, isUsableType, parseMediaType } from './web/media-type.ts';
export { archiveOfMember, isArchiveUrl, memberUrl } from './web/member-url.ts';
export { productToken } from './web/product-token.ts';
export { readableHost, readableUrl } from './web/readable-url.ts';
export { registeredDomain, siteOfUrl } from './web/registered-domain.ts';
export { canonicalCharacters, canonicalize, hostOf, isOnSite, sitesOf, withoutPort } from './web/url.ts';
