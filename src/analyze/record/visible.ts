import { PARAGRAPH, paragraphKind, paragraphValue } from '../../core/index.ts';
import type { Block, Layout } from '../html/layout.ts';
import { dayWithin } from './dates.ts';
import type { Statement } from './statements.ts';

/** Paragraphs after and before the headline that may have the date. Our choice. */
const AFTER = 8;
const BEFORE = 4;
/** A paragraph with more characters is text; it may begin with the date. */
const LINE_CHARS = 140;
const BEGINNING_CHARS = 40;
const MAX_HEADLINE_CHARS = 300;
/** Headings that are compared with the title. */
const MAX_HEADINGS = 40;

/** What a reader sees of a page. */
export interface VisiblePage {
  readonly layout: Layout;
  readonly title: string;
  /** Language that the page declares, or `''`. */
  readonly language: string;
  /** Dates in `<time>`, with their offsets in the layout. */
  readonly times: readonly Time[];
}

interface Time {
  readonly value: string;
  readonly at: number;
}

/** The lines around the headline of a page: those after it, then those before it from the nearest on. */
export class Surroundings {
  readonly #page: VisiblePage;
  #headline: number | undefined;
  #near: readonly string[] | undefined;

  constructor(page: VisiblePage) {
    this.#page = page;
  }

  /** Returns the `<time>` near the headline, one after it before one before it; else the first. Others are those of related pages. */
  time(): readonly Statement[] {
    const { times, layout } = this.#page;
    const [only] = times;
    if (only === undefined) return [];
    const chosen = times.length === 1 ? only : (this.#nearest(layout.blocks) ?? only);
    return [{ field: 'published', source: 'elements', value: chosen.value }];
  }

  #nearest(blocks: readonly Block[]): Time | undefined {
    const { times } = this.#page;
    const headline = blocks[this.#at];
    if (headline === undefined) return undefined;
    const first = blocks[Math.max(0, this.#at - BEFORE)]!.start;
    const last = blocks[Math.min(blocks.length - 1, this.#at + AFTER)]!.end;
    return (
      times.find(({ at }) => at >= headline.start && at <= last) ??
      times.findLast(({ at }) => at >= first && at < headline.start)
    );
  }

  /** Finds the day of publication. */
  date(): readonly Statement[] {
    const isMonthFirst = /^en(?:-us)?$/i.test(this.#page.language);
    for (const line of this.#lines()) {
      const value = dayWithin(line, isMonthFirst);
      if (value !== undefined) return [{ field: 'published', source: 'text', value }];
    }
    return [];
  }

  /** Finds a line such as `By Ada Byron`. */
  authors(): readonly Statement[] {
    for (const line of this.#lines()) {
      if (!BEFORE_NAME.has(/\p{L}+/u.exec(line)?.[0].toLowerCase() ?? '')) continue;
      const value = BYLINE.exec(line)?.[1];
      if (value !== undefined && isFullName(value)) return [{ field: 'authors', source: 'text', value }];
    }
    return [];
  }

  get #at(): number {
    this.#headline ??= headlineOf(this.#page.layout, this.#page.title);
    return this.#headline;
  }

  #lines(): readonly string[] {
    this.#near ??= linesAround(this.#page.layout, this.#at);
    return this.#near;
  }
}

function linesAround(layout: Layout, at: number): readonly string[] {
  const { blocks } = layout;
  if (at < 0) return [];
  const before = blocks.slice(Math.max(0, at - BEFORE), at).reverse();
  return [...blocks.slice(at + 1, at + 1 + AFTER), ...before].map((block) => beginningOf(layout, block));
}

/** First words of a {@link BYLINE}: a look at them is faster than the pattern. */
const BEFORE_NAME: ReadonlySet<string> = new Set(
  `by von par por di door av af author autorin autor auteur text tekst words written posted submitted published gepostet geschrieben
verfasst eingestellt gespeichert erstellt publié escrito publicado scritto ein`.split(/\s+/),
);

/** A name after a word such as `by`, up to a sign, a number or another preposition. */
const BYLINE =
  /^[\s\p{P}\p{S}]*(?:(?:written|posted|submitted|published|gepostet|geschrieben|verfasst|eingestellt|gespeichert|erstellt|publié|escrito|publicado|scritto|ein (?:artikel|beitrag)) )?(?:by|von|par|por|di|door|av|af|author|autorin|autor|auteur|text|tekst|words):? ([^\d,;:|()<>•·–—/@]{3,60}?)(?=[\d,;:|()<>•·–—/@]|\s-\s|\s(?:on|am|vom|at|um|in|le|el|il|den|published|updated)\s|$)/iu;

/** Whether it has two to four words that begin with capitals, apart from `von`, `de` and the like. */
function isFullName(text: string): boolean {
  const words = text.trim().split(/\s+/);
  const names = words.filter((word) => /^\p{Lu}/u.test(word));
  return (
    names.length >= 2 &&
    words.length <= 5 &&
    words.every(
      (word) =>
        /^\p{Lu}[\p{L}\p{M}.'’-]*$/u.test(word) ||
        /^(?:von|van|der|den|de|del|della|da|di|du|la|le|el|al|bin|ten|zu|y|e)$/.test(word),
    )
  );
}

/** Returns a short line, or the beginning of a longer paragraph. */
function beginningOf(layout: Layout, { start, end }: Block): string {
  return layout.slice(start, end - start > LINE_CHARS ? start + BEGINNING_CHARS : end);
}

/** Returns the index of the heading that the title names, else of the first heading of the highest level; -1 without headings. */
function headlineOf(layout: Layout, title: string): number {
  const letters = lettersOf(title);
  let [first, level, seen] = [-1, 7, 0];
  for (const [i, block] of layout.blocks.entries()) {
    if (paragraphKind(block.kind) !== PARAGRAPH.heading) continue;
    if (++seen > MAX_HEADINGS) break;
    if (block.end - block.start > MAX_HEADLINE_CHARS) continue;
    const text = lettersOf(layout.slice(block.start, block.end));
    if (text.length > 8 && (letters.includes(text) || text.includes(letters))) return i;
    if (paragraphValue(block.kind) < level) [first, level] = [i, paragraphValue(block.kind)];
  }
  return first;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
