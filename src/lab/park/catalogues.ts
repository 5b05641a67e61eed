import { escapeHtml } from '../../analyze/index.ts';
import { type CanonicalUrl, canonicalize } from '../../core/index.ts';
import { budgetFor, type Task } from '../tasks/task.ts';
import type { FrozenPage } from '../web/frozen-web.ts';
import { MadeWeb } from '../web/generated-web.ts';
import { type CatalogueKind, type CatalogueStyle, catalogueStyle, itemOf, type NewItem } from './catalogue-items.ts';
import { chanceOf, inventName, OTHER_SUBJECTS, pick, prose, sample, TOPIC_SUBJECT, titleOf } from './words.ts';

/** Items per list. */
const PER_LIST = 40;
const EXAMPLES = 3;
const OTHERS = 20;
/** Other sites, all of other subjects, and the pages of each. */
const PLAIN_SITES = 24;
const PLAIN_PAGES = 12;

/** A web with one catalogue, and its relevant pages. */
export interface CatalogueWeb {
  readonly web: MadeWeb;
  readonly task: Task;
  /** Topic paths by page, as the labels of a frozen web. */
  readonly labels: ReadonlyMap<CanonicalUrl, readonly string[]>;
}

interface Draft {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly links: string[];
}

/**
 * Builds an honest catalogue among sites of other subjects: one page per item, similar in wording, about half of them
 * on the topic. Sizes, addresses, lists and wording are drawn from the seed.
 */
export function catalogueWeb(kind: CatalogueKind, seed: number): CatalogueWeb {
  const random = chanceOf(seed, 'catalogue', kind);
  const style = catalogueStyle(kind, seed);
  const host = `${inventName(random)}${inventName(random)}.test`.toLowerCase();
  const pages = new Map<string, Draft>();
  const items = drawItems(style, 120 + Math.floor(random() * 180));
  const address = (item: NewItem): string => `http://${host}${item.path}`;
  const lists = addLists(pages, { host, style, items, address });
  const plain = addPlainSites(pages, seed);
  for (const [i, item] of items.entries()) {
    const links = [lists[Math.floor(i / PER_LIST)]!, `http://${host}/`];
    const near = style.isChained ? [items[i - 1], items[i + 1]] : sample(items, style.related, random);
    links.push(...near.flatMap((other) => (other === undefined ? [] : [address(other)])));
    if (random() < 0.2) links.push(pick(plain, random));
    pages.set(address(item), { title: item.title, paragraphs: item.paragraphs, links });
  }
  const relevant = items.filter(({ isRelevant }) => isRelevant).map(address);
  const start = 'http://start.test/';
  pages.set(start, { title: 'Start', paragraphs: [], links: [`http://${host}/`, ...sample(plain, 12, random)] });
  const [examples, others] = [sample(relevant, EXAMPLES, random), sample(plain, OTHERS, random)];
  const url = (address: string): CanonicalUrl => canonicalize(address)!;
  return {
    web: new MadeWeb(
      `catalogue of ${kind}`,
      [...pages].map(([address, draft]) => render(url(address), draft)),
    ),
    labels: new Map(relevant.map((address) => [url(address), [TOPIC_SUBJECT]])),
    task: {
      ...{ id: kind, family: kind, web: kind, kind: 'catalogue', baseline: {} },
      topics: [{ name: TOPIC_SUBJECT, labels: [TOPIC_SUBJECT], examples: examples.map(url) }],
      ...{ seeds: [url(start)], others: others.map(url), budget: Math.max(pages.size, budgetFor(pages.size)) },
      ...{ reachable: undefined, scored: undefined, oracleArea: undefined },
    },
  };
}

function drawItems(style: CatalogueStyle, size: number): readonly NewItem[] {
  const items = new Map<string, NewItem>();
  for (let n = 1; items.size < size; n++) {
    const item = itemOf(style, n);
    items.set(item.path, item);
  }
  return [...items.values()];
}

interface Lists {
  readonly host: string;
  readonly style: CatalogueStyle;
  readonly items: readonly NewItem[];
  readonly address: (item: NewItem) => string;
}

/** Adds the front page and the lists, each item on one of them. @returns their addresses */
function addLists(pages: Map<string, Draft>, { host, style, items, address }: Lists): readonly string[] {
  const lists = Array.from(
    { length: Math.ceil(items.length / PER_LIST) },
    (_, i) => `http://${host}${style.listPath(i + 1)}`,
  );
  pages.set(`http://${host}/`, { title: style.name, paragraphs: [style.boilerplate], links: [...lists] });
  for (const [i, list] of lists.entries()) {
    const links = items.slice(i * PER_LIST, (i + 1) * PER_LIST).map(address);
    pages.set(list, { title: `${style.name}, page ${i + 1}`, paragraphs: [], links });
  }
  return lists;
}

/** @returns addresses of all pages of the sites */
function addPlainSites(pages: Map<string, Draft>, seed: number): readonly string[] {
  const sites = Array.from({ length: PLAIN_SITES }, (_, n) => {
    const subject = OTHER_SUBJECTS[n % OTHER_SUBJECTS.length]!;
    const random = chanceOf(seed, 'beside', n);
    const host = `${subject}-${inventName(random).toLowerCase()}${n}.test`;
    const drafts = Array.from({ length: PLAIN_PAGES }, (_, i): readonly [string, Draft] => {
      const title = titleOf(subject, random);
      const path = i === 0 ? '/' : `/${i}-${title.replaceAll(' ', '-')}.html`;
      return [`http://${host}${path}`, { title, paragraphs: prose(subject, 150, random), links: [] }];
    });
    return drafts;
  });
  const all = sites.flatMap((drafts) => drafts.map(([address]) => address));
  for (const drafts of sites) {
    const random = chanceOf(seed, 'links', drafts[0]![0]);
    const own = drafts.map(([address]) => address);
    for (const [address, draft] of drafts) {
      draft.links.push(...sample(own, 4, random), pick(all, random));
      pages.set(address, draft);
    }
    drafts[0]![1].links.push(...own);
  }
  return all;
}

function render(url: CanonicalUrl, { title, paragraphs, links }: Draft): FrozenPage {
  const lines = [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
    `<main><h1>${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    `</main><nav><ul>${links.map((link) => `<li><a href="${escapeHtml(link)}">${escapeHtml(nameOf(link))}</a></li>`).join('')}</ul></nav>`,
    '</body></html>',
  ];
  const headers = [['Content-Type', 'text/html; charset=utf-8']] as const;
  return { url, status: 200, headers, body: Buffer.from(lines.join('\n')), recordedAt: 0, breaksOff: false };
}

/** Returns the text of a link: the last part of its address. */
function nameOf(link: string): string {
  const path = link.replace(/^https?:\/\/[^/]+/, '');
  return (
    path
      .split(/[^\p{L}\p{N}]+/u)
      .slice(-4)
      .join(' ')
      .trim() || 'home'
  );
}
