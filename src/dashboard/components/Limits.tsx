import { Box } from 'ink';
import type { ReactElement } from 'react';
import { type CrawlStatus, LIMIT_NAMES } from '../../core/index.ts';
import { LIMIT_LABELS, limitText } from '../event-messages.ts';
import { toWidth } from '../format.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly at: number;
  readonly limits: CrawlStatus['limits'];
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** The limits that can be changed while the crawl runs. */
export function Limits({ at, limits, columns, rows, theme }: Props): ReactElement {
  return (
    <Box flexDirection="column" height={rows} overflow="hidden">
      <Title text="limits apart from the budget" width={columns} isActive theme={theme} />
      {LIMIT_NAMES.map((name, i) => (
        <Line key={name} look={i === at ? theme.selected : {}}>
          {`${i === at ? '›' : ' '} ${toWidth(LIMIT_LABELS[name], 30)} ${limits === undefined ? '–' : limitText(name, limits[name])}`}
        </Line>
      ))}
    </Box>
  );
}
