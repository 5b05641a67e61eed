import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { View } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly view: View & { readonly kind: 'why' };
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** Why a page was found and judged as it was. */
export function Explanation({ view, columns, rows, theme }: Props): ReactElement {
  const lines = (view.lines ?? ['Looking it up …']).flatMap((line) => folded(line, columns));
  const top = Math.min(view.top, Math.max(0, lines.length - rows + 1));
  return (
    <Box flexDirection="column" height={rows} overflow="hidden">
      <Title text="why" width={columns} theme={theme} />
      {lines.slice(top, top + rows - 1).map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={i}>{line}</Line>
      ))}
    </Box>
  );
}

/** A long line as several, the later ones indented. */
function folded(line: string, columns: number): string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns - 1);
    const at = space > columns / 2 ? space : columns - 1;
    parts.push(rest.slice(0, at));
    rest = `    ${rest.slice(at).trimStart()}`;
  }
  return [...parts, rest];
}
