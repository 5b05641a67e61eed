import { Box, Text } from 'ink';
import type { ReactElement } from 'react';

/**
 * Says which size a screen needs. It fills all rows: in a narrowed terminal, wrapped lines of the previous frame
 * would stay visible.
 */
export function TooSmall({ needs, rows }: { readonly needs: string; readonly rows: number }): ReactElement {
  return (
    <Box flexDirection="column" height={Math.max(1, rows - 1)}>
      <Text>{`This terminal is too small: ${needs}.`}</Text>
    </Box>
  );
}
