import { Text } from 'ink';
import type { ReactElement } from 'react';
import { displayWidth } from '../../kit/index.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';

interface Props {
  readonly text: string;
  readonly width: number;
  readonly isActive?: boolean;
  readonly theme: Theme;
}

/** The title of a part, and a line to the end. The part that the arrow keys control is marked. */
export function Title({ text, width, isActive = false, theme }: Props): ReactElement {
  const name = `${isActive ? '▸' : '─'} ${text} `;
  return (
    <Line>
      <Text {...theme.strong}>{name}</Text>
      {'─'.repeat(Math.max(0, width - displayWidth(name)))}
    </Line>
  );
}
