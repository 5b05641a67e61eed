import type { PortalTopic } from './contents.ts';
import { type DateBar, dateBars } from './dates.ts';
import { html, type Markup } from './html.ts';
import { badge, langOf, type PortalView, titleOf } from './parts.ts';
import type { LinkedPage, TopicLinks } from './topic-links.ts';
import { MAP_SIZE, type MapPlace, type TopicMap } from './topic-maps.ts';
import type { PortalWords } from './words.ts';

/** Pictures of a topic's page. Each is a small SVG in the colours of the theme, beside a list that says the same. */
export const PICTURES = ['map', 'links', 'dates'] as const;
export type PictureName = (typeof PICTURES)[number];

/** Returns a picture of a topic; `undefined` if there is nothing to see. */
export function picture(name: PictureName, topic: PortalTopic, view: PortalView): Markup | undefined {
  if (name === 'map') return mapPicture(view.maps[topic.id], view);
  if (name === 'links') return linkPicture(view.links.get(topic.id), view);
  return datePicture(topic, view);
}

/** True if a topic has this picture. */
export function hasPicture(name: PictureName, topic: PortalTopic, view: PortalView): boolean {
  if (name === 'map') return (view.maps[topic.id]?.groups.length ?? 0) > 0;
  if (name === 'links') return view.links.has(topic.id);
  return barsOf(topic, view).length > 0;
}

const MAP_MARGIN = 4;

/** Draws a dot for each page in the colour of its group, and the number of each group in its middle. */
function mapPicture(map: TopicMap | undefined, view: PortalView): Markup | undefined {
  if (map === undefined || map.groups.length === 0) return undefined;
  const { words } = view;
  const size = MAP_SIZE + 2 * MAP_MARGIN;
  const members = map.groups.map((_, group) => map.places.filter((place) => place.group === group));
  const label = words.text('mapLabel', { pages: words.counted('pages', map.places.length), n: map.groups.length });
  const share = (own: readonly MapPlace[]): number => Math.round((100 * own.length) / map.places.length);
  return html`<div class="map">
<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}">${members.map((own, group) => html`<path class="group-${group}" d="${own.map(dot).join('')}"/>`)}${members.map(numbered)}</svg>
<ol class="groups">
${map.groups.map((group, i) => groupItem({ ...group, number: i, share: share(members[i]!) }, view))}</ol>
</div>`;
}

/** A line of no length with round ends: the shortest way to write a dot. */
function dot({ x, y }: MapPlace): string {
  return `M${x + MAP_MARGIN} ${y + MAP_MARGIN}h0`;
}

function numbered(own: readonly MapPlace[], group: number): Markup | undefined {
  if (own.length === 0) return undefined;
  const middle = (axis: 'x' | 'y'): number =>
    Math.round(MAP_MARGIN + own.reduce((sum, place) => sum + place[axis], 0) / own.length);
  return html`<text x="${middle('x')}" y="${middle('y') + 2}">${group + 1}</text>`;
}

interface Group {
  readonly words: readonly string[];
  readonly typical: readonly number[];
  readonly number: number;
  /** Percentage of the pages. */
  readonly share: number;
}

function groupItem({ words: own, typical, number, share }: Group, view: PortalView): Markup {
  const pages = typical.flatMap((sequence) => view.pageOf.get(sequence) ?? []);
  return html`<li><p class="group"><span class="swatch group-${number}" aria-hidden="true">${number + 1}</span><span><b dir="auto">${own.join(', ')}</b><span class="count">${share} %</span></span></p>
<p class="facts">${pages.map((page, i) => html`${i === 0 ? undefined : html` · `}<a href="${page.address}" rel="noopener nofollow" dir="auto"${langOf(page, view.words)}>${titleOf(page)}</a>`)}</p></li>
`;
}

/** Height of a row of the link picture, and width of its arcs, in the units of its drawing. */
const ROW = 28;
const ARCS = 120;
/** Rows per rem: a row is as high as a line of the list beside it. */
const ROW_REM = 1.75;

