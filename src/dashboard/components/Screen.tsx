import { type Key, useInput, useStdin, useWindowSize } from 'ink';
import { type ReactElement, useEffect } from 'react';
import type { KeyPress } from '../key-press.ts';
import type { Size } from '../layout.ts';
import type { DashboardState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Dashboard } from './Dashboard.tsx';

interface Props {
  readonly state: DashboardState;
  readonly theme: Theme;
  readonly onKey: (key: KeyPress, size: Size) => void;
}

/** The dashboard on a terminal: fills its window and handles its keys. */
export function Screen({ state, theme, onKey }: Props): ReactElement {
  const { columns, rows } = useWindowSize();
  useInput((text, key) => {
    for (const press of keyPresses(text, key)) onKey(press, { columns, rows });
  });
  // Ink drops mouse events. It reads the input when it is readable, so a second listener takes nothing from it.
  const { stdin } = useStdin();
  useEffect(() => {
    const onData = (data: Buffer | string): void => {
      for (const press of mousePresses(String(data))) onKey(press, { columns, rows });
    };
    stdin.on('data', onData);
    return () => {
      stdin.off('data', onData);
    };
  }, [stdin, onKey, columns, rows]);
  return <Dashboard state={state} columns={columns} rows={rows} theme={theme} />;
}

/** Returns the pressed keys; several characters received at once are several keys. */
export function keyPresses(text: string, key: Key): readonly KeyPress[] {
  if (key.ctrl) return text === 'c' ? [{ name: 'interrupt' }] : [];
  if (key.upArrow) return [{ name: 'up' }];
  if (key.downArrow) return [{ name: 'down' }];
  if (key.pageUp) return [{ name: 'page-up' }];
  if (key.pageDown) return [{ name: 'page-down' }];
  if (key.home) return [{ name: 'home' }];
  if (key.end) return [{ name: 'end' }];
  if (key.return) return [{ name: 'enter' }];
  if (key.escape) return [{ name: 'escape' }];
  if (key.tab) return [{ name: 'tab' }];
  if (key.backspace || key.delete) return [{ name: 'backspace' }];
  if (key.meta || key.leftArrow || key.rightArrow) return [];
  return [...text].flatMap((c): readonly KeyPress[] => {
    const name = NAMED[c];
    if (name !== undefined) return [{ name }];
    return c >= ' ' ? [{ name: 'text', text: c }] : [];
  });
}

/** Mouse events in SGR form; `m` releases a button (xterm, "Extended coordinates"). */
const MOUSE = new RegExp(`${String.fromCharCode(27)}\\[<(\\d+);(\\d+);(\\d+)M`, 'g');
const LEFT = 0;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;
const LINES_PER_NOTCH = 3;

/** Returns clicks, and the arrow keys that the wheel stands for. Places of the terminal count from 1. */
function mousePresses(input: string): readonly KeyPress[] {
  return [...input.matchAll(MOUSE)].flatMap(([, button, column, row]): readonly KeyPress[] => {
    if (Number(button) === LEFT) return [{ name: 'click', column: Number(column) - 1, row: Number(row) - 1 }];
    const name = Number(button) === WHEEL_UP ? 'up' : Number(button) === WHEEL_DOWN ? 'down' : undefined;
    return name === undefined ? [] : Array.from({ length: LINES_PER_NOTCH }, () => ({ name }));
  });
}

/** Characters with key names: the terminal gives no names if several keys arrive at once. */
const NAMED: Readonly<Record<string, 'enter' | 'tab'>> = { '\r': 'enter', '\t': 'tab' };
