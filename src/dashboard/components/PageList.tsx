import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { readableHost } from '../../core/index.ts';
import { lastName, listPosition, shownPages, windowAround } from '../derive.ts';
import { figure, toWidth } from '../format.ts';
import type { DashboardState, PageLine } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { ListTitle } from './ListTitle.tsx';
import { NextRows } from './NextRows.tsx';

interface Props {
  readonly state: DashboardState;
  readonly columns: number;
  /** Rows without the title. */
  readonly height: number;
  readonly theme: Theme;
}

/** The last or the best pages, or the links fetched next. */
export function PageList({ state, columns, height, theme }: Props): ReactElement {
  const { at, length } = listPosition(state);
  const { from, to } = windowAround(length, at, height);
  return (
    <Box flexDirection="column" width={columns} height={height + 1}>
      <ListTitle state={state} width={columns} theme={theme} />
      {length === 0 ? <Line>{empty(state)}</Line> : null}
      {state.list === 'next' ? (
        <NextRows state={state} from={from} to={to} at={at} columns={columns} theme={theme} />
      ) : (
        shownPages(state)
          .slice(from, to)
          .map((page, i) => (
            <Row key={page.sequence} page={page} columns={columns} isSelected={from + i === at} theme={theme} />
          ))
      )}
    </Box>
  );
}

function empty({ filter, list, status }: DashboardState): string {
  if (filter !== '') return `  No ${list === 'next' ? 'link' : 'page'} matches the filter. Esc clears it.`;
  if (list === 'last') return '  No page yet.';
  if (list === 'best') return '  No page was accepted yet.';
  return status === undefined ? '  The crawl has not reported its queue yet.' : '  No link waits.';
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
