import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { duration, toWidth } from '../format.ts';
import { barRows } from '../plot.ts';
import { type SpeedSeries, speeds } from '../speed.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly series: SpeedSeries;
  readonly width: number;
  /** Rows of the plot itself, without the rows of title and axis. */
  readonly height: number;
  readonly theme: Theme;
}

const LABEL = 5;

/** Pages per second over time, without pauses. */
export function SpeedPlot({ series, width, height, theme }: Props): ReactElement {
  const inner = width - LABEL;
  const values = speeds(series, inner);
  const greatest = Math.max(0, ...values);
  const rows = barRows(values.length === 0 ? [0] : values, height, 1);
  return (
    <Box flexDirection="column" width={width}>
      <Title text="pages per second" width={width} theme={theme} />
      {rows.map((row, y) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={y}>
          {label(y, height, greatest)}
          <Text {...theme.accent}>{row}</Text>
        </Line>
      ))}
      <Line>{axis(series.elapsedMs, width)}</Line>
    </Box>
  );
}

function label(y: number, height: number, greatest: number): string {
  const value = y === 0 && greatest > 0 ? greatest.toFixed(greatest < 10 ? 1 : 0) : y === height - 1 ? '0' : '';
  return `${value.padStart(LABEL - 2)} │`;
}

function axis(elapsedMs: number, width: number): string {
  const end = duration(elapsedMs);
  return toWidth(`${' '.repeat(LABEL - 1)}└${'─'.repeat(Math.max(0, width - LABEL - end.length - 1))} ${end}`, width);
}
