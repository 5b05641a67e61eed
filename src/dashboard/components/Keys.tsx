import { Text } from 'ink';
import type { ReactElement } from 'react';
import { type KeyHint, shownHints } from '../key-hints.ts';
import type { Theme } from '../theme.ts';

interface Props {
  readonly hints: readonly KeyHint[];
  readonly columns: number;
  readonly theme: Theme;
}

/** The keys of a view with their actions, as many as fit. */
export function Keys({ hints, columns, theme }: Props): ReactElement {
  return (
    <Text wrap="truncate-end">
      {shownHints(hints, columns).map(({ key, text }, i) => (
        <Text key={`${key} ${text}`}>
          {i === 0 ? '' : '  '}
          {key === '' ? '' : <Text {...theme.key}>{key}</Text>}
          {key === '' ? text : ` ${text}`}
        </Text>
      ))}
    </Text>
  );
}
