import { type Key, useInput, useWindowSize } from 'ink';
import type { ReactElement } from 'react';
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

/** Characters with key names: the terminal gives no names if several keys arrive at once. */
const NAMED: Readonly<Record<string, 'enter' | 'tab'>> = { '\r': 'enter', '\t': 'tab' };
