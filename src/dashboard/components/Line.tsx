import { Text } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import type { Look } from '../theme.ts';

/** One row of the screen, truncated at the terminal's edge. */
export function Line({ look = {}, children }: { readonly look?: Look; readonly children?: ReactNode }): ReactElement {
  // A row without text would have no height.
  const content = children === undefined || children === '' ? ' ' : children;
  return (
    <Text wrap="truncate-end" {...look}>
      {content}
    </Text>
  );
}
