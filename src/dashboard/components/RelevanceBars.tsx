import { Box } from 'ink';
import type { ReactElement } from 'react';
import { toWidth } from '../format.ts';
import { barRows } from '../plot.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  /** Pages in each tenth of relevance. */
  readonly distribution: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

/** Distribution of pages over relevance, from 0 on the left to 1 on the right. */
export function RelevanceBars({ distribution, width, height, theme }: Props): ReactElement {
  const barWidth = Math.max(1, Math.floor(width / distribution.length));
  const end = barWidth * distribution.length;
  return (
    <Box flexDirection="column" width={width}>
      <Title text="pages by relevance" width={width} theme={theme} />
      {barRows(distribution, height, barWidth).map((row, y) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={y} look={theme.accent}>
          {row}
        </Line>
      ))}
      <Line>{`${toWidth('0', Math.floor(end / 2) - 1)}${toWidth('0.5', Math.ceil(end / 2))}1`}</Line>
    </Box>
  );
}
