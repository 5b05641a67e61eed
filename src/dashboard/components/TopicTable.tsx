import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import type { TopicNode } from '../../core/index.ts';
import { count, sanitizeForTerminal } from '../../kit/index.ts';
import { queueOf, shownTopics, topicsToWatch, windowAround } from '../derive.ts';
import { figure, toWidth } from '../format.ts';
import type { DashboardState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';

interface Props {
  readonly state: DashboardState;
  readonly columns: number;
  /** Rows without the title. */
  readonly height: number;
  readonly theme: Theme;
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly cell: (node: TopicNode, state: DashboardState) => string;
}

/** Columns by priority: a narrow terminal drops the last ones first. */
const COLUMNS: readonly Column[] = [
  { title: 'accepted', width: 8, cell: (node, { status }) => number(queueOf(status, node.id)?.accepted) },
  {
    title: 'grade',
    width: 7,
    cell: (node, { status }) => queueOf(status, node.id)?.grade?.replace(' examples', '') ?? '–',
  },
  { title: 'in', width: 6, cell: (node, { status }) => number(queueOf(status, node.id)?.incoming) },
  { title: 'out', width: 5, cell: (node, { status }) => number(queueOf(status, node.id)?.outgoing) },
  { title: 'conf.', width: 5, cell: (node, { status }) => figure(confidence(node, status)) },
  { title: 'yours', width: 5, cell: (node, state) => origins(node, state, 'user', 'feedback') },
  { title: '+auth', width: 5, cell: (node, state) => origins(node, state, 'archetype-by-authority') },
  { title: '+conf', width: 5, cell: (node, state) => origins(node, state, 'archetype-by-confidence') },
];
const MIN_NAME = 14;

/** A row per topic: queues, pages, quality, training pages by origin. In tree order while the user selects a topic. */
export function TopicTable({ state, columns, height, theme }: Props): ReactElement {
  const isActive = state.pane === 'topics';
  const topics = isActive ? shownTopics(state) : topicsToWatch(state, height);
  const at = Math.min(state.selectedTopic, topics.length - 1);
  const { from, to } = windowAround(topics.length, isActive ? at : 0, height);
  const shown = fitting(columns);
  const nameWidth = columns - shown.reduce((sum, column) => sum + column.width + 1, 0) - 4;
  const which = isActive ? `${from + 1} to ${to}` : `top ${to}`;
  const more = topics.length > to - from ? ` (${which} of ${topics.length})` : '';
  const head = toWidth(`${isActive ? '▸' : '─'} topics${more}`, nameWidth + 4);
  return (
    <Box flexDirection="column">
      <Line look={theme.strong}>
        {head + shown.map(({ title, width }) => ` ${toWidth(title, width, 'right')}`).join('')}
      </Line>
      {topics.slice(from, to).map((node, i) => (
        <Line key={node.id} look={isActive && from + i === at ? theme.selected : {}}>
          {isActive && from + i === at ? '› ' : '  '}
          <Text {...(node.good ? theme.good : {})}>{node.good ? '✓' : '·'}</Text>
          {` ${toWidth(sanitizeForTerminal(node.id), nameWidth)}`}
          {shown.map(({ width, cell }) => ` ${toWidth(cell(node, state), width, 'right')}`).join('')}
        </Line>
      ))}
    </Box>
  );
}

function fitting(columns: number): readonly Column[] {
  let shown = COLUMNS;
  const width = (): number => shown.reduce((sum, column) => sum + column.width + 1, 0) + 4 + MIN_NAME;
  while (shown.length > 1 && width() > columns) shown = shown.slice(0, -1);
  return shown;
}

function number(n: number | undefined): string {
  return n === undefined ? '–' : count(n);
}

function confidence(node: TopicNode, status: DashboardState['status']): number {
  const queue = queueOf(status, node.id);
  return queue === undefined || queue.accepted === 0 ? Number.NaN : queue.meanConfidence;
}

type Origins =
  NonNullable<DashboardState['round']>['origins'] extends ReadonlyMap<unknown, infer Counts> ? keyof Counts : never;

function origins(node: TopicNode, { round }: DashboardState, ...names: readonly Origins[]): string {
  const counts = round?.origins.get(node.id);
  return counts === undefined ? '–' : String(names.reduce((sum, name) => sum + (counts[name] ?? 0), 0));
}
