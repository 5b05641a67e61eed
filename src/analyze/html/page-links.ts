import { LINK_FLAG } from '../../core/index.ts';
import { foldLine } from '../fold.ts';
import type { TagAttributes } from './attributes.ts';
import { PLACE_FLAGS } from './boilerplate-names.ts';
import { clickTarget } from './click-target.ts';
import type { Containers } from './containers.ts';
import { decodeAttribute } from './entities.ts';
import type { Layout } from './layout.ts';
import { isFeedLink, isNofollow } from './page-meta.ts';
import { type AttributeName, type Tag, tagNamed } from './tags.ts';

/** Raw links kept per link that may be returned; the rest are repeated or filtered. */
const RAW_LINKS_FACTOR = 4;
const MAX_IMAGES = 100;
const MAX_IMAGE_CHARS = 500;
/** Media types of embedded objects that are not pages. */
const UNREADABLE_OBJECT = /^\s*(?:image|audio|video|application\/(?:x-shockwave-flash|x-java|x-silverlight))/i;
const LAZY_FRAMES = ['data-src', 'data-lazy-src', 'data-original'] as const;
/** Manuals show this link beside a heading, for copying its URL. */
const PERMALINK = /^ ?(?:[#¶§❡⚓\ue000-\uf8ff]|🔗|🔖)\ufe0f?$/u;
/**
 * Elements that may be clickable as a whole through `data-href`; excludes elements that embed content of another
 * site.
 */
const ROWS: ReadonlySet<Tag> = new Set(['tr', 'td', 'th', 'li', 'div'].map(tagNamed));
const WIDGET = /\bfb-/;
/** A URL that has no effect without scripts. */
const PLACEHOLDER = /^\s*(?:#?\s*|javascript:.*)$/i;

/** Position of a tag. */
export interface Spot {
  /** Offset in the source. */
  readonly at: number;
  /** False inside a hidden inline element. */
  readonly isSeen: boolean;
}

/**
 * Collects the links of a page from its tags: target, name and kind. Every method reads the attributes of the current
 * tag.
 */
export class PageLinks {
  readonly #layout: Layout;
  readonly #attributes: TagAttributes;
  readonly #containers: Containers;
  readonly #maxRawLinks: number;
  /** Name of the open link, as written. */
  #name = '';
  /** Inside a link that only jumps to the text, as in "Skip to content". */
  #inJump = false;

  /** @param maxLinks - maximum number of links returned for the page */
  constructor(layout: Layout, attributes: TagAttributes, containers: Containers, maxLinks: number) {
    this.#layout = layout;
    this.#attributes = attributes;
    this.#containers = containers;
    this.#maxRawLinks = maxLinks * RAW_LINKS_FACTOR;
  }

  /** The limit is reached; further links are dropped. */
  get isFull(): boolean {
    return this.#layout.links.length >= this.#maxRawLinks;
  }

  /** `<a>`. @param isBeforeText - no heading has been read: a link within the page jumps to its text */
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

  /** Ends an open link. An empty link, or a picture without text, takes the name from its attributes. */
  end(): void {
    if (this.#name !== '' && this.#layout.isLinkEmpty) this.#layout.alternative(foldLine(decodeAttribute(this.#name)));
    this.#layout.closeLink(PERMALINK);
  }

  /** A picture gives its text to the surrounding link. */
  nameByPicture(): void {
    if (this.#containers.place === 'own') this.#keepImage();
    if (!this.#layout.hasOpenLink) return;
    this.#layout.alternative(foldLine(this.#attributes.value('alt') || this.#attributes.value('title')));
  }

  /** Exports keep images with an alternative text. */
  #keepImage(): void {
    const { images, blocks } = this.#layout;
    if (images.length >= MAX_IMAGES || this.#attributes.raw('alt').trim() === '') return;
    const alternative = foldLine(this.#attributes.value('alt').slice(0, MAX_IMAGE_CHARS));
    const source = this.#attributes.value('src').trim();
    const isAddress = source.length <= MAX_IMAGE_CHARS && !/^data:/i.test(source);
    images.push({ block: blocks.length, alternative, source: isAddress ? source : '' });
  }

  /** Adds a clickable table row or card; its words are the link's context. */
  addClicked(tag: Tag, spot: Spot): void {
    if (this.isFull) return;
    const attributes = this.#attributes;
    const isNamed = ROWS.has(tag) && attributes.has('data-href') && !WIDGET.test(attributes.raw('class'));
    const href = isNamed ? attributes.value('data-href') : clickTarget(attributes.value('onclick'));
    if (href !== '') this.#layout.addLink(href, foldLine(attributes.value('title')), this.#flagsAt(spot), spot.at);
  }

  /** Adds an area of an image map (`<area>`). */
  addArea(spot: Spot): void {
    this.#add('href', this.#attributes.value('alt') || this.#attributes.value('title'), LINK_FLAG.image, spot);
  }

  /** Adds a link of an SVG drawing, whose text is not part of the page. */
  addDrawn(spot: Spot): void {
    const name = this.#attributes.has('href') ? 'href' : 'xlink:href';
    this.#add(name, this.#attributes.value('xlink:title'), LINK_FLAG.image, spot);
  }

  /** Adds a frame; if scripts load it later, its URL is in another attribute. */
  addFrame(spot: Spot): void {
    const attributes = this.#attributes;
    const isLazy = /^(?:|about:blank.*|javascript:.*)$/i.test(attributes.value('src').trim());
    const name = isLazy ? (LAZY_FRAMES.find((lazy) => attributes.has(lazy)) ?? 'src') : 'src';
    this.#add(name, attributes.value('title'), LINK_FLAG.frame, spot);
  }

  /** Adds a document embedded by a plugin or the browser. */
  addObject(name: 'data' | 'src', spot: Spot): void {
    if (!UNREADABLE_OBJECT.test(this.#attributes.raw('type')))
      this.#add(name, this.#attributes.value('title'), LINK_FLAG.frame, spot);
  }

  /** Adds the page's feed; its title is the link's name. */
  addFeed(spot: Spot): void {
    const attributes = this.#attributes;
    if (isFeedLink(attributes.value('rel'), attributes.value('type')))
      this.#add('href', attributes.value('title'), 0, spot);
  }

  /** Adds the target of an automatic redirect of the page. */
  addForward(href: string, { at }: Spot): void {
    if (!this.isFull) this.#layout.addLink(href, '', LINK_FLAG.frame, at);
  }

  #add(attribute: AttributeName, alternative: string, flags: number, spot: Spot): void {
    if (!this.#attributes.has(attribute) || this.isFull) return;
    const href = this.#attributes.value(attribute);
    this.#layout.addLink(href, foldLine(alternative), this.#flagsAt(spot) | flags, spot.at);
  }

  /** Returns the URL of an anchor. If scripts set it, it is in another attribute or missing. */
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
