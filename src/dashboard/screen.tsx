import { render } from 'ink';
import { Screen } from './components/Screen.tsx';
import type { KeyPress } from './keys.ts';
import type { DashboardState } from './state.ts';
import { COLOURFUL, COLOURLESS } from './theme.ts';

/** A terminal to draw on. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly isColourful: boolean;
}

/** What is on a terminal's other screen; the one before comes back when it is closed. */
export interface DrawnScreen {
  draw(state: DashboardState): void;
  close(): Promise<void>;
  /** Rejects when drawing failed; resolves when the screen was closed. */
  readonly ended: Promise<void>;
}

/** Draws a few times a second at most, and only what changed. */
const MAX_FPS = 10;

/** Takes the terminal over. */
export function openScreen(terminal: Terminal, state: DashboardState, onKey: (key: KeyPress) => void): DrawnScreen {
  const { stdin, stdout, isColourful } = terminal;
  const theme = isColourful ? COLOURFUL : COLOURLESS;
  const element = (now: DashboardState) => <Screen state={now} theme={theme} onKey={onKey} />;
  const instance = render(element(state), {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    alternateScreen: true,
    incrementalRendering: true,
    interactive: true,
    maxFps: MAX_FPS,
  });
  const ended = instance.waitUntilExit().then(() => {});
  return {
    draw: (now) => instance.rerender(element(now)),
    close: async () => {
      instance.unmount();
      await ended.catch(() => {});
    },
    ended,
  };
}
