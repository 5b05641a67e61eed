import type { ReactNode } from 'react';
import type { PageFacets, SqlRows } from '../../workbench/index.ts';
import { api } from './api.ts';
import { Busy, Problem, useLoaded } from './parts.tsx';
import { addressOf } from './route.ts';

/** Hubs and authorities shown. */
const SHOWN = 15;
const ROW = 26;
/** Space for the links. */
const GAP = 220;
const NAME_CHARS = 44;
/** Greatest width of a character, on average. */
const CHAR_WIDTH = 7.5;
/** Names are at least as wide as the headings. */
const LEAST_CHARS = 26;

interface Node {
  readonly page: number;
  readonly title: string;
  readonly url: string;
}

interface LinkGraph {
  readonly hubs: readonly Node[];
  readonly authorities: readonly Node[];
  /** From a hub to an authority, by sequence. */
  readonly links: readonly (readonly [hub: number, authority: number])[];
}

/** The best hubs of a topic on the left, its best authorities on the right, and the links between them. */
export function LinkGraph({ name, topic }: { readonly name: string; readonly topic: string }): ReactNode {
  const { value, problem, isBusy } = useLoaded(`links ${name} ${topic}`, () => graphOf(name, topic));
  const { hubs, authorities, links } = value ?? { hubs: [], authorities: [], links: [] };
  const chars = Math.max(LEAST_CHARS, ...[...hubs, ...authorities].map((node) => nameOf(node).length));
  const left = chars * CHAR_WIDTH;
  const right = left + GAP;
  const width = right + left;
  const height = ROW * Math.max(hubs.length, authorities.length) + 30;
  const y = (nodes: readonly Node[], page: number): number => 34 + ROW * nodes.findIndex((node) => node.page === page);
  const text = `${hubs.length} link collections, ${authorities.length} widely cited pages, ${links.length} links between them.`;
  return (
    <section>
      <h2>Link collections and what they cite</h2>
      <Problem text={problem} />
      {isBusy ? <Busy what="Reading the links" /> : null}
      {value === undefined || authorities.length === 0 ? (
        <p className="soft">{value === undefined || isBusy ? '' : 'Link analysis has not found any yet.'}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen the keyboard scrolls it
        <figure className="wide" tabIndex={0}>
          <svg width={width} height={height} className="links">
            <title>{text}</title>
            <text x={left - 8} y={12} textAnchor="end">
              Link collections (hubs)
            </text>
            <text x={right + 8} y={12}>
              Widely cited (authorities)
            </text>
            {links.map(([hub, authority]) => (
              <line
                key={`${hub} ${authority}`}
                x1={left}
                y1={y(hubs, hub) - 4}
                x2={right}
                y2={y(authorities, authority) - 4}
              />
            ))}
            {(['hub', 'authority'] as const).map((side) =>
              (side === 'hub' ? hubs : authorities).map((node) => (
                <a key={`${side} ${node.page}`} href={addressOf(name, 'search', { page: node.url })}>
                  <title>{node.title || node.url}</title>
                  <text
                    x={side === 'hub' ? left - 8 : right + 8}
                    y={y(side === 'hub' ? hubs : authorities, node.page)}
                    textAnchor={side === 'hub' ? 'end' : 'start'}
                  >
                    {nameOf(node)}
                  </text>
                </a>
              )),
            )}
          </svg>
          <figcaption className="soft">{text}</figcaption>
        </figure>
      )}
    </section>
  );
}

/** Publication years and days of fetching of accepted pages. */
export function Timeline({ name, topic }: { readonly name: string; readonly topic: string }): ReactNode {
  const { value, problem, isBusy } = useLoaded(`time ${name} ${topic}`, () => timesOf(name, topic));
  return (
    <section>
      <h2>Timeline</h2>
      <Problem text={problem} />
      {isBusy ? (
        <Busy what="Counting" />
      ) : (
        <>
          <Bars label="Published" bars={value?.published ?? []} empty="No page says when it was published." />
          <Bars label="Fetched" bars={value?.fetched ?? []} empty="No page yet." />
        </>
      )}
    </section>
  );
}

