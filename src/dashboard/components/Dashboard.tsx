import { Box } from 'ink';
import type { ReactElement } from 'react';
import { assertNever } from '../../core/index.ts';
import { shownAlarms } from '../alarms.ts';
import { hostLines, shownTopics } from '../derive.ts';
import { helpLines } from '../help-lines.ts';
import { type Layout, layoutOf, SMALLEST } from '../layout.ts';
import type { DashboardState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { Explanation } from './Explanation.tsx';
import { Footer } from './Footer.tsx';
import { Header } from './Header.tsx';
import { Help } from './Help.tsx';
import { HostTable } from './HostTable.tsx';
import { Limits } from './Limits.tsx';
import { Orderings } from './Orderings.tsx';
import { Overview } from './Overview.tsx';
import { TooSmall } from './TooSmall.tsx';

interface Props {
  readonly state: DashboardState;
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** The whole screen. Draws only its props. */
export function Dashboard({ state, columns, rows, theme }: Props): ReactElement {
  const layout = layoutOf(columns, rows, shownTopics(state).length);
  if (layout === undefined)
    return <TooSmall needs={`the dashboard needs ${SMALLEST.columns} columns and ${SMALLEST.rows} rows`} rows={rows} />;
  return (
    <Box flexDirection="column" width={columns} height={rows - 1}>
      <Header state={state} columns={columns} theme={theme} />
      <Box flexDirection="column" height={layout.bodyRows}>
        <Body state={state} layout={layout} theme={theme} />
      </Box>
      <Footer state={state} columns={columns} theme={theme} />
    </Box>
  );
}

interface BodyProps {
  readonly state: DashboardState;
  readonly layout: Layout;
  readonly theme: Theme;
}

function Body({ state, layout, theme }: BodyProps): ReactElement {
  const { view } = state;
  const place = { columns: layout.columns, rows: layout.bodyRows, theme };
  switch (view.kind) {
    case 'help':
      return <Help lines={helpLines(shownAlarms(state), layout.columns)} top={view.top} {...place} />;
    case 'why':
      return <Explanation view={view} {...place} />;
    case 'orderings':
      return <Orderings at={view.at} inUse={state.status?.ordering} {...place} />;
    case 'limits':
      return <Limits at={view.at} limits={state.status?.limits} {...place} />;
    case 'hosts':
      return (
        <HostTable
          hosts={hostLines(state)}
          at={view.at}
          columns={layout.columns}
          height={layout.bodyRows - 1}
          theme={theme}
        />
      );
    case 'overview':
    case 'confirm':
    case 'site':
    case 'page':
    case 'filter':
    case 'topics':
    case 'quit':
      return <Overview state={state} layout={layout} theme={theme} />;
    default:
      return assertNever(view);
  }
}
