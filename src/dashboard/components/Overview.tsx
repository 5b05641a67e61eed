import { Box } from 'ink';
import type { ReactElement } from 'react';
import { hostLines, sideNextRows } from '../derive.ts';
import type { Layout } from '../layout.ts';
import type { DashboardState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { HarvestPlot } from './HarvestPlot.tsx';
import { HostTable } from './HostTable.tsx';
import { NextRows } from './NextRows.tsx';
import { PageList } from './PageList.tsx';
import { RelevanceBars } from './RelevanceBars.tsx';
import { SpeedPlot } from './SpeedPlot.tsx';
import { Title } from './Title.tsx';
import { TopicTable } from './TopicTable.tsx';

interface Props {
  readonly state: DashboardState;
  readonly layout: Layout;
  readonly theme: Theme;
}

/** Graphs, topics, a list of pages; beside it next links and hosts. */
export function Overview({ state, layout, theme }: Props): ReactElement {
  const { columns, topicRows, pageRows, sideColumns } = layout;
  return (
    <Box flexDirection="column">
      {layout.plotRows > 0 ? <Graphs state={state} layout={layout} theme={theme} /> : null}
      <TopicTable state={state} columns={columns} height={topicRows} theme={theme} />
      <Box columnGap={1}>
        <PageList
          state={state}
          columns={columns - (sideColumns > 0 ? sideColumns + 1 : 0)}
          height={pageRows}
          theme={theme}
        />
        {sideColumns > 0 ? <Side state={state} layout={layout} theme={theme} /> : null}
      </Box>
    </Box>
  );
}

function Graphs({ state, layout, theme }: Props): ReactElement {
  const { columns, plotRows: height, speedColumns, barColumns } = layout;
  const beside = [speedColumns, barColumns].reduce((sum, width) => sum + (width > 0 ? width + 1 : 0), 0);
  return (
    <Box columnGap={1}>
      <HarvestPlot series={state.harvest} width={columns - beside} height={height} theme={theme} />
      {speedColumns > 0 ? <SpeedPlot series={state.speed} width={speedColumns} height={height} theme={theme} /> : null}
      {barColumns > 0 ? (
        <RelevanceBars distribution={state.distribution} width={barColumns} height={height} theme={theme} />
      ) : null}
    </Box>
  );
}

/** Next links above hosts; hosts alone if there is room for one, or the list shows the links. */
function Side({ state, layout, theme }: Props): ReactElement {
  const { sideColumns: columns, pageRows } = layout;
  const nextRows = sideNextRows(state, layout);
  const hostRows = nextRows > 0 ? pageRows - nextRows - 1 : pageRows;
  return (
    <Box flexDirection="column" width={columns}>
      {nextRows > 0 ? (
        <Box flexDirection="column" height={nextRows + 1}>
          <Title text="next fetches" width={columns} theme={theme} />
          <NextRows state={state} from={0} to={nextRows} columns={columns} theme={theme} />
        </Box>
      ) : null}
      <HostTable hosts={hostLines(state)} columns={columns} height={hostRows} theme={theme} />
    </Box>
  );
}
