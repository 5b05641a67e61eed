import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { type CrawlStatus, progressOf, recallText } from '../../core/index.ts';
import { count, counted, displayWidth, percent } from '../../kit/index.ts';
import { activity, pagesPerSecond, timing } from '../derive.ts';
import { joinFitting, toWidth } from '../format.ts';
import { recentRate } from '../series.ts';
import type { DashboardState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';

interface Props {
  readonly state: DashboardState;
  readonly columns: number;
  readonly theme: Theme;
}

/** The three lines at the top: activity, progress, quality. */
export function Header({ state, columns, theme }: Props): ReactElement {
  return (
    <Box flexDirection="column">
      <Progress state={state} columns={columns} theme={theme} />
      <Line>{joinFitting(speedAndHarvest(state), columns)}</Line>
      <Line>{joinFitting(counts(state), columns)}</Line>
    </Box>
  );
}

const MAX_BAR = 40;
/** Shown only at times; its room at the end of the line is reserved, so that the progress bar does not shrink. */
const TRAINING = ', training';

function Progress({ state, columns, theme }: Props): ReactElement {
  const { status, title } = state;
  const { done, all } = status === undefined ? { done: state.harvest.pages, all: 0 } : progressOf(status);
  const share = all === 0 ? 0 : Math.min(1, done / all);
  const facts = status === undefined ? counted(done, 'page') : `${count(done)} of ${counted(all, 'page')}`;
  const doing = activity(state);
  const room = columns - displayWidth(`${title} · ${doing}  ${facts}, ${percent(share)}${TRAINING}`) - 4;
  const bar = Math.max(0, Math.min(MAX_BAR, room));
  const filled = Math.round(bar * share);
  const name = toWidth(title, Math.min(displayWidth(title), Math.max(8, columns - 60)));
  return (
    <Line>
      <Text {...theme.strong}>
        {name} · {doing}
      </Text>
      {'  '}
      <Text {...theme.accent}>{'█'.repeat(filled) + '░'.repeat(bar - filled)}</Text>
      {`${bar > 0 ? '  ' : ''}${facts}, ${percent(share)}${status?.isTraining === true ? TRAINING : ''}`}
    </Line>
  );
}

function speedAndHarvest(state: DashboardState): string[] {
  const { status, relevant, harvest } = state;
  const [hits, pages] = [status?.relevant ?? relevant, status?.fetched ?? harvest.pages];
  // A page is reported at once, but its count only with the next status.
  const last = Math.min(harvest.recent.length, pages);
  return [
    `${pagesPerSecond(state).toFixed(1)} pages/s`,
    timing(state),
    `harvest rate ${percent(hits / pages)}`,
    ...(last === 0 ? [] : [`last ${last}: ${percent(recentRate(harvest.recent.slice(-last)))}`]),
    `relevant ${count(hits)}`,
    ...(status?.recall === undefined ? [] : [`found ${recallText(status.recall)}`]),
  ];
}

/** Progress of a recheck. */
function rechecked({ total, ...ends }: NonNullable<CrawlStatus['recheck']>): string {
  const done = Object.values(ends).reduce((sum, n) => sum + n, 0);
  return `rechecked ${count(done)} of ${count(total)}: ${ends.changed} changed, ${ends.moved} moved, ${ends.gone} gone`;
}

function counts({ status }: DashboardState): string[] {
  if (status === undefined) return [''];
  const { hosts } = status;
  return [
    ...(status.recheck === undefined ? [] : [rechecked(status.recheck)]),
    `hosts: ${hosts.active} active, ${hosts.slow} slow, ${hosts.bad} bad`,
    `in flight ${status.inFlight}`,
    `failed ${count(status.failed)}`,
    `refused ${count(status.refused)}`,
    `duplicates ${count(status.duplicates)}`,
    ...(status.rendered === undefined ? [] : [`rendered ${count(status.rendered.rendered)}`]),
    `ordering ${status.ordering}`,
  ];
}
