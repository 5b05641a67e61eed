export { acceptedTopic, type FocusMode, type FocusQuestion, type Follow, focus } from './focus.ts';
export { Frontier, type FrontierLimits, type FrontierPorts, type OfferResult } from './frontier.ts';
export { GROWTH, grown } from './grown.ts';
export { HashSlots } from './hash-slots.ts';
export { HostClocks, type HostLimits, type HostResult, type Standing } from './host-clocks.ts';
export type { SchedulePorts } from './host-schedule.ts';
export type { Band } from './link-table.ts';
export { isPublicAddress } from './net/address.ts';
export type { KnownVersion, NetworkSettings } from './net/asker.ts';
export { type Resolution, Resolver, type ResolverPorts, type ResolverSettings } from './net/dns/resolver.ts';
export { type FetcherPorts, HttpFetcher } from './net/fetcher.ts';
export {
  judgeByRobots,
  parseRobotsTxt,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
  type RobotsVerdict,
  robotsGroup,
} from './net/robots-txt.ts';
export type { Trouble } from './net/trouble.ts';
export type { FrontierEntry, JudgedPage, LinkOffer, Ordering } from './ordering.ts';
export { learningPriority } from './orderings/learning-priority.ts';
export { makeOrdering, type OrderingOptions } from './orderings/make-ordering.ts';
export type { Words } from './orderings/topic-titles.ts';
export { type Compare, RedBlackTree } from './red-black-tree.ts';
export { registeredDomain } from './registered-domain.ts';
export type { QueueLimits } from './topic-queues.ts';
export { distance, type Fingerprint, MAX_DISTANCE, NearPages } from './traps/near-pages.ts';
export { type SectionChange, sectionOf } from './traps/sections.ts';
export {
  type GuardedPage,
  type NearDuplicate,
  TrapGuard,
  type TrapSettings,
} from './traps/trap-guard.ts';
export { urlKey } from './url-key.ts';
export { type UrlListId, UrlLists } from './url-lists.ts';
export {
  describeKeptOut,
  hostNamed,
  type KeptOut,
  type Preference,
  type ReadRule,
  readUrlRule,
  type UrlRule,
  UrlRules,
} from './url-rules.ts';
export type { Recorder, Recording } from './warc/recording.ts';
export { isWarcName, type WarcCounts, WarcRecorder } from './warc/warc-recorder.ts';
export type { WarcInfo } from './warc/warc-records.ts';
