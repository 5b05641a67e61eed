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
import { isOutranked, isPossible } from './training/training-items.ts';

/** What decides, apart from the state, whether a command can run. */
export interface SteeredRun {
  readonly config: Config;
  /** True if the run fetches one page at a time so that it can be repeated. */
  readonly isExact: boolean;
  /** The crawl's current ordering, or the one it is changing to. */
  readonly ordering: OrderingName;
  /** Returns topics that decisions would leave without an example. */
  readonly emptiedBy: (judgements: readonly Judgement[]) => readonly TopicId[];
}

/** False if a command would change nothing, cannot run now, or could not be read back from the journal. */
export function isObeyable(command: Steer, state: CrawlState, run: SteeredRun): boolean {
  if (parseSteerCommand(command) === undefined) return false;
  const { phase, budget, steering, tally, tree } = state;
  switch (command.kind) {
    case 'end-learning':
      return phase === 'learning' && !steering.learningEnded;
    case 'begin-learning':
      // With nothing left to fetch, learning would have no pages. It would also end work beyond the budget, such as a
      // recheck.
      return phase === 'harvesting' && !steering.learningWanted && run.config.crawl.learn > 0 && tally.fetched < budget;
    case 'continue-barren':
      return state.barren !== undefined;
    case 'set-budget':
      return Number.isSafeInteger(command.budget) && command.budget > 0 && command.budget !== budget;
    case 'set-limit':
      return command.value !== state.limit(command.limit) && !(run.isExact && command.limit === 'parallel');
    case 'lock-host':
      return !steering.lockedHosts.includes(command.host);
    case 'mark-topic': {
      const node = tree.nodes.get(command.topic);
      if (node === undefined || node.parent === undefined || node.good === command.good) return false;
      // A crawl without any good topic would not know which links to follow.
      return command.good || goodTopics(tree).length > 1;
    }
    case 'set-ordering':
      return command.ordering !== run.ordering;
    case 'name-topic':
    case 'reclassified':
    case 'begin-shard':
    case 'note-mirror':
      return false;
    case 'judge-page':
      if (isOutranked(command.judgement, steering.judgements)) return false;
      return isPossible(command.judgement, tree) && run.emptiedBy([command.judgement]).length === 0;
  }
}