/** Width of a bar, in the units of its drawing; few bars do not fill it. */
const BAR = 10;
const LEAST_BARS = 20;

type Bar = readonly [label: string, pages: number];

function Bars({
  label,
  bars,
  empty,
}: {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly empty: string;
}): ReactNode {
  if (bars.length === 0) return <p className="soft">{empty}</p>;
  const most = Math.max(...bars.map(([, pages]) => pages));
  const text = `${label}: ${bars[0]?.[0]} to ${bars.at(-1)?.[0]}, at most ${most} pages.`;
  return (
    <figure>
      <svg
        viewBox={`0 0 ${BAR * Math.max(LEAST_BARS, bars.length)} 80`}
        preserveAspectRatio="none"
        className="bars"
        role="img"
        aria-label={text}
      >
        {bars.map(([value, pages], i) => (
          <rect
            key={value}
            x={i * BAR + 1}
            y={80 - (80 * pages) / most}
            width={BAR - 2}
            height={(80 * pages) / most}
            className="bar"
          >
            <title>{`${value}: ${pages}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption className="soft">{text}</figcaption>
    </figure>
  );
}

async function ask(name: string, query: string): Promise<SqlRows['rows']> {
  return (await api(name).post<SqlRows>('/sql', { query, limit: 5_000 })).rows;
}

/** Returns text as a string of SQL. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('\\', '')}'`;
}

async function graphOf(name: string, topic: string): Promise<LinkGraph> {
  if (topic === '') return { hubs: [], authorities: [], links: [] };
  const best = (score: 'hub' | 'authority'): string =>
    `select page.sequence as page, max(page.title) as title, max(page.final_url) as url, max(link_score.${score}) as score ` +
    'from link_score join alias on alias.url_id = link_score.url_id join page on page.sequence = alias.page ' +
    `where link_score.topic = ${quoted(topic)} and link_score.${score} > 0 group by page.sequence order by score desc limit ${SHOWN}`;
  const nodes = async (score: 'hub' | 'authority'): Promise<readonly Node[]> =>
    (await ask(name, best(score))).map(([page, title, url]) => {
      return { page: Number(page), title: String(title ?? ''), url: String(url) };
    });
  const hubs = await nodes('hub');
  const authorities = await nodes('authority');
  const numbers = (of: readonly Node[]): string => of.map(({ page }) => page).join(', ') || '0';
  const links = await ask(
    name,
    'select distinct link.page, alias.page from link join alias on alias.url_id = link.target ' +
      `where link.page in (${numbers(hubs)}) and alias.page in (${numbers(authorities)}) and link.page <> alias.page`,
  );
  return { hubs, authorities, links: links.map(([hub, authority]) => [Number(hub), Number(authority)] as const) };
}

async function timesOf(
  name: string,
  topic: string,
): Promise<{ readonly published: readonly Bar[]; readonly fetched: readonly Bar[] }> {
  if (topic === '') return { published: [], fetched: [] };
  const within = `others = 0 and replaced_by is null and topic = ${quoted(topic)}`;
  const bars = (rows: SqlRows['rows']): readonly Bar[] => rows.map(([value, pages]) => [String(value), Number(pages)]);
  const facets = await api(name).get<PageFacets>('/facets', { topic });
  const years = await ask(
    name,
    `select substr(page_field.text, 1, 4), count(*) from page_field join page on page.sequence = page_field.page where page_field.name = 'bib.published' and ${within} group by 1 order by 1`,
  ).catch(() => []);
  return {
    published: bars(years).filter(([year]) => /^\d{4}$/.test(year)),
    fetched: facets.day.map(({ value, pages }): Bar => [value, pages]).reverse(),
  };
}

function nameOf({ title, url }: Node): string {
  const text = title || url;
  return text.length > NAME_CHARS ? `${text.slice(0, NAME_CHARS - 1)}…` : text;
}
