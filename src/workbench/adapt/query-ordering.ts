import type { Query } from '../../postprocess/index.ts';

/** Name of the ordering in the journal. */
export const QUERY_ORDERING = 'adapt-query';

/**
 * Returns the text of an extension: the naive best-first crawler. The priority of a link is the cosine of its page and
 * a query, by counts of stems. Links found for later queries go before those of earlier ones.
 * @param number of this query, from 0
 * @param queries number of all queries of the adaptation
 */
export function queryOrdering(query: Pick<Query, 'all' | 'any'>, number: number, queries: number): string {
  const words = [...query.all, ...query.any].filter((stems) => stems.length > 0);
  return `// Made by bingo adapt.
const query = ${JSON.stringify(words)};
export ${'default'} {
  kind: 'ordering',
  name: ${JSON.stringify(QUERY_ORDERING)},
  priorities({ words, links }) {
    let square = 0;
    for (const count of words.values()) square += count * count;
    let common = 0;
    for (const stems of query) for (const stem of stems) common += words.get(stem) ?? 0;
    const cosine = square === 0 ? 0 : Math.min(1, common / Math.sqrt(square * query.length));
    return new Array(links.length).fill((${number} + cosine) / ${queries});
  },
};
`;
}
