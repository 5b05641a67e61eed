import { Box } from 'ink';
import type { ReactElement } from 'react';
import { counted } from '../../kit/index.ts';
import { keyHints } from '../key-hints.ts';
import { GROUP_KEYS, GROUP_NAME_KEYS } from '../review/groups.ts';
import type { ReviewState } from '../review/review-state.ts';
import type { Theme } from '../theme.ts';
import { TOPIC_KEYS } from '../typed-text.ts';
import { Keys } from './Keys.tsx';
import { Line } from './Line.tsx';

interface Props {
  readonly state: ReviewState;
  readonly columns: number;
  readonly theme: Theme;
}

/** The two lines at the bottom: question or news, keys. */
export function ReviewFooter({ state, columns, theme }: Props): ReactElement {
  const question = questionOf(state);
  return (
    <Box flexDirection="column">
      <Line look={question === undefined ? {} : theme.strong}>{question ?? state.message}</Line>
      <Keys hints={keyHints(keysOf(state))} columns={columns} theme={theme} />
    </Box>
  );
}

function questionOf({ view, decided, effect, message }: ReviewState): string | undefined {
  if (view.kind === 'topics') return `Topics: ${view.text}▏`;
  if (view.kind === 'group-name') return `Name of the topic: ${view.text}▏`;
  if (view.kind === 'quit')
    return `Leave? ${counted(decided.size, 'decision')} will be kept for the next review, not applied.`;
  if (view.kind === 'applying') return message || 'Applying: training, then judging every stored page again …';
  if (view.kind === 'accept') return 'Do it?';
  if (view.kind !== 'apply') return undefined;
  if (effect.kind === 'pending') return 'Training, to show what it would change …';
  return effect.kind === 'known' ? `Apply ${counted(decided.size, 'decision')}?` : 'These decisions cannot be applied.';
}

function keysOf({ view }: ReviewState): readonly string[] {
  switch (view.kind) {
    case 'pages':
      return [
        '? help',
        'q quit',
        'a accept',
        'r reject',
        'x counter-example',
        'm move',
        't trim',
        'u undo',
        'A all above',
        's apply',
        'Tab topic',
        'p proposals',
        'g rejected groups',
        'o open',
      ];
    case 'topics':
      return TOPIC_KEYS;
    case 'trim':
      return ['Enter done', 'Esc back', 'Space leave out or keep', '↑↓ choose'];
    case 'move':
      return ['↑↓ choose', 'Enter move', 'Esc back'];
    case 'apply':
      return ['y yes', 'n no', '↑↓ scroll'];
    case 'applying':
      return [''];
    case 'proposals':
      return ['Enter accept', 'Esc back', '↑↓ choose'];
    case 'accept':
      return ['y yes', 'n no'];
    case 'help':
      return ['↑↓ scroll', 'any other key: back'];
    case 'groups':
      return GROUP_KEYS;
    case 'group-name':
      return GROUP_NAME_KEYS;
    case 'quit':
      return ['y leave', 's apply first', 'd leave and forget', 'Esc back'];
  }
}
