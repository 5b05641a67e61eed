import { findUrl } from '../read/find-url.ts';
import type { Row } from '../schema.ts';
import { numberOf, type Scratch } from './scratch.ts';

/** A link that the store may not know, from a page that the crawl may not have fetched. */
export interface OutsideLink {
  readonly from: string;
  readonly to: string;
}

/** Nodes of pages outside the store are numbered downwards from here; ids of URLs are far smaller. */
export const OUTSIDE_NODES: number = -(2 ** 40);

/**
 * Adds predecessors from outside to a base set: pages that link to pages of the topic, whether they were fetched or
 * not (BINGO! §2.5). A page outside the store has the mean relevance of the pages that it links to, since its own is
 * unknown. A stored page keeps its own. Call it between making the nodes and weighing the edges.
 * @returns URLs of the nodes that are not stored
 */
export async function addOutsideLinks(
  scratch: Scratch,
  links: readonly OutsideLink[],
): Promise<ReadonlyMap<number, string>> {
  if (links.length === 0) return new Map();
  const targets = await topicPages(scratch, new Set(links.map(({ to }) => to)));
  const known = links.flatMap(({ from, to }) => {
    const target = targets.get(to);
    return target === undefined ? [] : [{ from, ...target }];
  });
  const stored = await storedPages(
    scratch,
    known.map(({ from }) => from),
  );
  const outside = new Map<string, number>();
  const nodeOf = (url: string): number => {
    const node = stored.get(url) ?? outside.get(url) ?? OUTSIDE_NODES - outside.size;
    if (!stored.has(url)) outside.set(url, node);
    return node;
  };
  const citations = new Map<string, Row>();
  for (const { from, node } of known)
    if (nodeOf(from) !== node) citations.set(`${nodeOf(from)} ${node}`, [nodeOf(from), node]);
  await addNodes(scratch, known, { stored, outside });
  const present = new Set(
    ((await scratch.all('select source, target from citation')) as readonly [number, number][]).map(
      ([source, target]) => `${source} ${target}`,
    ),
  );
  await scratch.insert(
    'citation',
    [...citations].flatMap(([key, row]) => (present.has(key) ? [] : [row])),
  );
  return new Map([...outside].map(([url, node]) => [node, url]));
}

interface TopicPage {
  readonly node: number;
  readonly relevance: number;
}

/** The topic's pages in the base set that are among these URLs. */
async function topicPages(scratch: Scratch, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, TopicPage>> {
  const rows = (await scratch.all(
    `select s.node, s.relevance, p.url, p.final_url from source_node s
    join page p on p.sequence = s.node where s.positive = 1`,
  )) as readonly (readonly [number, number, string, string])[];
  const pages = new Map<string, TopicPage>();
  for (const [node, relevance, url, finalUrl] of rows)
    for (const each of [url, finalUrl]) if (wanted.has(each)) pages.set(each, { node, relevance });
  return pages;
}

/** Sequences of stored pages by URL. */
async function storedPages(scratch: Scratch, urls: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const url of new Set(urls)) {
    const id = await findUrl(scratch.db, url);
    if (id === undefined) continue;
    const page = await numberOf(scratch, 'select max(page) from alias where url_id = ? and page > 0', [id]);
    if (page > 0) found.set(url, page);
  }
  return found;
}

async function addNodes(
  scratch: Scratch,
  known: readonly { readonly from: string; readonly relevance: number }[],
  { stored, outside }: { readonly stored: ReadonlyMap<string, number>; readonly outside: ReadonlyMap<string, number> },
): Promise<void> {
  const byPage = Map.groupBy(known, ({ from }) => from);
  const rows = [...outside].map(([url, node]): Row => {
    const cited = byPage.get(url) ?? [];
    const mean = cited.reduce((sum, { relevance }) => sum + relevance, 0) / Math.max(1, cited.length);
    return [node, hostOf(url), mean, 0];
  });
  await scratch.insert('source_node', rows);
  const absent = scratch.dialect.insertAbsent;
  for (const page of new Set(stored.values()))
    await scratch.run(
      `${absent} into source_node select p.sequence, p.host, coalesce(p.relevance, 0e0), 0 from page p where p.sequence = ?`,
      [page],
    );
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}
