import { counted } from '../../kit/index.ts';
import { shortTitle } from '../markup.ts';
import type { Change, ChangeKind, Day } from './changes.ts';
import { html, type Markup } from './html.ts';
import { langOf, type PortalView, siteName, wholeTitle } from './parts.ts';
import { shell } from './shell.ts';

const NAMES: Readonly<Record<ChangeKind, string>> = {
  new: 'New',
  changed: 'Changed',
  moved: 'Moved',
  back: 'Back',
  left: 'Left',
};

/** Number of days shown on the first page. */
const LATELY = 5;

/** Returns the page of changes: new, changed, moved, returned and removed pages, day by day. */
export function changePage(view: PortalView): string {
  const { contents, title } = view;
  const { days, updatedAt } = contents;
  return shell(
    { title: 'What changed', portal: title, root: '', description: `What changed in ${title}`, updatedAt },
    html`<h1>What changed</h1>
<p class="lead">Pages that were found, that changed, moved or came back, and pages that are listed no more. Days are UTC.</p>
${days.length === 0 ? html`<p class="empty">Nothing yet.</p>` : undefined}
${days.map((day) => daySection(day, view))}`,
  );
}

/** Returns the last days, one line each, for the first page. */
export function lately({ contents: { days } }: PortalView): Markup | undefined {
  if (days.length === 0) return undefined;
  return html`<h2 id="lately">Lately</h2>
<ul class="lately">
${days.slice(0, LATELY).map((day) => html`<li><a href="changes.html#d${day.name}"><time datetime="${day.name}">${day.name}</time></a> <span class="facts">${sumOf(day)}</span></li>\n`)}</ul>`;
}

function daySection(day: Day, view: PortalView): Markup {
  return html`<section>
<h2 id="d${day.name}"><time datetime="${day.name}">${day.name}</time></h2>
<p class="about">${sumOf(day)}${isCut(day) ? html`; the most relevant are shown` : undefined}.</p>
<ul class="rows">
${day.changes.map((change) => changeRow(change, view))}</ul>
</section>
`;
}

/** `12 new pages, 3 changed` */
function sumOf({ counts }: Day): string {
  const parts = [
    counts.new > 0 ? counted(counts.new, 'new page') : '',
    ...(['changed', 'moved', 'back', 'left'] as const).map((kind) =>
      counts[kind] > 0 ? `${counts[kind]} ${kind}` : '',
    ),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function isCut({ counts, changes }: Day): boolean {
  return Object.values(counts).reduce((sum, n) => sum + n, 0) > changes.length;
}

function changeRow(change: Change, { contents }: PortalView): Markup {
  const { kind, address, isListed, topic, why, target } = change;
  const shown = shortTitle(wholeTitle(change));
  // A removed page is not linked, because the link would be broken.
  const name = isListed ? link(address, shown, langOf(change)) : html`<bdi${langOf(change)}>${shown}</bdi>`;
  const place = contents.topics.get(topic);
  const about =
    kind === 'left'
      ? html` · <span>${why}</span>${toTarget(target)}`
      : kind === 'moved'
        ? fromTarget(target)
        : undefined;
  return html`<li><span class="kind kind-${kind}">${NAMES[kind]}</span> ${name} <span class="facts"><span class="site">${siteName(hostOf(address))}</span>${place && html` · <a href="topics/${place.slug}.html"><bdi>${place.name}</bdi></a>`}${about}</span></li>
`;
}

function link(address: string, text: string, lang?: Markup): Markup {
  return html`<a href="${address}" rel="noopener nofollow" dir="auto"${lang}>${text}</a>`;
}

function toTarget(target: string | undefined): Markup | undefined {
  return target === undefined ? undefined : html`: ${link(target, target)}`;
}

function fromTarget(from: string | undefined): Markup | undefined {
  return from === undefined ? undefined : html` · from <bdi>${from}</bdi>`;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? '';
}