/** Draws the pages as dots one below the other, and their links as arcs, beside the list of the pages. */
function linkPicture(linked: TopicLinks | undefined, view: PortalView): Markup | undefined {
  if (linked === undefined) return undefined;
  const { pages, links } = linked;
  const { words } = view;
  const label = words.text('linksLabel', { pages: words.counted('pages', pages.length), n: links.length });
  const height = ROW * pages.length;
  const most = Math.max(1, ...pages.map(({ linkedBy }) => linkedBy));
  const at = (place: number): number => ROW * place + ROW / 2;
  const edge = ARCS - 14;
  const arcs = links.map(([from, to]) => {
    const reach = Math.max(10, Math.min(edge - 4, (Math.abs(to - from) / pages.length) * edge * 1.35));
    return `M${edge} ${at(from)}C${Math.round(edge - reach)} ${at(from)} ${Math.round(edge - reach)} ${at(to)} ${edge} ${at(to)}`;
  });
  const dots = pages.map(
    ({ linkedBy }, i) => html`<circle cx="${edge}" cy="${at(i)}" r="${(3 + (5 * linkedBy) / most).toFixed(1)}"/>`,
  );
  return html`<div class="arcs">
<svg viewBox="0 0 ${ARCS} ${height}" width="${(ARCS / ROW) * ROW_REM}rem" height="${pages.length * ROW_REM}rem" role="img" aria-label="${label}"><path d="${arcs.join('')}"/>${dots}</svg>
<ol>
${pages.map((one) => linkedItem(one, view))}</ol>
</div>`;
}

function linkedItem({ page, linkedBy, linksTo }: LinkedPage, { words }: PortalView): Markup {
  const facts = [
    ...(linkedBy > 0 ? [words.counted('linkedBy', linkedBy)] : []),
    ...(linksTo > 0 ? [words.counted('linksTo', linksTo)] : []),
  ];
  return html`<li>${badge(page.site)}<a href="${page.address}" rel="noopener nofollow" dir="auto"${langOf(page, words)}>${titleOf(page)}</a> <span class="facts">${facts.join(', ')}</span></li>
`;
}

function barsOf({ first, end }: PortalTopic, { contents }: PortalView): readonly DateBar[] {
  return dateBars(contents.pages.slice(first, end), contents.updatedAt);
}

const BAR = 10;
const BARS_HEIGHT = 60;

/** Draws the pages per year or month as bars, with the same numbers as a table to open. */
function datePicture(topic: PortalTopic, view: PortalView): Markup | undefined {
  const bars = barsOf(topic, view);
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const { words } = view;
  const most = Math.max(...bars.map(({ pages }) => pages));
  const pages = words.counted(
    'pages',
    bars.reduce((sum, bar) => sum + bar.pages, 0),
  );
  const label = words.text('datesLabel', { pages, first: first.name, last: last.name });
  return html`<figure class="dates">
<svg viewBox="0 0 ${BAR * bars.length} ${BARS_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${bars.map((bar, i) => dateBar(bar, { at: i, most, words }))}</svg>
<figcaption><span>${first.name}</span><span>${label}</span><span>${last.name}</span></figcaption>
</figure>
<details><summary>${words.text('asTable')}</summary>
<ul class="numbers">
${bars.filter((bar) => bar.pages > 0).map((bar) => html`<li>${bar.name}<span class="count">${words.number(bar.pages)}</span></li>\n`)}</ul></details>`;
}

interface BarPlace {
  readonly at: number;
  readonly most: number;
  readonly words: PortalWords;
}

function dateBar({ name, pages }: DateBar, { at, most, words }: BarPlace): Markup | undefined {
  if (pages === 0) return undefined;
  const height = Math.max(2, Math.round((BARS_HEIGHT * pages) / most));
  return html`<rect x="${at * BAR + 1}" y="${BARS_HEIGHT - height}" width="${BAR - 2}" height="${height}"><title>${name}: ${words.counted('pages', pages)}</title></rect>`;
}
