import type { TermContribution } from '../meta/index.ts';
import { sanitizeForTerminal } from './terminal.ts';

/** A feature as a person reads it: words of the page as they are, with others the space that they are from. */
export function termName({ space, feature }: Pick<TermContribution, 'space' | 'feature'>): string {
  const isOwn = space === 'terms' || space === 'pairs';
  return `${sanitizeForTerminal(feature)}${isOwn ? '' : ` (${space})`}`;
}
