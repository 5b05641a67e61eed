import type { SteerCommand } from '../core/index.ts';
import { count } from './format.ts';

/** What a command does, for the message line. */
export function describeCommand(command: SteerCommand): string {
  switch (command.kind) {
    case 'pause':
      return 'Paused; what is in flight ends. p goes on.';
    case 'resume':
      return 'Going on.';
    case 'end-learning':
      return 'Learning ends with what is in flight; then a last round, then harvesting.';
    case 'set-budget':
      return `The budget is ${count(command.budget)} pages.`;
    case 'lock-host':
      return `${command.host} is locked.`;
    case 'mark-topic':
      return command.good ? `${command.topic} is marked good.` : `${command.topic} is no longer good.`;
    case 'set-ordering':
      return `Links are put in the order of "${command.ordering}".`;
  }
}

/** Why a command was not obeyed. */
export function describeRefusal(command: SteerCommand): string {
  switch (command.kind) {
    case 'pause':
    case 'resume':
      return 'Nothing to change: the crawl is ending, or is so already.';
    case 'end-learning':
      return 'There is no learning phase to end now.';
    case 'set-budget':
      return 'The budget is that already.';
    case 'lock-host':
      return `${command.host} is locked already.`;
    case 'mark-topic':
      return 'At least one topic stays good: it is what the crawl is for.';
    case 'set-ordering':
      return `The ordering is "${command.ordering}" already.`;
  }
}

/** What takes effect when another process reads the request. */
export function describeRequest(command: SteerCommand): string {
  return `Asked the crawl. ${describeCommand(command)}`;
}
