import { Box } from 'ink';
import type { ReactElement } from 'react';
import { ORDERINGS, type OrderingName } from '../../core/index.ts';
import { windowAround } from '../derive.ts';
import { toWidth } from '../format.ts';
import type { Theme } from '../theme.ts';
import { Line } from './Line.tsx';
import { Title } from './Title.tsx';

interface Props {
  readonly at: number;
  readonly inUse: OrderingName | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

const MEANINGS: Readonly<Partial<Record<OrderingName, string>>> = {
  'breadth-first': 'in the order in which links are found',
  random: 'by chance',
  backlink: 'the most linked-to first',
  pagerank: 'by PageRank over what is known',
  'best-first': 'by the similarity of the linking page to the examples',
  'soft-focus': 'by the relevance of the linking page',
  'hard-focus': 'only links of pages that were accepted',
  'hub-boosted': 'confidence, links of pages that led to good ones first',
  confidence: "by the classifier's confidence in the linking page",
  'shark-search': 'by page, anchor text and the words around the link',
  bingo: 'by confidence, with tunnelling and the best hubs first',
  learned: 'by a model of links that learns while the crawl runs',
};

/** The orderings to choose from. */
export function Orderings({ at, inUse, columns, rows, theme }: Props): ReactElement {
  const { from, to } = windowAround(ORDERINGS.length, at, rows - 1);
  return (
    <Box flexDirection="column" height={rows} overflow="hidden">
      <Title text="order of waiting links" width={columns} isActive theme={theme} />
      {ORDERINGS.slice(from, to).map((name, i) => (
        <Line key={name} look={from + i === at ? theme.selected : {}}>
          {`${from + i === at ? '›' : ' '} ${toWidth(name, 15)} ${MEANINGS[name] ?? ''}${name === inUse ? ' (in use)' : ''}`}
        </Line>
      ))}
    </Box>
  );
}
