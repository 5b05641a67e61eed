import type { Importance } from '../../core/index.ts';
import { escapeMarkup } from '../markup.ts';

/** A page as a node of the graph. */
export interface GraphPage {
  readonly sequence: number;
  readonly title: string;
  readonly finalUrl: string;
  readonly site: string;
  readonly topic: string;
  /** NaN if it was not classified. */
  readonly relevance: number;
  readonly importance?: Importance;
}

/** A link between two pages, by their sequences. */
export interface GraphLink {
  readonly from: number;
  readonly to: number;
}

const ATTRIBUTES = `<attributes class="node">
<attribute id="0" title="url" type="string"/>
<attribute id="1" title="site" type="string"/>
<attribute id="2" title="topic" type="string"/>
<attribute id="3" title="relevance" type="double"/>
<attribute id="4" title="ib" type="integer"/>
<attribute id="5" title="ir" type="double"/>
<attribute id="6" title="il" type="double"/>
</attributes>
`;

/**
 * Yields pages and their links as GEXF 1.3, which Gephi and other graph programs read, line by line. Repeated links
 * between two pages become one edge with that weight; links to itself and to other pages are left out.
 * @param links all links of one page must be in the same chunk
 */
export async function* gexfLines(
  pages: AsyncIterable<GraphPage>,
  links: AsyncIterable<readonly GraphLink[]>,
): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">\n';
  yield `<meta><creator>bingo-crawler</creator></meta>\n<graph defaultedgetype="directed" mode="static">\n${ATTRIBUTES}<nodes>\n`;
  const known = new Set<number>();
  for await (const page of pages) {
    known.add(page.sequence);
    yield nodeLine(page);
  }
  yield '</nodes>\n<edges>\n';
  let id = 0;
  for await (const chunk of links)
    for (const [pair, weight] of weights(chunk, known)) {
      const [from, to] = pair.split(' ');
      yield `<edge id="${id++}" source="${from}" target="${to}" weight="${weight}"/>\n`;
    }
  yield '</edges>\n</graph>\n</gexf>\n';
}

function nodeLine({ sequence, title, finalUrl, site, topic, relevance, importance }: GraphPage): string {
  const values = [finalUrl, site, topic, relevance, importance?.ib, importance?.ir, importance?.il];
  const attributes = values
    .map((value, i) =>
      value === undefined || Number.isNaN(value) ? '' : `<attvalue for="${i}" value="${escapeMarkup(String(value))}"/>`,
    )
    .join('');
  const label = escapeMarkup(title) || escapeMarkup(finalUrl);
  return `<node id="${sequence}" label="${label}"><attvalues>${attributes}</attvalues></node>\n`;
}

function weights(links: readonly GraphLink[], known: ReadonlySet<number>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { from, to } of links) {
    if (from === to || !known.has(from) || !known.has(to)) continue;
    const pair = `${from} ${to}`;
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}
