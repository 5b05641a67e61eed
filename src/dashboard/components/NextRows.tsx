import { Text } from 'ink';
import type { ReactElement } from 'react';
import type { NextLink } from '../../core/index.ts';
import { sanitizeForTerminal } from '../../kit/index.ts';
import { lastName, nextReason, shortAddress, shownLinks } from '../derive.ts';
import { figure, toWidth } from '../format.ts';
import type { DashboardState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';

interface Props {
  readonly state: DashboardState;
  /** The rows shown. */
  readonly from: number;
  readonly to: number;
  /** Index of the selected link; `undefined` if none is selected here. */
  readonly at?: number;
  readonly columns: number;
  readonly theme: Theme;
}

const HOST_WORDS: Readonly<Record<NextLink['host'], string>> = {
  ready: 'ready',
  resting: 'rests',
  busy: 'busy',
  bad: 'bad',
};
const PRIORITY_COLUMNS = 6;
const HOST_COLUMNS = 5;
const REASON_FROM_COLUMNS = 60;

/** The links fetched next: priority, state of the host, topic, address, and why they wait there. */
export function NextRows({ state, from, to, at, columns, theme }: Props): ReactElement {
  const links = shownLinks(state);
  // One topic needs no column.
  const hasTopics = new Set(links.map(({ topic }) => topic)).size > 1;
  const topicWidth = hasTopics ? Math.min(20, Math.floor(columns / 8)) : 0;
  const rest = columns - PRIORITY_COLUMNS - HOST_COLUMNS - topicWidth - (hasTopics ? 5 : 4);
  const reasonWidth = columns < REASON_FROM_COLUMNS ? 0 : Math.floor(rest * 0.5);
  const addressWidth = rest - reasonWidth - (reasonWidth > 0 ? 1 : 0);
  return (
    <>
      {links.slice(from, to).map((link, i) => (
        <Line key={link.url} look={from + i === at ? theme.selected : {}}>
          {from + i === at ? '› ' : '  '}
          {toWidth(figure(link.priority), PRIORITY_COLUMNS, 'right')}{' '}
          <Text {...(link.host === 'bad' ? theme.bad : {})}>{toWidth(HOST_WORDS[link.host], HOST_COLUMNS)}</Text>
          {hasTopics ? ` ${toWidth(sanitizeForTerminal(lastName(link.topic)), topicWidth)}` : ''}
          {` ${toWidth(shortAddress(link.url), addressWidth)}`}
          {reasonWidth > 0 ? ` ${toWidth(nextReason(link, state), reasonWidth)}` : ''}
        </Line>
      ))}
    </>
  );
}
