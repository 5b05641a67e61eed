import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { count } from '../../kit/index.ts';
import { toWidth } from '../format.ts';
import { plotRows } from '../plot.ts';
import type { HarvestSeries } from '../series.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly series: HarvestSeries;
  readonly width: number;
  /** Rows of the plot itself, without the rows of title and axis. */
  readonly height: number;
  readonly theme: Theme;
}

const LABEL = 5;
const WIDE_TITLE = '⠂ relevance of a page  ━ harvest rate, last 100';
const NARROW_TITLE = '⠂ relevance  ━ harvest rate';
const WIDE = 52;

/**
 * Harvest rate over time: a dot per page at its relevance, a line for the share of relevant pages (Focused crawling
 * Fig. 1b).
 */
export function HarvestPlot({ series, width, height, theme }: Props): ReactElement {
  const inner = width - LABEL;
  return (
    <Box flexDirection="column" width={width}>
      <Title text={width < WIDE ? NARROW_TITLE : WIDE_TITLE} width={width} theme={theme} />
      {plotRows(series, inner, height).map((runs, y) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={y}>
          {label(y, height)}
          {runs.map((run, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a run is its place in the row
            <Text key={i} {...(run.isAverage ? theme.good : {})}>
              {run.text}
            </Text>
          ))}
        </Line>
      ))}
      <Line>{axis(series.pages, width)}</Line>
    </Box>
  );
}

function label(y: number, height: number): string {
  const value = y === 0 ? '1.0' : y === height - 1 ? '0.0' : height % 2 === 1 && y === (height - 1) / 2 ? '0.5' : '';
  return `${value.padStart(LABEL - 2)} │`;
}

function axis(pages: number, width: number): string {
  const end = pages === 0 ? 'no page yet' : `page ${count(pages)}`;
  return toWidth(`${' '.repeat(LABEL - 1)}└${'─'.repeat(Math.max(0, width - LABEL - end.length - 1))} ${end}`, width);
}
