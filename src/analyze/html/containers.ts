import { LINK_FLAG } from '../../core/index.ts';
import type { TagAttributes } from './attributes.ts';
import { isBoilerplateRole, isSectionClass, placeIn, SAYS } from './boilerplate.ts';
import type { Part } from './boilerplate-names.ts';
import type { Layout, Place } from './layout.ts';
import { HEADINGS, TAG, TAG_COUNT, type Tag, tagNamed } from './tags.ts';

/** Deeper elements are read, but not tracked. */
const MAX_DEPTH = 2_000;
/** Maximum number of levels to search for an open table cell. */
const CELL_SEARCH_DEPTH = 32;
/** A list is a list of links if it has this many links and they make up more than this share of its text. */
const LIST_MIN_LINKS = 3;
const LIST_LINK_SHARE = 0.5;

const PARAGRAPH = tagNamed('p');
const TABLE = tagNamed('table');
const CELLS: readonly Tag[] = [tagNamed('td'), tagNamed('th')];
/** Inline elements that programs wrap around a whole paragraph. */
const WRAPPING: ReadonlySet<Tag> = new Set(['span', 'small', 'time', 'strong'].map(tagNamed));
const HEADER = tagNamed('header');
const FORM = tagNamed('form');
const SECTION = tagNamed('section');
const MAIN = tagNamed('main');
/** A header inside one of these belongs to the article, not the site. */
const ARTICLES: readonly Tag[] = [tagNamed('article'), tagNamed('main'), SECTION];
/** For these, the tag counts and the name is ignored. */
const NAMELESS: ReadonlySet<Tag> = new Set([tagNamed('article'), tagNamed('main')]);
/** An open item of these ends at the next item of its list or table. */
const ITEMS: ReadonlyMap<Tag, readonly Tag[]> = itemsOf(['li'], ['dt', 'dd'], ['tr'], ['thead', 'tbody', 'tfoot']);
const HIDEABLE = TAG.block | TAG.attributes;
const FIGURES: ReadonlySet<Tag> = new Set([tagNamed('figure'), tagNamed('figcaption')]);

/** An open container. */
interface Open {
  readonly tag: Tag;
  readonly place: Place;
  readonly isHidden: boolean;
  /** Its content is hidden, so no part of it can be the page's own. */
  readonly isShut: boolean;
  /** Its tag or name says that it stands beside the text. */
  readonly isBeside: boolean;
  /** It has other pages or comments. */
  readonly isOthers: boolean;
  /** Layout figures at its start: the content of a list is the difference at its end. */
  readonly chars: number;
  readonly linkChars: number;
  readonly links: number;
}

/**
 * The open containers of a page: decides whether the current text is boilerplate or hidden, and which lists are lists
 * of links. Every operation takes constant time, plus the containers it closes.
 */
export class Containers {
  readonly #layout: Layout;
  readonly #attributes: TagAttributes;
  readonly #stack: Open[] = [];
  /** Closed parts whose names may mislead, in page order. */
  readonly doubts: Part[] = [];
  /** Closed parts that stand beside the text by their tag or name; inner ones before those around them. */
  readonly beside: Part[] = [];
  /** Open containers beyond {@link MAX_DEPTH}. */
  #overflow = 0;
  /** Open containers by tag id. */
  readonly #counts = new Int32Array(TAG_COUNT);
  /** The place outside all containers. */
  readonly #outside: Place;
  #place: Place;
  #isHidden = false;
  /** The inline element beside the text that is being read, and where it began. */
  #inline: Tag | undefined;
  #inlineDepth = 0;
  #inlineFrom = 0;
  /** Stack index of the outermost element opened by {@link openUnseen}. */
  #unseenAt = Number.POSITIVE_INFINITY;

  constructor(layout: Layout, attributes: TagAttributes, outside: Place = 'own') {
    this.#layout = layout;
    this.#attributes = attributes;
    this.#outside = outside;
    this.#place = outside;
  }

  get place(): Place {
    return this.#place;
  }

  get isHidden(): boolean {
    return this.#isHidden;
  }

  /** Whether the current text is about other pages, or a comment. */
  get isAmongOthers(): boolean {
    return this.#stack.at(-1)?.isOthers === true;
  }

  isOpen(tag: Tag): boolean {
    return this.#counts[tag.id]! > 0;
  }

