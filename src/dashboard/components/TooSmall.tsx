import { Box, Text } from 'ink';
import type { ReactElement } from 'react';

/**
 * Says what a screen needs. It fills all rows: a terminal that became narrower may have broken the lines of the last picture, and
 * what is not drawn over stays.
 */
export function TooSmall({ needs, rows }: { readonly needs: string; readonly rows: number }): ReactElement {
  return (
    <Box flexDirection="column" height={Math.max(1, rows - 1)}>
      <Text>{`This terminal is too small: ${needs}.`}</Text>
    </Box>
  );
}
