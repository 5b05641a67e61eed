import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { readableHost } from '../../core/index.ts';
import { sanitizeForTerminal } from '../../kit/index.ts';
import { type HostLine, windowAround } from '../derive.ts';
import { toWidth } from '../format.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly hosts: readonly HostLine[];
  /** Index of the selected host; `undefined` if none is selected here. */
  readonly at?: number;
  readonly columns: number;
  /** Rows without the title. */
  readonly height: number;
  readonly theme: Theme;
}

/** A host name without DNS entry, short enough for the state column. */
const NO_NAME = 'no DNS';

/** Hosts with their states, and figures from the last pages. */
export function HostTable({ hosts, at, columns, height, theme }: Props): ReactElement {
  const { from, to } = windowAround(hosts.length, at ?? 0, height);
  return (
    <Box flexDirection="column" width={columns} height={height + 1}>
      <Title text="hosts: relevant/pages" width={columns} isActive={at !== undefined} theme={theme} />
      {hosts.length === 0 ? <Line>{'  No host yet.'}</Line> : null}
      {hosts.slice(from, to).map((line, i) => (
        <Line key={line.host} look={from + i === at ? theme.selected : {}}>
          {`${from + i === at ? '›' : ' '} ${toWidth(sanitizeForTerminal(readableHost(line.host)), columns - 19)} `}
          <Text {...(line.standing === 'bad' ? theme.bad : {})}>
            {toWidth(line.standing === 'nameless' ? NO_NAME : line.standing, 6)}
          </Text>
          {toWidth(`${line.relevant}/${line.pages}`, 9, 'right')}
        </Line>
      ))}
    </Box>
  );
}
