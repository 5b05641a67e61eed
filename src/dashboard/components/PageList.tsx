import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { linkOrderText, readableHost } from '../../core/index.ts';
import { selectedPage, shownPages, windowAround } from '../derive.ts';
import { figure, toWidth } from '../format.ts';
import type { DashboardState, PageLine } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly state: DashboardState;
  readonly columns: number;
  /** Rows without the title. */
  readonly height: number;
  readonly theme: Theme;
}

/** The last pages with their verdicts, newest first. */
export function PageList({ state, columns, height, theme }: Props): ReactElement {
  const pages = shownPages(state);
  const selected = selectedPage(state);
  const at = pages.findIndex((page) => page.sequence === selected?.sequence);
  const { from, to } = windowAround(pages.length, Math.max(0, at), height);
  const rows = pages.slice(from, to);
  const filter = state.filter === '' ? '' : `, filter "${state.filter}": ${pages.length} of ${state.pages.length}`;
  const kept = state.selectedPage === undefined ? '' : ' (held; Esc follows the newest)';
  const order = state.status?.order;
  const waiting = order === undefined ? '' : ` ─ waiting: ${linkOrderText(order)}`;
  return (
    <Box flexDirection="column" width={columns} height={height + 1}>
      <Title
        text={`last pages${filter}${waiting}${kept}`}
        width={columns}
        isActive={state.pane === 'pages'}
        theme={theme}
      />
      {rows.length === 0 ? <Line>{empty(state)}</Line> : null}
      {rows.map((page) => (
        <Row key={page.sequence} page={page} columns={columns} isSelected={page === selected} theme={theme} />
      ))}
    </Box>
  );
}

function empty(state: DashboardState): string {
  return state.filter === '' ? '  No page yet.' : '  No page matches the filter. Esc clears it.';
}

interface RowProps {
  readonly page: PageLine;
  readonly columns: number;
  readonly isSelected: boolean;
  readonly theme: Theme;
}

function Row({ page, columns, isSelected, theme }: RowProps): ReactElement {
  const topicWidth = Math.min(20, Math.floor(columns / 6));
  const hostWidth = Math.min(30, Math.floor(columns / 4));
  const titleWidth = columns - topicWidth - hostWidth - 12;
  const facts = `${figure(page.relevance)} ${toWidth(lastName(page.topic), topicWidth)}`;
  return (
    <Line look={isSelected ? theme.selected : {}}>
      {isSelected ? '› ' : '  '}
      <Text {...(page.isRelevant ? theme.good : {})}>{verdict(page)}</Text>
      {` ${facts}  ${toWidth(page.title, titleWidth)} ${toWidth(readableHost(page.host), hostWidth)}`}
    </Line>
  );
}

/** Accepted, rejected, or fetched to train on. */
function verdict({ role, isRelevant }: PageLine): string {
  if (role !== 'crawled') return '§';
  return isRelevant ? '✓' : '·';
}

function lastName(topic: string): string {
  return topic.slice(topic.lastIndexOf('/') + 1);
}
