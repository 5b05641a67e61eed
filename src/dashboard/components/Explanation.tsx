import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { OfKind } from '../../core/index.ts';
import { explanationLines } from '../derive.ts';
import { scrolled } from '../format.ts';
import type { View } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly view: OfKind<View, 'why'>;
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** Why a page was found and judged as it was. */
export function Explanation({ view, columns, rows, theme }: Props): ReactElement {
  return (
    <Box flexDirection="column" height={rows} overflow="hidden">
      <Title text="why" width={columns} theme={theme} />
      {scrolled(explanationLines(view, columns), view.top, rows - 1).map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={i}>{line}</Line>
      ))}
    </Box>
  );
}
