import type { BarrenHarvest, StopReason } from '../core/index.ts';
import { barrenHarvest } from './barren-harvest.ts';
import type { CrawlOptions } from './crawl-options.ts';
import { type CrawlParts, recheckOf } from './crawl-parts.ts';

type Asked = Pick<CrawlOptions, 'only' | 'endWhen' | 'recheck' | 'onlyRecheck'>;

/** Returns why a run must end now; `undefined` if it continues. */
export function endReason(parts: CrawlParts, options: Asked): StopReason | undefined {
  const { control, commands, phases } = parts;
  const { state } = parts.folded;
  if (control.stopping !== undefined) return control.stopping;
  if (commands.isHeld) return undefined;
  if (control.isTimeUp(state.limit('time'))) return 'time';
  if (state.phase === 'bootstrap' || isRechecking(parts)) return undefined;
  if (phases.trainingLeft > 0 || phases.isRoundOpen) return undefined;
  if (phases.hasOnlyLearned) return 'learned';
  if (parts.questions?.isHolding === true && isSpent(parts)) return undefined;
  const isHarvesting = state.phase === 'harvesting';
  if (state.tally.fetched >= parts.allowance.budget)
    return isHarvesting && recheckOf(options) === 'only' ? 'rechecked' : 'budget';
  if (state.phase === 'learning') return options.only === 'learn' && phases.isLearned ? 'learned' : undefined;
  if (state.waiting.isDry && parts.underWay.all === 0) return 'frontier-dry';
  if (isHarvesting && parts.recall.isReached) return 'recall';
  const { barren } = state;
  if (barren === undefined || options.endWhen === undefined) return undefined;
  return options.endWhen === 'barren' || barren.endsIn === 0 ? 'stagnation' : undefined;
}

/** Present if the harvest finds nothing any more and will end by itself. */
export function barrenOf(parts: CrawlParts, { endWhen }: Asked): BarrenHarvest | undefined {
  const { control, folded, allowance } = parts;
  const isAsking = endWhen === 'alarms' && control.stopping === undefined;
  const isHarvesting = folded.state.phase === 'harvesting' && !isRechecking(parts);
  return isAsking && isHarvesting ? barrenHarvest(folded.state, allowance.budget) : undefined;
}

/** True if nothing is being fetched or trained, and nothing is left to fetch. */
export function isSpent(parts: CrawlParts): boolean {
  const { folded, allowance } = parts;
  const { phase, tally, waiting } = folded.state;
  return phase !== 'bootstrap' && isIdle(parts) && (tally.fetched >= allowance.budget || waiting.isDry);
}

/** True if nothing is being fetched or trained. */
export function isIdle({ underWay, phases }: CrawlParts): boolean {
  return underWay.all === 0 && !phases.isTraining;
}

/** True if stored pages are still to be fetched again. */
export function isRechecking({ rechecks }: Pick<CrawlParts, 'rechecks'>): boolean {
  return rechecks?.isGoingOn === true;
}
