import { shortTitle } from '../markup.ts';
import type { Change, Day } from './changes.ts';
import { html, type Markup } from './html.ts';
import { langOf, type PortalView, siteName, wholeTitle } from './parts.ts';
import { shell } from './shell.ts';
import type { PortalWords } from './words.ts';

/** Number of days shown on the first page. */
const LATELY = 5;

/** Returns the page of changes: new, changed, moved, returned and removed pages, day by day. */
export function changePage(view: PortalView): string {
  const { words, title } = view;
  const { days, updatedAt } = view.contents;
  return shell(
    view,
    {
      ...{ title: words.text('whatChanged'), path: 'changes.html', updatedAt },
      description: words.text('whatChangedIn', { portal: title }),
    },
    html`<h1>${words.text('whatChanged')}</h1>
<p class="lead">${words.text('changedDays')}</p>
${days.length === 0 ? html`<p class="empty">${words.text('nothingYet')}</p>` : undefined}
${days.map((day) => daySection(day, view))}`,
  );
}

/** Returns the last days, one line each, for the first page. */
export function lately({ contents: { days }, words }: PortalView): Markup | undefined {
  if (days.length === 0) return undefined;
  return html`<h2 id="lately">${words.text('lately')}</h2>
<ul class="lately">
${days.slice(0, LATELY).map((day) => html`<li><a href="changes.html#d${day.name}"><time datetime="${day.name}">${day.name}</time></a> <span class="facts">${sumOf(day, words)}</span></li>\n`)}</ul>`;
}

function daySection(day: Day, view: PortalView): Markup {
  return html`<section>
<h2 id="d${day.name}"><time datetime="${day.name}">${day.name}</time></h2>
<p class="about">${sumOf(day, view.words)}${isCut(day) ? html`; ${view.words.text('mostRelevant')}` : undefined}.</p>
<ul class="rows">
${day.changes.map((change) => changeRow(change, view))}</ul>
</section>
`;
}

/** `12 new, 3 changed` */
function sumOf({ counts }: Day, words: PortalWords): string {
  return (['new', 'changed', 'moved', 'back', 'left'] as const)
    .flatMap((kind) => (counts[kind] > 0 ? [words.form('countOfKind', kind, counts[kind])] : []))
    .join(', ');
}

function isCut({ counts, changes }: Day): boolean {
  return Object.values(counts).reduce((sum, n) => sum + n, 0) > changes.length;
}

function changeRow(change: Change, { contents, words }: PortalView): Markup {
  const { kind, address, isListed, topic, why, target } = change;
  const shown = shortTitle(wholeTitle(change));
  // A removed page is not linked, because the link would be broken.
  const name = isListed
    ? link(address, shown, langOf(change, words))
    : html`<bdi${langOf(change, words)}>${shown}</bdi>`;
  const place = contents.topics.get(topic);
  const about =
    kind === 'left'
      ? html` · <span>${words.text(why)}</span>${toTarget(target)}`
      : kind === 'moved'
        ? fromTarget(target, words)
        : undefined;
  return html`<li><span class="kind kind-${kind}">${words.text(kind)}</span> ${name} <span class="facts"><span class="site">${siteName(hostOf(address))}</span>${place && html` · <a href="topics/${place.slug}.html"><bdi>${place.name}</bdi></a>`}${about}</span></li>
`;
}

function link(address: string, text: string, lang?: Markup): Markup {
  return html`<a href="${address}" rel="noopener nofollow" dir="auto"${lang}>${text}</a>`;
}

function toTarget(target: string | undefined): Markup | undefined {
  return target === undefined ? undefined : html`: ${link(target, target)}`;
}

function fromTarget(from: string | undefined, words: PortalWords): Markup | undefined {
  return from === undefined ? undefined : html` · ${words.markup('from', { page: html`<bdi>${from}</bdi>` })}`;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? '';
}
