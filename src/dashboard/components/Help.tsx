import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { toWidth } from '../format.ts';
import type { Alarm } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly alarms: readonly Alarm[];
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['p, space', 'pause, go on'],
  ['+ -', 'budget 10 % up, down'],
  ['e, E', 'end learning now, harvest; go back to learning'],
  ['r', 'choose another ordering of the waiting links'],
  ['l', 'lock the host of the selected page'],
  ['L', 'limits: learning, time, tunnelling, fetches at a time'],
  ['h', 'hosts: slow, bad, busy; l locks the selected one'],
  ['Tab, g', 'go to the topics; mark the selected one good, or no longer'],
  ['↑ ↓ PgUp PgDn', 'select; at the top the list follows the newest page again'],
  ['Enter, w', 'why the selected page was found and judged as it was'],
  ['o', 'open the selected page in the browser'],
  ['v', 'review what is learned from, and what the crawl proposes'],
  ['/', 'filter the pages; Esc clears the filter'],
  ['q', 'quit; Ctrl-C stops and saves'],
];
const SIGNS = [
  '✓ accepted, or a good topic  · rejected, or not good  § training page  ! alarm',
  'ξα xi-alpha precision  yours, +auth, +conf: your examples, archetypes by origin',
];

/** Keys and signs, and every alarm with its remedy. */
export function Help({ alarms, columns, rows, theme }: Props): ReactElement {
  const told = alarms.flatMap(({ message, remedy }) => [`! ${message}`, `  ${remedy}`]);
  return (
    <Box flexDirection="column" height={rows} overflow="hidden">
      <Title text="keys" width={columns} theme={theme} />
      {KEYS.map(([key, what]) => (
        <Line key={key}>
          <Text {...theme.strong}>{toWidth(key, 15)}</Text>
          {what}
        </Line>
      ))}
      {[...SIGNS, ...told].map((line) => (
        <Line key={line}>{line}</Line>
      ))}
    </Box>
  );
}
