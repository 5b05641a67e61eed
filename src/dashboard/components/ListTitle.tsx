import { Text } from 'ink';
import type { ReactElement } from 'react';
import { listTitle } from '../list-title.ts';
import type { DashboardState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';

interface Props {
  readonly state: DashboardState;
  readonly width: number;
  readonly theme: Theme;
}

/** The lists below the topics by their keys, what is special about the one shown, and a line to the end. */
export function ListTitle({ state, width, theme }: Props): ReactElement {
  const { tabs, facts, width: used } = listTitle(state, width);
  return (
    <Line>
      {state.pane === 'pages' ? '▸ ' : '─ '}
      {tabs.map(({ list, text }, i) => (
        <Text key={list}>
          {i === 0 ? '' : '  '}
          {list === state.list ? (
            <Text {...theme.strong}>{text}</Text>
          ) : (
            <Text>
              <Text {...theme.key}>{text.slice(0, 1)}</Text>
              {text.slice(1)}
            </Text>
          )}
        </Text>
      ))}
      {`${facts} ${'─'.repeat(Math.max(0, width - used - 1))}`}
    </Line>
  );
}
