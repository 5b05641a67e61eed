import { render } from 'ink';
import { type ReactElement, useLayoutEffect } from 'react';
import { ReviewScreen } from './components/ReviewScreen.tsx';
import { Screen } from './components/Screen.tsx';
import type { KeyPress } from './key-press.ts';
import type { Size } from './layout.ts';
import type { ReviewState } from './review/review-state.ts';
import type { DashboardState } from './state.ts';
import { COLOURFUL, COLOURLESS, type Theme } from './theme.ts';

/** A terminal to draw on. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly isColourful: boolean;
}

/** What is on a terminal's other screen; the one before comes back when it is closed. */
export interface DrawnScreen<State = DashboardState> {
  /** Nothing is drawn any more once the screen was closed. */
  draw(state: State): void;
  close(): Promise<void>;
  /** Rejects when drawing failed; resolves when the screen was closed. */
  readonly ended: Promise<void>;
}

/** Hears of a key, and how large the window was when it was pressed. */
type OnKey = (key: KeyPress, size: Size) => void;

/** Draws a few times a second at most, and only what changed. */
const MAX_FPS = 10;

// A row of signs that this terminal draws wider than others do ends at its edge, instead of on the row below.
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';

/** Takes the terminal over for the dashboard. */
export function openScreen(terminal: Terminal, state: DashboardState, onKey: OnKey): DrawnScreen {
  return takeOver(terminal, state, (now, theme) => <Screen state={now} theme={theme} onKey={onKey} />);
}

/** Takes the terminal over for a review. */
export function openReviewScreen(terminal: Terminal, state: ReviewState, onKey: OnKey): DrawnScreen<ReviewState> {
  return takeOver(terminal, state, (now, theme) => <ReviewScreen state={now} theme={theme} onKey={onKey} />);
}

function takeOver<State>(
  { stdin, stdout, isColourful }: Terminal,
  state: State,
  picture: (state: State, theme: Theme) => ReactElement,
): DrawnScreen<State> {
  const theme = isColourful ? COLOURFUL : COLOURLESS;
  const drawn = (now: State): ReactElement => <WithoutWrap stdout={stdout}>{picture(now, theme)}</WithoutWrap>;
  stdout.write(WRAP_OFF);
  const instance = render(drawn(state), {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    alternateScreen: true,
    incrementalRendering: true,
    interactive: true,
    maxFps: MAX_FPS,
  });
  // What was asked for before the end may be answered behind it, and ink would take hold of the terminal again.
  let isOpen = true;
  const ended = instance
    .waitUntilExit()
    .then(() => {})
    .finally(() => {
      isOpen = false;
    });
  return {
    draw: (now) => {
      if (isOpen) instance.rerender(drawn(now));
    },
    close: async () => {
      isOpen = false;
      instance.unmount();
      await ended.catch(() => {});
    },
    ended,
  };
}

/** Lets rows wrap again when the screen is left, however that comes: ink takes its pictures down when a signal ends the process, too. */
function WithoutWrap({
  stdout,
  children,
}: Pick<Terminal, 'stdout'> & { readonly children: ReactElement }): ReactElement {
  useLayoutEffect(
    () => () => {
      stdout.write(WRAP_ON);
    },
    [stdout],
  );
  return children;
}
