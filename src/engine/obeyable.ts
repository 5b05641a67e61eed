import {
  type Config,
  goodTopics,
  type Judgement,
  type OrderingName,
  parseSteerCommand,
  type Steer,
  type TopicId,
} from '../core/index.ts';
import type { CrawlState } from './state/crawl-state.ts';
import { isPossible } from './training/training-items.ts';

/** What a person's command meets beside the state. */
export interface SteeredRun {
  readonly config: Config;
  /** It fetches one page at a time, so that it repeats. */
  readonly isExact: boolean;
  /** The ordering that the crawl has, or is about to get. */
  readonly ordering: OrderingName;
  /** Topics that decisions would leave without an example. */
  readonly emptiedBy: (judgements: readonly Judgement[]) => readonly TopicId[];
}

/** False when a command would change nothing, or cannot be obeyed now, or could not be read again out of the journal. */
export function isObeyable(command: Steer, state: CrawlState, run: SteeredRun): boolean {
  if (parseSteerCommand(command) === undefined) return false;
  const { phase, budget, steering, tally, tree } = state;
  switch (command.kind) {
    case 'end-learning':
      return phase === 'learning' && !steering.learningEnded;
    case 'begin-learning':
      // With nothing left to fetch it would learn nothing, and end what goes on beyond the budget, such as a recheck.
      return phase === 'harvesting' && !steering.learningWanted && run.config.crawl.learn > 0 && tally.fetched < budget;
    case 'set-budget':
      return Number.isSafeInteger(command.budget) && command.budget > 0 && command.budget !== budget;
    case 'set-limit':
      return command.value !== state.limit(command.limit) && !(run.isExact && command.limit === 'parallel');
    case 'lock-host':
      return !steering.lockedHosts.includes(command.host);
    case 'mark-topic': {
      const node = tree.nodes.get(command.topic);
      if (node === undefined || node.parent === undefined || node.good === command.good) return false;
      // A crawl that is for nothing would never know what to follow.
      return command.good || goodTopics(tree).length > 1;
    }
    case 'set-ordering':
      return command.ordering !== run.ordering;
    case 'reclassified':
      return false;
    case 'judge-page':
      return isPossible(command.judgement, tree) && run.emptiedBy([command.judgement]).length === 0;
  }
}