  open(tag: Tag): void {
    if (this.#stack.length >= MAX_DEPTH) {
      this.#overflow++;
      return;
    }
    this.#isHidden ||= (tag.bits & TAG.hidden) !== 0 && !this.#attributes.has('shadowrootmode');
    this.#push(tag, this.#placeIn(tag), this.#isHidden || (!this.#attributes.isEmpty && this.#attributes.hidesElement));
  }

  #push(tag: Tag, place: Place, isShut = false): void {
    const isBeside = place !== 'boilerplate' && this.#isBeside(tag);
    this.#place = place;
    this.#counts[tag.id]!++;
    this.#stack.push({
      tag,
      place,
      isHidden: this.#isHidden,
      isShut: isShut || this.#stack.at(-1)?.isShut === true,
      isBeside,
      isOthers: this.isAmongOthers || (!this.#attributes.isEmpty && (this.#attributes.classSays & SAYS.others) !== 0),
      chars: this.#layout.length,
      linkChars: this.#layout.linkChars,
      links: this.#layout.links.length,
    });
  }

  /** Closes the innermost container of this tag and everything inside it; ignores an end tag without a start tag. */
  close(tag: Tag): void {
    if (this.#overflow > 0 && (tag.bits & TAG.container) !== 0) this.#overflow--;
    else if (this.isOpen(tag)) while (this.#pop() !== tag);
  }

  /** A table cell ends where the next cell or row of its table begins. */
  closeCell(): void {
    for (let depth = 1; depth <= CELL_SEARCH_DEPTH; depth++) {
      const tag = this.#stack.at(-depth)?.tag;
      if (tag === undefined || tag === TABLE) return;
      if (!CELLS.includes(tag)) continue;
      while (depth-- > 0) this.#pop();
      return;
    }
  }

  /**
   * Keeps a hidden block that is not a container on the stack, and blocks of its kind inside it, so that it ends at
   * its own end tag.
   * @param tag of any kind
   */
  openHidden(tag: Tag): void {
    if ((tag.bits & (HIDEABLE | TAG.container)) !== HIDEABLE || this.#stack.length >= MAX_DEPTH) return;
    const isWithin = this.#stack.length > this.#unseenAt || this.isOpen(tag);
    if (isWithin || (!this.#attributes.isEmpty && this.#attributes.hidesElement) || this.#isBeside(tag)) this.open(tag);
  }

  /** An inline element that begins a paragraph may be all of it: a credit, a date. */
  openInline(tag: Tag): void {
    if (tag === this.#inline) this.#inlineDepth++;
    else if (this.#inline === undefined && WRAPPING.has(tag) && this.#layout.isAtStart && this.#isBeside(tag)) {
      this.#inline = tag;
      this.#inlineDepth = 1;
      this.#inlineFrom = this.#layout.length;
    }
  }

  closeInline(tag: Tag): void {
    if (tag !== this.#inline || --this.#inlineDepth > 0) return;
    this.#inline = undefined;
    if (this.#layout.length > this.#inlineFrom) this.beside.push({ from: this.#inlineFrom, to: this.#layout.length });
  }

  /** Whether the tag, class or id says that the element stands beside the text: a caption, a byline. */
  #isBeside(tag: Tag): boolean {
    if (FIGURES.has(tag)) return true;
    const attributes = this.#attributes;
    if (attributes.isEmpty || NAMELESS.has(tag)) return false;
    // Ids of paragraphs and links are numbers or anchors.
    const hasNamedId = (tag.bits & TAG.container) !== 0;
    const says = attributes.classSays | (hasNamedId ? attributes.idSays : 0);
    return (says & SAYS.beside) !== 0;
  }

  /**
   * Keeps a hidden inline element on the stack if a block begins inside it. All blocks inside it are kept as well, so
   * that an unclosed element ends with the block around it.
   * @param line - the surrounding block, if it is not a container
   * @param block - the block that begins; some blocks end the line, and with it unclosed elements
   */
  openUnseen(tag: Tag, depth: number, line: Tag | undefined, block: Tag): void {
    if (line === PARAGRAPH || (line !== undefined && ITEMS.get(block)?.includes(line) === true)) return;
    if (this.#stack.length + depth > MAX_DEPTH) return;
    this.#unseenAt = Math.min(this.#unseenAt, this.#stack.length);
    for (let i = 0; i < depth; i++) this.#push(tag, 'boilerplate', true);
  }

  /** Counts another element kept by {@link openUnseen}. */
  openWithin(tag: Tag): void {
    if (this.isOpen(tag) && this.#stack.length < MAX_DEPTH) this.#push(tag, this.#place);
  }

  /** Closes unclosed inline elements at the end of the surrounding block. */
  closeUnseen(tag: Tag): void {
    if ((tag.bits & (HIDEABLE | TAG.container)) !== HIDEABLE || tag === PARAGRAPH || this.isOpen(tag)) return;
    while (this.#stack.length > this.#unseenAt) this.#pop();
  }

  /** A block ends an unclosed paragraph or heading; an item ends the previous one. */
  closeBefore(tag: Tag): void {
    const top = this.#stack.at(-1)?.tag;
    if (top === undefined) return;
    if (top === PARAGRAPH || (HEADINGS.has(top) && HEADINGS.has(tag))) this.#pop();
    const items = ITEMS.get(tag);
    if (items === undefined) return;
    for (let depth = 1; depth <= CELL_SEARCH_DEPTH; depth++) {
      const open = this.#stack.at(-depth)?.tag;
      if (open === undefined || open === TABLE || (open.bits & TAG.list) !== 0) return;
      if (!items.includes(open)) continue;
      while (depth-- > 0) this.#pop();
      return;
    }
  }

  closeAll(): void {
    while (this.#pop() !== undefined);
  }

  /** A part with a doubtful name inside another is boilerplate: one of the two names is probably right. */
  #placeIn(tag: Tag): Place {
    const within = this.#placeWithin(tag);
    if (within !== undefined) return within;
    if (this.#place === 'boilerplate' || this.#isSurely(tag)) return 'boilerplate';
    const attributes = this.#attributes;
    if (tag === FORM) return 'doubtful';
    if (attributes.isEmpty || NAMELESS.has(tag)) return this.#place;
    const byClass = placeIn(attributes.classSays);
    const hasHeadingId = tag === SECTION || isSectionClass(attributes.raw('class'));
    const byId = hasHeadingId ? 'own' : placeIn(attributes.idSays);
    if (byClass === 'boilerplate' || byId === 'boilerplate') return 'boilerplate';
    if (byClass === 'own' && byId === 'own') return this.#place;
    return this.#place === 'own' ? 'doubtful' : 'boilerplate';
  }

  /**
   * An element that marks the main part or an article overrides the name and kind of its surroundings; an article
   * must also read like one.
   */
  #placeWithin(tag: Tag): Place | undefined {
    const around = this.#stack.at(-1);
    if (this.#place === 'own' || !NAMELESS.has(tag) || around?.isShut !== false || this.#isSurely(tag))
      return undefined;
    if (tag === MAIN) return 'own';
    return this.#place === 'boilerplate' ? 'doubtful' : undefined;
  }

  /** Whether the element itself marks boilerplate. */
  #isSurely(tag: Tag): boolean {
    if ((tag.bits & TAG.boilerplate) !== 0) return true;
    if (tag === HEADER) return !ARTICLES.some((article) => this.isOpen(article));
    const attributes = this.#attributes;
    return !attributes.isEmpty && (isBoilerplateRole(attributes.raw('role')) || attributes.hidesElement);
  }

  #pop(): Tag | undefined {
    const closed = this.#stack.pop();
    if (closed === undefined) return undefined;
    this.#counts[closed.tag.id]!--;
    if (this.#stack.length <= this.#unseenAt) this.#unseenAt = Number.POSITIVE_INFINITY;
    if ((closed.tag.bits & TAG.list) !== 0) this.#markList(closed);
    const top = this.#stack.at(-1);
    this.#place = top?.place ?? this.#outside;
    if (closed.place === 'doubtful' && this.#place !== 'doubtful')
      this.doubts.push({ from: closed.chars, to: this.#layout.length });
    if (closed.isBeside && this.#layout.length > closed.chars)
      this.beside.push({ from: closed.chars, to: this.#layout.length });
    this.#isHidden = top?.isHidden ?? false;
    return closed.tag;
  }

  #markList(list: Open): void {
    const { links, length, linkChars } = this.#layout;
    if (links.length - list.links < LIST_MIN_LINKS) return;
    if (linkChars - list.linkChars <= LIST_LINK_SHARE * (length - list.chars)) return;
    for (let i = list.links; i < links.length; i++) links[i]!.flags |= LINK_FLAG.list;
  }
}

/** Maps each tag to the tags of its kind. */
function itemsOf(...kinds: readonly (readonly string[])[]): ReadonlyMap<Tag, readonly Tag[]> {
  const tags = kinds.map((names) => names.map(tagNamed));
  return new Map(tags.flatMap((kind) => kind.map((tag) => [tag, kind] as const)));
}
