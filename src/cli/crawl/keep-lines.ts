import { LIMITS, type OfKind, type Steer } from '../../core/index.ts';
import { formatDuration, sanitizeForTerminal } from '../../workbench/index.ts';

/** Explains how to keep manual changes in bingo.yaml; empty without such changes. */
export function keepLines(steers: readonly Steer[]): string[] {
  const last = <K extends Steer['kind']>(kind: K): OfKind<Steer, K> | undefined =>
    steers.findLast((steer): steer is OfKind<Steer, K> => steer.kind === kind);
  const settings: string[] = [];
  const budget = last('set-budget');
  const ordering = last('set-ordering');
  const hosts = [...new Set(steers.flatMap((steer) => (steer.kind === 'lock-host' ? [steer.host] : [])))];
  const marks = new Map(steers.flatMap((steer) => (steer.kind === 'mark-topic' ? [[steer.topic, steer.good]] : [])));
  if (budget !== undefined) settings.push(`crawl.budget: ${budget.budget}`);
  if (ordering !== undefined) settings.push(`crawl.ordering: ${ordering.ordering}`);
  const limits = new Map(steers.flatMap((steer) => (steer.kind === 'set-limit' ? [[steer.limit, steer.value]] : [])));
  for (const [limit, value] of limits)
    settings.push(`${LIMITS[limit]}: ${limit === 'time' && value > 0 ? formatDuration(value) : value}`);
  if (hosts.length > 0) settings.push(`crawl.exclude: [${hosts.join(', ')}]  (added to the list)`);
  for (const [topic, good] of marks) settings.push(`good: ${good}  (under the topic "${sanitizeForTerminal(topic)}")`);
  if (settings.length === 0) return [];
  return [
    '',
    'Your changes apply to this crawl. To keep them, add to bingo.yaml:',
    ...settings.map((s) => `  ${s}`),
    '',
  ];
}
