import { Box } from 'ink';
import type { ReactElement } from 'react';
import { hostLines } from '../derive.ts';
import type { Layout } from '../layout.ts';
import type { DashboardState } from '../state.ts';
import type { Theme } from '../theme.ts';
import { HarvestPlot } from './HarvestPlot.tsx';
import { HostTable } from './HostTable.tsx';
import { PageList } from './PageList.tsx';
import { RelevanceBars } from './RelevanceBars.tsx';
import { TopicTable } from './TopicTable.tsx';

interface Props {
  readonly state: DashboardState;
  readonly layout: Layout;
  readonly theme: Theme;
}

/** Width of the distribution: two columns per bin, or one on a narrow terminal. */
const BARS_WIDE = 22;
const BARS_FROM_COLUMNS = 70;

/** Plot, distribution, topics, pages, hosts. */
export function Overview({ state, layout, theme }: Props): ReactElement {
  const { columns, plotRows, topicRows, pageRows, hostColumns } = layout;
  const barsWidth = columns >= BARS_FROM_COLUMNS ? BARS_WIDE : 0;
  return (
    <Box flexDirection="column">
      {plotRows > 0 ? (
        <Box columnGap={1}>
          <HarvestPlot
            series={state.harvest}
            width={columns - barsWidth - (barsWidth > 0 ? 1 : 0)}
            height={plotRows}
            theme={theme}
          />
          {barsWidth > 0 ? (
            <RelevanceBars distribution={state.distribution} width={barsWidth} height={plotRows} theme={theme} />
          ) : null}
        </Box>
      ) : null}
      <TopicTable state={state} columns={columns} height={topicRows} theme={theme} />
      <Box columnGap={1}>
        <PageList
          state={state}
          columns={columns - (hostColumns > 0 ? hostColumns + 1 : 0)}
          height={pageRows}
          theme={theme}
        />
        {hostColumns > 0 ? (
          <HostTable hosts={hostLines(state)} columns={hostColumns} height={pageRows} theme={theme} />
        ) : null}
      </Box>
    </Box>
  );
}
