import { LINK_FLAG } from '../../core/index.ts';
import { foldLine } from '../fold.ts';
import type { TagAttributes } from './attributes.ts';
import { clickTarget } from './click-target.ts';
import type { Containers } from './containers.ts';
import { PLACE_FLAGS } from './doubts.ts';
import { decodeAttribute } from './entities.ts';
import type { Layout } from './layout.ts';
import { isNofollow } from './page-meta.ts';
import { type AttributeName, type Tag, tagNamed } from './tags.ts';

/** Raw links kept for each one that may be returned; the rest are repetitions or not for us. */
const RAW_LINKS_FACTOR = 4;
/** What plugins showed, or show, that is no page. */
const UNREADABLE_OBJECT = /^\s*(?:image|audio|video|application\/(?:x-shockwave-flash|x-java|x-silverlight))/i;
const LAZY_FRAMES = ['data-src', 'data-lazy-src', 'data-original'] as const;
/** Manuals have a link to the heading that it stands beside, to be copied. */
const PERMALINK = /^ ?(?:[#¶§❡⚓\ue000-\uf8ff]|🔗|🔖)\ufe0f?$/u;
/** What may lead somewhere as a whole, by its `data-href`; but for what shows a thing of another site. */
const ROWS: ReadonlySet<Tag> = new Set(['tr', 'td', 'th', 'li', 'div'].map(tagNamed));
const WIDGET = /\bfb-/;
/** An address that leads nowhere without scripts. */
const PLACEHOLDER = /^\s*(?:#?\s*|javascript:.*)$/i;

/** Where a tag stands. */
export interface Spot {
  /** Offset in the source. */
  readonly at: number;
  /** False: in a line, or a part of it, that is not shown. */
  readonly isSeen: boolean;
}

/**
 * The links of a page, as its tags tell them: where each leads, what it is called and what kind it is. Every method reads the attributes of
 * the tag that is being read.
 */
export class PageLinks {
  readonly #layout: Layout;
  readonly #attributes: TagAttributes;
  readonly #containers: Containers;
  readonly #maxRawLinks: number;
  /** What the open link is called, as written. */
  #name = '';
  /** In a link that only leads to the text, as in "Skip to content". */
  #inJump = false;

  /** @param maxLinks - links that may be returned of the page */
  constructor(layout: Layout, attributes: TagAttributes, containers: Containers, maxLinks: number) {
    this.#layout = layout;
    this.#attributes = attributes;
    this.#containers = containers;
    this.#maxRawLinks = maxLinks * RAW_LINKS_FACTOR;
  }

  /** More are not kept. */
  get isFull(): boolean {
    return this.#layout.links.length >= this.#maxRawLinks;
  }

  /** `<a>`. @param isBeforeText - no heading has been read: a link into the page leads to its text */
  open(spot: Spot, isBeforeText: boolean): void {
    this.end();
    const href = this.#anchorAddress();
    if (href === undefined || this.isFull) return;
    this.#inJump = isBeforeText && this.#layout.isAtStart && href.startsWith('#');
    if (this.#inJump) this.#layout.boundary('boilerplate');
    this.#layout.openLink(href, this.#flagsAt(spot), spot.at);
    const attributes = this.#attributes;
    this.#name = spot.isSeen ? attributes.raw('aria-label') || attributes.raw('title') : '';
  }

  /** `</a>`. */
  close(): void {
    this.end();
    if (this.#inJump) this.#layout.boundary(this.#containers.place);
    this.#inJump = false;
  }

  /** Ends what is open. A link that shows nothing, or a picture without words, has the name that its author gave it. */
  end(): void {
    if (this.#name !== '' && this.#layout.isLinkEmpty) this.#layout.alternative(foldLine(decodeAttribute(this.#name)));
    this.#layout.closeLink(PERMALINK);
  }

  /** A picture names the link that it stands in. */
  nameByPicture(): void {
    if (!this.#layout.hasOpenLink) return;
    this.#layout.alternative(foldLine(this.#attributes.value('alt') || this.#attributes.value('title')));
  }

  /** A row of a table or a card that leads somewhere at a click; the words in it are its context. */
  addClicked(tag: Tag, spot: Spot): void {
    if (this.isFull) return;
    const attributes = this.#attributes;
    const isNamed = ROWS.has(tag) && attributes.has('data-href') && !WIDGET.test(attributes.raw('class'));
    const href = isNamed ? attributes.value('data-href') : clickTarget(attributes.value('onclick'));
    if (href !== '') this.#layout.addLink(href, foldLine(attributes.value('title')), this.#flagsAt(spot), spot.at);
  }

  /** A part of a picture (`<area>`). */
  addArea(spot: Spot): void {
    this.#add('href', this.#attributes.value('alt') || this.#attributes.value('title'), LINK_FLAG.image, spot);
  }

  /** The text of a drawing (SVG) is none of the page's, its links are. */
  addDrawn(spot: Spot): void {
    const name = this.#attributes.has('href') ? 'href' : 'xlink:href';
    this.#add(name, this.#attributes.value('xlink:title'), LINK_FLAG.image, spot);
  }

  /** A frame that scripts load later has its address in another attribute. */
  addFrame(spot: Spot): void {
    const attributes = this.#attributes;
    const isLazy = /^(?:|about:blank.*|javascript:.*)$/i.test(attributes.value('src').trim());
    const name = isLazy ? (LAZY_FRAMES.find((lazy) => attributes.has(lazy)) ?? 'src') : 'src';
    this.#add(name, attributes.value('title'), LINK_FLAG.frame, spot);
  }

  /** A document shown within the page by a plugin or the browser. */
  addObject(name: 'data' | 'src', spot: Spot): void {
    if (!UNREADABLE_OBJECT.test(this.#attributes.raw('type')))
      this.#add(name, this.#attributes.value('title'), LINK_FLAG.frame, spot);
  }

  /** Where the page leads by itself, after a while or at once. */
  addForward(href: string, { at }: Spot): void {
    if (!this.isFull) this.#layout.addLink(href, '', LINK_FLAG.frame, at);
  }

  #add(attribute: AttributeName, alternative: string, flags: number, spot: Spot): void {
    if (!this.#attributes.has(attribute) || this.isFull) return;
    const href = this.#attributes.value(attribute);
    this.#layout.addLink(href, foldLine(alternative), this.#flagsAt(spot) | flags, spot.at);
  }

  /** A link that scripts fill in, or lead, has another address in the place of its own, or none. */
  #anchorAddress(): string | undefined {
    const attributes = this.#attributes;
    const href = attributes.has('href') ? attributes.value('href') : undefined;
    const isOwn = href !== undefined && !PLACEHOLDER.test(href.slice(0, 100));
    if (isOwn) return href;
    if (attributes.has('data-href')) return attributes.value('data-href');
    return clickTarget(attributes.value('onclick')) || clickTarget(href ?? '') || href;
  }

  #flagsAt({ isSeen }: Spot): number {
    const nofollow = isNofollow(this.#attributes.raw('rel')) ? LINK_FLAG.nofollow : 0;
    return PLACE_FLAGS[isSeen ? this.#containers.place : 'boilerplate'] | nofollow;
  }
}
