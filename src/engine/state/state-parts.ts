import {
  type CanonicalUrl,
  hostOf,
  type ShardOf,
  type SiteUse,
  type TopicPaths,
  type TopicTree,
} from '../../core/index.ts';
import { type Band, type HostClocks, TrapGuard, UrlRules } from '../../crawl/index.ts';
import { Surroundings } from '../analysis/link-context.ts';
import { TopicNames } from '../steering/topic-names.ts';
import { Budgets } from './budgets.ts';
import { Copies } from './copies.ts';
import type { CrawlFacts, FoldedMarks } from './crawl-facts.ts';
import { Tally } from './crawl-totals.ts';
import { LeftOutLinks } from './excluded-links.ts';
import { FindSample } from './find-sample.ts';
import type { Backlinks } from './further-links.ts';
import { seedJobs, trainingJobs } from './jobs.ts';
import { KeptPages } from './kept-pages.ts';
import { LinkGate } from './link-gate.ts';
import { Following } from './link-scheduler.ts';
import { OtherShards } from './other-shards.ts';
import { Redirects } from './redirects.ts';
import { Waiting } from './retry-queue.ts';
import { Revisits } from './revisits.ts';
import { SeenUrls } from './seen-urls.ts';
import { Sitemaps } from './sitemaps.ts';
import { Watch } from './topic-alarms.ts';
import { TrainingPages } from './training-pages.ts';

/** What the state needs from outside. */
export interface StatePorts {
  readonly hosts: HostClocks;
  /** Starts resolving a host's name ahead of time. */
  readonly resolve: (host: string) => void;
  readonly isResolved?: (host: string) => boolean;
  /** Topics of the tree by id. Default: as the journal names them. */
  readonly topics?: TopicPaths | undefined;
  /** Marks of topics that apply from the first record on. Default: none. */
  readonly marked?: FoldedMarks;
  /** Pages that link to others, as the user lists them. */
  readonly backlinks?: Backlinks | undefined;
  /** Default: by the registered domain. */
  readonly shardOf?: ShardOf | undefined;
}

/** The parts of a crawl's state. */
export interface StateParts {
  readonly seen: SeenUrls;
  readonly copies: Copies;
  /** Links that rules excluded. */
  readonly leftOut: LeftOutLinks;
  readonly waiting: Waiting;
  /** Maps the journal's topic names to current ones. */
  readonly names: TopicNames;
  /** The pages rounds choose from. */
  readonly kept: KeptPages;
  readonly training: TrainingPages;
  /** What pages reveal about each other, for feature spaces built from it. */
  readonly surroundings: Surroundings;
  /** Fetches that an earlier run's setting prevented and that must be repeated: setting by URL. */
  readonly reopened: Map<CanonicalUrl, string>;
  readonly tally: Tally;
  readonly finds: FindSample;
  readonly budgets: Budgets;
  readonly watch: Watch;
  readonly sitemaps: Sitemaps;
  readonly guard: TrapGuard;
  readonly rules: UrlRules;
  readonly gate: LinkGate;
  readonly others: OtherShards;
  readonly following: Following;
  readonly redirects: Redirects;
  readonly revisits: Revisits;
  readonly backlinks: Backlinks | undefined;
}

/** Makes the empty parts of a state. They share `facts`. */
export function stateParts(tree: TopicTree, facts: CrawlFacts, ports: StatePorts): StateParts {
  const { config } = facts;
  const jobs = trainingJobs(tree);
  const training = new TrainingPages(jobs);
  const kept = new KeptPages(tree, config);
  const budgets = new Budgets(tree, config.crawl);
  const seen = new SeenUrls();
  const leftOut = new LeftOutLinks();
  const others = new OtherShards(seen, ports.shardOf);
  const guard = new TrapGuard(config.traps, (url) => (seen.pageOf(url) ?? 0) > 0);
  const copies = new Copies(seen, guard, config.traps.staleBits);
  const waiting = new Waiting(jobs, {
    ...{ hosts: ports.hosts, budgets, frontier: () => following.frontier },
    onGone: (url) => following.gone(url),
  });
  const named = new Set([...jobs, ...seedJobs(tree)].map(({ entry }) => entry.url));
  const rules = new UrlRules(config.crawl);
  const gate = new LinkGate(
    {
      ...{ seen, budgets, guard, leftOut, rules, others, hosts: ports.hosts, limits: config.crawl },
      isAsked: (url) => waiting.isAsked(url),
      isWaiting: (url) => following.frontier.has(url),
      isNamed: (url) => named.has(url),
    },
    facts.lockedHosts,
  );
  const following = new Following({
    ...{ seen, budgets, guard, leftOut, gate, others, config: config.crawl, world: ports },
    bandOf: (url) => bandOfMark(facts.sites.markOf(hostOf(url))) ?? rules.bandOf(url),
    tree: () => facts.tree,
    tunnelDistance: () => facts.limit('tunnel'),
  });
  return {
    ...{ seen, copies, leftOut, waiting, kept, training, budgets, guard, rules, gate, others, following },
    names: new TopicNames(tree, ports.topics),
    surroundings: new Surroundings(config.learn.spaces, { kept: training.names }),
    ...{
      reopened: new Map(),
      tally: new Tally(),
      finds: new FindSample(),
      watch: new Watch(config.crawl.stagnationPages),
    },
    sitemaps: new Sitemaps(),
    backlinks: ports.backlinks,
    revisits: new Revisits({ seen, copies, kept, waiting, gate, guard }),
    redirects: new Redirects({
      ...{ seen, training, waiting, guard, gate, others, limits: config.crawl },
      frontier: () => following.frontier,
    }),
  };
}

/** Returns the frontier's band for links to a marked site, whatever the rules say. */
function bandOfMark(use: SiteUse | undefined): Band | undefined {
  if (use === undefined) return undefined;
  return use === 'good-site' ? 1 : -2;
}
