import { render } from 'ink';
import { type ReactElement, useLayoutEffect } from 'react';
import { ReviewScreen } from './components/ReviewScreen.tsx';
import { Screen } from './components/Screen.tsx';
import type { KeyPress } from './key-press.ts';
import { lendKeys } from './keyboard.ts';
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

/** A drawing on the terminal's alternate screen; closing it restores the previous screen. */
export interface DrawnScreen<State = DashboardState> {
  /** Does nothing after the screen was closed. */
  draw(state: State): void;
  close(): Promise<void>;
  /** Rejects if drawing failed; resolves once the screen is closed. */
  readonly ended: Promise<void>;
}

/** Receives a key, and the window size when it was pressed. */
type OnKey = (key: KeyPress, size: Size) => void;

/** Maximum number of frames per second; only changes are drawn. */
const MAX_FPS = 10;

// Characters that this terminal draws wider than expected are cut at its edge instead of wrapping.
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
/** Clicks and the wheel are reported, in SGR form. Terminals without a mouse ignore this. */
const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';

/** Takes over the terminal for the dashboard. */
export function openScreen(terminal: Terminal, state: DashboardState, onKey: OnKey): DrawnScreen {
  return takeOver(terminal, state, (now, theme) => <Screen state={now} theme={theme} onKey={onKey} />);
}

/** Takes over the terminal for a review. */
export function openReviewScreen(terminal: Terminal, state: ReviewState, onKey: OnKey): DrawnScreen<ReviewState> {
  return takeOver(terminal, state, (now, theme) => <ReviewScreen state={now} theme={theme} onKey={onKey} />);
}

function takeOver<State>(
  { stdin, stdout, isColourful }: Terminal,
  state: State,
  picture: (state: State, theme: Theme) => ReactElement,
): DrawnScreen<State> {
  const theme = isColourful ? COLOURFUL : COLOURLESS;
  const drawn = (now: State): ReactElement => <Restored stdout={stdout}>{picture(now, theme)}</Restored>;
  stdout.write(WRAP_OFF + MOUSE_ON);
  const takeBack = lendKeys(stdin, 'screen');
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
  // Late results may arrive after closing, and would make ink take the terminal again.
  let isOpen = true;
  const ended = instance
    .waitUntilExit()
    .then(() => {})
    .finally(() => {
      isOpen = false;
      takeBack();
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

/** Restores wrapping and the mouse when the screen is left in any way: ink also unmounts when a signal ends the process. */
function Restored({ stdout, children }: Pick<Terminal, 'stdout'> & { readonly children: ReactElement }): ReactElement {
  useLayoutEffect(
    () => () => {
      stdout.write(MOUSE_OFF + WRAP_ON);
    },
    [stdout],
  );
  return children;
}
