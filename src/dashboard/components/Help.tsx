import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { scrolled } from '../format.ts';
import { type HelpLine, KEY_COLUMNS } from '../help-lines.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly lines: readonly HelpLine[];
  /** The first line shown. */
  readonly top: number;
  readonly columns: number;
  /** Rows, including the title. */
  readonly rows: number;
  readonly theme: Theme;
}

/** Keys and further help; scrolls if it does not fit. */
export function Help({ lines, top, columns, rows, theme }: Props): ReactElement {
  const shown = scrolled(lines, top, rows - 1);
  const more = lines.length > shown.length ? ` · ${lines.length - shown.length} more lines: ↓ ↑` : '';
  return (
    <Box flexDirection="column" height={rows} overflow="hidden">
      <Title text={`help${more}`} width={columns} isActive theme={theme} />
      {shown.map(({ key, text, isTitle = false }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={i} look={isTitle ? theme.strong : {}}>
          {key === '' ? null : <Text {...theme.key}>{key.padEnd(KEY_COLUMNS)}</Text>}
          {text}
        </Line>
      ))}
    </Box>
  );
}
