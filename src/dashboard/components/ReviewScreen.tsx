import { useInput, useWindowSize } from 'ink';
import type { ReactElement } from 'react';
import type { KeyPress } from '../key-press.ts';
import type { Size } from '../layout.ts';
import type { ReviewState } from '../review/review-state.ts';
import type { Theme } from '../theme.ts';
import { Review } from './Review.tsx';
import { keyPresses } from './Screen.tsx';

interface Props {
  readonly state: ReviewState;
  readonly theme: Theme;
  readonly onKey: (key: KeyPress, size: Size) => void;
}

/** The review on a terminal: fills its window and handles its keys. */
export function ReviewScreen({ state, theme, onKey }: Props): ReactElement {
  const { columns, rows } = useWindowSize();
  useInput((text, key) => {
    for (const press of keyPresses(text, key)) onKey(press, { columns, rows });
  });
  return <Review state={state} columns={columns} rows={rows} theme={theme} />;
}
