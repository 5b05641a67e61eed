import type { TokenizerCallbacks } from 'htmlparser2';
import { LINK_FLAG } from '../../core/index.ts';
import { clip, foldLine } from '../fold.ts';
import { isMadeUp } from '../made-up-title.ts';
import { setsState } from './app-state.ts';
import { TagAttributes } from './attributes.ts';
import { namesBoilerplate } from './boilerplate.ts';
import { clickTarget } from './click-target.ts';
import { Containers } from './containers.ts';
import { PLACE_FLAGS, settleDoubts } from './doubts.ts';
import { decodeAttribute, decodeText } from './entities.ts';
import type { Layout, Place } from './layout.ts';
import { readMetaTag } from './meta-tag.ts';
import {
  emptyMeta,
  isCanonical,
  isNofollow,
  leavingIn,
  type PageMeta,
  type Refresh,
  type RobotsReader,
} from './page-meta.ts';
import { PageTokenizer } from './page-tokenizer.ts';
import { type AttributeName, HEADINGS, TAG, type Tag, tagAt, tagNamed } from './tags.ts';

/** Raw links kept for each one that may be returned; the rest are repetitions or not for us. */
const RAW_LINKS_FACTOR = 4;
const MAX_TITLE_CHARS = 1_000;
/** A `<noscript>` that ends within so many characters holds a notice or a counter, a longer one may hold the page. */
const NOTICE_CHARS = 1_000;
/** What stands in a film is for browsers that cannot show it; one that does not end within so many characters may have been left open. */
const FALLBACK_CHARS = 2_000;
/** Of a page's structured data, and of what it keeps for its scripts, so many passages are kept for whoever asks. */
const MAX_DATA_PASSAGES = 5;
const MAX_STATE_PASSAGES = 20;
/** Pages that stand in the frames of another (`srcdoc`), up to so many; each costs a look at the paragraphs read before. */
const MAX_INNER_PAGES = 20;
/** What plugins showed, or show, that is no page. */
const UNREADABLE_OBJECT = /^\s*(?:image|audio|video|application\/(?:x-shockwave-flash|x-java|x-silverlight))/i;
const LAZY_FRAMES = ['data-src', 'data-lazy-src', 'data-original'] as const;

const T = {
  a: tagNamed('a'),
  area: tagNamed('area'),
  audio: tagNamed('audio'),
  base: tagNamed('base'),
  br: tagNamed('br'),
  button: tagNamed('button'),
  canvas: tagNamed('canvas'),
  div: tagNamed('div'),
  embed: tagNamed('embed'),
  frame: tagNamed('frame'),
  h1: tagNamed('h1'),
  html: tagNamed('html'),
  iframe: tagNamed('iframe'),
  image: tagNamed('image'),
  img: tagNamed('img'),
  li: tagNamed('li'),
  link: tagNamed('link'),
  meta: tagNamed('meta'),
  noscript: tagNamed('noscript'),
  object: tagNamed('object'),
  script: tagNamed('script'),
  svg: tagNamed('svg'),
  td: tagNamed('td'),
  template: tagNamed('template'),
  th: tagNamed('th'),
  title: tagNamed('title'),
  tr: tagNamed('tr'),
  video: tagNamed('video'),
} as const;

/** Manuals have a link to the heading that it stands beside, to be copied. */
const PERMALINK = /^ ?(?:[#¶§❡⚓\ue000-\uf8ff]|🔗|🔖)\ufe0f?$/u;
/** Wikis have it beside each heading. */
const EDIT_LINK = 'editsection';

/** Each of them ends the cell that was left open before it. */
const TABLE_PARTS: ReadonlySet<Tag> = new Set(['td', 'th', 'tr', 'thead', 'tbody', 'tfoot'].map(tagNamed));

/** What may lead somewhere as a whole, by its `data-href`; but for what shows a thing of another site. */
const ROWS: ReadonlySet<Tag> = new Set([T.tr, T.td, T.th, T.li, T.div]);
const WIDGET = /\bfb-/;
/** An address that leads nowhere without scripts. */
const PLACEHOLDER = /^\s*(?:#?\s*|javascript:.*)$/i;

/** An element of the page's own making whose name says what it is: `site-footer`, `cookie-banner`. */
const CUSTOM = tagNamed('-');

export interface ScanOptions extends RobotsReader {
  readonly maxLinks: number;
  /** What is read stands within another page. Default: it is a page of its own. */
  readonly within?: Frame;
}

/** A frame whose page stands in its `srcdoc`. */
interface Frame {
  readonly place: Place;
  /** Offset in the source of the page around it. */
  readonly at: number;
}

/**
 * Reads HTML in one pass over htmlparser2's tokenizer: no tree, no stack of inline elements. Only containers are
 * remembered, so that the cost is linear in the page whatever its nesting (htmlparser2's own parser is quadratic there).
 */
export class HtmlScanner implements TokenizerCallbacks {
  readonly #html: string;
  readonly #layout: Layout;
  readonly #maxRawLinks: number;
  readonly #attributes: TagAttributes;
  readonly #containers: Containers;
  readonly #meta: PageMeta = emptyMeta();

  #selfCloses = false;
  #tag: Tag = tagAt('', 0, 0);
  #tagStart = 0;
  #tagEnd = 0;
  /** Raw text (script, style, …) is skipped until the next tag. */
  #isRawText = false;
  #inTitle = false;
  /** What stands before this offset of the source is for browsers without scripts, or films, and no text. */
  #noticeEnd = -1;
  /** The element of a line that is not shown, and how many of its kind are open since. */
  #unseen: Tag | undefined;
  #unseenDepth = 0;
  /** The block whose line is read, until it ends. */
  #line: Tag | undefined;
  /** Buttons are commands but where they are part of a heading. */
  #inHeading = false;
  /** Where the data begin that are being read, or -1, and where they go. */
  #dataStart = -1;
  #dataInto: string[] = [];
  #inNoscript = false;
  /** What the open link is called, as written. */
  #linkName = '';
  /** In a link that only leads to the text, as in "Skip to content". */
  #inJump = false;
  #sawHeading = false;
  #lastBreak = -1;
  readonly #options: ScanOptions;
  readonly #innerPages: (Frame & { readonly html: string })[] = [];
  #headingStart = -1;
  #heading = '';

  constructor(html: string, layout: Layout, options: ScanOptions) {
    this.#html = html;
    this.#options = { ...options, robot: options.robot || 'robots' };
    this.#layout = layout;
    this.#maxRawLinks = options.maxLinks * RAW_LINKS_FACTOR;
    this.#attributes = new TagAttributes(html);
    this.#containers = new Containers(layout, this.#attributes, options.within?.place);
  }

  /** Reads the page into the layout. @param recognizeSelfClosing XHTML: `<div/>` is a whole element */
  run(recognizeSelfClosing: boolean): PageMeta {
    this.#selfCloses = recognizeSelfClosing;
    // Character references are decoded here, where text is copied: the tokenizer then leaps from tag to tag.
    this.#layout.open(this.#html);
    this.#layout.boundary(this.#containers.place);
    const tokenizer = new PageTokenizer({ decodeEntities: false, recognizeSelfClosing }, this);
    tokenizer.write(this.#html);
    tokenizer.end();
    this.#containers.closeAll();
    this.#endHeading();
    this.#layout.finish();
    settleDoubts(this.#layout, this.#containers.doubts);
    if (isMadeUp(this.#meta.title)) this.#meta.title = this.#heading || this.#meta.sharedTitle || this.#meta.title;
    for (const { html, ...within } of this.#innerPages)
      new HtmlScanner(html, this.#layout, { ...this.#options, within }).run(false);
    return this.#meta;
  }

  isInForeignContext(): boolean {
    return this.#containers.isOpen(T.svg);
  }

  ontext(start: number, end: number): void {
    if (this.#inTitle) this.#meta.title = this.#titleOf(start, end);
    else if (start < this.#noticeEnd) return;
    else if (!this.#containers.isHidden && !this.#isRawText && this.#unseen === undefined)
      this.#layout.write(start, end, true);
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#tagAt(start, end);
    this.#tagStart = start;
    this.#attributes.clear();
  }

  onattribname(start: number, end: number): void {
    if ((this.#tag.bits & TAG.attributes) === 0) this.#attributes.skip();
    else this.#attributes.begin(start, end);
  }

  onattribdata(start: number, end: number): void {
    this.#attributes.setValue(start, end);
  }

  onattribend(): void {
    this.#attributes.end();
  }

  onopentagend(end: number): void {
    this.#tagEnd = end;
    this.#open(this.#tag);
  }

  onselfclosingtag(end: number): void {
    this.#tagEnd = end;
    this.#open(this.#tag);
    if (this.#selfCloses || this.isInForeignContext()) this.#close(this.#tag);
  }

  onclosetag(start: number, end: number): void {
    if (this.#dataStart >= 0) this.#dataInto.push(this.#html.slice(this.#dataStart, start - '</'.length));
    this.#dataStart = -1;
    this.#close(this.#tagAt(start, end));
  }

  /** In XHTML it is text; in a drawing of HTML it is none of the page's. */
  oncdata(start: number, end: number, endMarkChars: number): void {
    if (this.#selfCloses && !this.#containers.isHidden && !this.#isRawText)
      this.#layout.write(start, end - endMarkChars, false);
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}

  #tagAt(start: number, end: number): Tag {
    const tag = tagAt(this.#html, start, end);
    return tag.id === 0 && namesBoilerplate(this.#html, start, end) ? CUSTOM : tag;
  }

  #open(tag: Tag): void {
    this.#isRawText = false;
    if (tag.id === 0) return;
    const { bits } = tag;
    if ((bits & TAG.inline) !== 0 || tag === T.a) this.#openInline(tag);
    if ((bits & TAG.inline) !== 0) return;
    if ((bits & TAG.block) !== 0 && this.isInForeignContext()) this.#containers.close(T.svg);
    if ((bits & TAG.hidden) !== 0 && (bits & TAG.container) === 0) this.#isRawText = true;
    if ((bits & TAG.heading) !== 0 && HEADINGS.has(tag)) this.#endHeading();
    if (TABLE_PARTS.has(tag)) this.#containers.closeCell();
    if ((bits & TAG.block) !== 0) this.#openBlock(tag);
    if ((bits & TAG.container) !== 0) this.#containers.open(tag);
    if ((bits & TAG.block) !== 0 || (tag === T.button && !this.#inHeading))
      this.#layout.boundary(this.#containers.place);
    if ((bits & TAG.block) !== 0) this.#inHeading = (bits & TAG.heading) !== 0;
    this.#sawHeading ||= this.#inHeading && this.#containers.place === 'own';
    if (!this.#containers.isHidden) this.#act(tag);
    else if (tag === T.a && !this.#containers.isOpen(T.template)) this.#addDrawnLink();
  }

  #close(tag: Tag): void {
    this.#isRawText = false;
    if (tag.id === 0) return;
    if (tag === this.#unseen && --this.#unseenDepth === 0) this.#unseen = undefined;
    if ((tag.bits & TAG.inline) !== 0 || tag === T.a) this.#closeUnseen(tag);
    if ((tag.bits & TAG.inline) !== 0) return;
    this.#containers.closeUnseen(tag);
    if (tag.bits === 0) this.#closePlain(tag);
    else if (tag === T.a) this.#closeAnchor();
    else if ((tag.bits & TAG.heading) !== 0 && HEADINGS.has(tag)) {
      this.#endHeading();
      this.#containers.closeBefore(tag);
    }
    if ((tag.bits & TAG.block) !== 0) {
      this.#unseen = undefined;
      this.#line = undefined;
    }
    if ((tag.bits & TAG.container) !== 0 || this.#containers.isOpen(tag)) this.#containers.close(tag);
    if ((tag.bits & TAG.block) !== 0 || (tag === T.button && !this.#inHeading))
      this.#layout.boundary(this.#containers.place);
    if ((tag.bits & TAG.block) !== 0) this.#inHeading = false;
  }

  /** What is not shown of a line ends at its end tag, at the latest where what is around it ends: it may have been left open. */
  #openInline(tag: Tag): void {
    // An anchor ends where the next one begins.
    if (tag === T.a && this.#unseen === T.a) this.#unseen = undefined;
    if (tag === T.a) this.#closeUnseen(tag);
    else this.#containers.openWithin(tag);
    if (this.#unseen !== undefined) {
      if (tag === this.#unseen) this.#unseenDepth++;
      return;
    }
    const attributes = this.#attributes;
    if (attributes.isEmpty || !(attributes.hidesElement || attributes.raw('class').includes(EDIT_LINK))) return;
    this.#unseen = tag;
    this.#unseenDepth = 1;
  }

  /** The end of an element that is not shown and had blocks in it. */
  #closeUnseen(tag: Tag): void {
    if (!this.#containers.isOpen(tag)) return;
    this.#endLink();
    this.#containers.close(tag);
    this.#layout.boundary(this.#containers.place);
  }

  #openBlock(tag: Tag): void {
    if (this.#unseen !== undefined && !TABLE_PARTS.has(tag))
      this.#containers.openUnseen(this.#unseen, this.#unseenDepth, this.#line, tag);
    this.#unseen = undefined;
    this.#line = tag;
    this.#containers.closeBefore(tag);
    this.#containers.openHidden(tag);
  }

  #closePlain(tag: Tag): void {
    if (tag === T.title) this.#inTitle = false;
    else if (tag === T.noscript) this.#inNoscript = false;
    // In HTML browsers break the line at `</br>`, too.
    else if (tag === T.br && !this.#selfCloses && !this.#containers.isHidden) this.#lineBreak();
  }

  /** What tags do beyond parting paragraphs. */
  #act(tag: Tag): void {
    const attributes = this.#attributes;
    if (tag !== T.a) this.#addClicked(tag);
    switch (tag) {
      case T.a:
        this.#openAnchor();
        break;
      case T.br:
        this.#lineBreak();
        break;
      case T.img:
      case T.image:
        this.#nameLink();
        break;
      case T.area:
        this.#addLink('href', attributes.value('alt') || attributes.value('title'), LINK_FLAG.image);
        break;
      case T.frame:
      case T.iframe:
        this.#addFrame();
        break;
      case T.object:
        this.#addObject('data');
        break;
      case T.embed:
        this.#addObject('src');
        break;
      case T.noscript:
        this.#inNoscript = true;
        this.#noticeEnd = this.#endWithin(NOTICE_CHARS);
        break;
      case T.video:
      case T.audio:
      case T.canvas:
        this.#noticeEnd = this.#endWithin(FALLBACK_CHARS);
        break;
      case T.div:
        this.#keepState();
        break;
      case T.script:
        this.#beginData();
        if (!this.#attributes.has('src')) this.#follow(leavingIn(this.#html, this.#tagEnd + 1));
        break;
      case T.h1:
        if (this.#heading === '') this.#headingStart = this.#layout.length;
        break;
      case T.title:
        this.#inTitle = this.#meta.title === '' && !this.isInForeignContext();
        this.#isRawText = !this.#inTitle;
        break;
      case T.html:
        this.#meta.language ||= attributes.value('lang') || attributes.value('xml:lang');
        break;
      case T.base:
        this.#meta.base ||= attributes.value('href').trim();
        break;
      case T.link:
        if (isCanonical(attributes.value('rel'))) this.#meta.canonical ||= attributes.value('href').trim();
        break;
      case T.meta:
        this.#readMeta();
        break;
    }
  }

  #openAnchor(): void {
    this.#endLink();
    const attributes = this.#attributes;
    const href = this.#anchorAddress();
    if (href === undefined || this.#hasEnoughLinks) return;
    this.#inJump = !this.#sawHeading && this.#layout.isAtStart && href.startsWith('#');
    if (this.#inJump) this.#layout.boundary('boilerplate');
    this.#layout.openLink(href, this.#linkFlags, this.#linkAt);
    this.#linkName = this.#unseen === undefined ? attributes.raw('aria-label') || attributes.raw('title') : '';
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

  /** A row of a table or a card that leads somewhere at a click; the words in it are its context. */
  #addClicked(tag: Tag): void {
    const attributes = this.#attributes;
    if (attributes.isEmpty || this.#hasEnoughLinks) return;
    const isNamed = ROWS.has(tag) && attributes.has('data-href') && !WIDGET.test(attributes.raw('class'));
    const href = isNamed ? attributes.value('data-href') : clickTarget(attributes.value('onclick'));
    if (href !== '') this.#layout.addLink(href, foldLine(attributes.value('title')), this.#linkFlags, this.#linkAt);
  }

  /** A link that shows nothing, or a picture without words, has the name that its author gave it. */
  #endLink(): void {
    if (this.#linkName !== '' && this.#layout.isLinkEmpty)
      this.#layout.alternative(foldLine(decodeAttribute(this.#linkName)));
    this.#layout.closeLink(PERMALINK);
  }

  #closeAnchor(): void {
    this.#endLink();
    if (this.#inJump) this.#layout.boundary(this.#containers.place);
    this.#inJump = false;
  }

  /** The text of a drawing is none of the page's, its links are. */
  #addDrawnLink(): void {
    const name = this.#attributes.has('href') ? 'href' : 'xlink:href';
    this.#addLink(name, this.#attributes.value('xlink:title'), LINK_FLAG.image);
  }

  /** A frame that scripts load later has its address in another attribute. */
  #addFrame(): void {
    // What is framed for those without scripts counts visitors.
    if (this.#tagStart < this.#noticeEnd) return;
    const attributes = this.#attributes;
    if (attributes.has('srcdoc')) this.#keepInnerPage(attributes.value('srcdoc'));
    const isLazy = /^(?:|about:blank.*|javascript:.*)$/i.test(attributes.value('src').trim());
    const name = isLazy ? (LAZY_FRAMES.find((lazy) => attributes.has(lazy)) ?? 'src') : 'src';
    this.#addLink(name, attributes.value('title'), LINK_FLAG.frame);
  }

  /** It is read behind the page around it, and what it frames itself is not. */
  #keepInnerPage(html: string): void {
    if (this.#options.within !== undefined || this.#innerPages.length === MAX_INNER_PAGES) return;
    const place = this.#containers.place === 'own' ? 'own' : 'boilerplate';
    this.#innerPages.push({ html, place, at: this.#tagStart });
  }

  /** A document shown within the page by a plugin or the browser. */
  #addObject(name: 'data' | 'src'): void {
    if (!UNREADABLE_OBJECT.test(this.#attributes.raw('type')))
      this.#addLink(name, this.#attributes.value('title'), LINK_FLAG.frame);
  }

  #addLink(attribute: AttributeName, alternative: string, flags: number): void {
    if (!this.#attributes.has(attribute) || this.#hasEnoughLinks) return;
    const href = this.#attributes.value(attribute);
    this.#layout.addLink(href, foldLine(alternative), this.#linkFlags | flags, this.#linkAt);
  }

  #nameLink(): void {
    if (!this.#layout.hasOpenLink || this.#unseen !== undefined) return;
    this.#layout.alternative(foldLine(this.#attributes.value('alt') || this.#attributes.value('title')));
  }

  get #hasEnoughLinks(): boolean {
    return this.#layout.links.length >= this.#maxRawLinks;
  }

  get #linkAt(): number {
    return this.#options.within?.at ?? this.#tagStart;
  }

  get #linkFlags(): number {
    const nofollow = isNofollow(this.#attributes.raw('rel')) ? LINK_FLAG.nofollow : 0;
    return PLACE_FLAGS[this.#unseen === undefined ? this.#containers.place : 'boilerplate'] | nofollow;
  }

  /** Two line breaks in a row end a paragraph. */
  #lineBreak(): void {
    if (this.#lastBreak === this.#layout.length) this.#layout.boundary(this.#containers.place);
    else this.#layout.space();
    this.#lastBreak = this.#layout.length;
  }

  /** Where the element ends whose start tag is read, or -1. */
  #endWithin(chars: number): number {
    if (this.#html[this.#tagEnd - 1] === '/') return -1;
    const inside = this.#html.slice(this.#tagStart, this.#tagStart + chars).toLowerCase();
    const length = inside.indexOf(`</${this.#tag.name}`);
    return length < 0 ? -1 : this.#tagStart + length;
  }

  /** A script may hold data for machines that read pages (schema.org), or for the page's own scripts. */
  #beginData(): void {
    const { data, state } = this.#meta;
    const type = this.#attributes.raw('type');
    const isStructured = /^\s*application\/ld\+json/i.test(type);
    const isState =
      /^\s*application\/json/i.test(type) ||
      (!isStructured && !this.#attributes.has('src') && setsState(this.#html, this.#tagEnd + 1));
    if (isStructured ? data.length >= MAX_DATA_PASSAGES : !isState || state.length >= MAX_STATE_PASSAGES) return;
    this.#dataInto = isStructured ? data : state;
    this.#dataStart = this.#tagEnd + 1;
  }

  /** Inertia keeps it in an attribute. */
  #keepState(): void {
    const { state } = this.#meta;
    const inside = this.#attributes.raw('data-page');
    if (inside.startsWith('{') && state.length < MAX_STATE_PASSAGES) state.push(inside);
  }

  #titleOf(start: number, end: number): string {
    const source = clip(this.#html.slice(start, end), 4 * MAX_TITLE_CHARS);
    return clip(foldLine(decodeText(source)), MAX_TITLE_CHARS).trimEnd();
  }

  #endHeading(): void {
    if (this.#headingStart < 0) return;
    const end = Math.min(this.#layout.length, this.#headingStart + MAX_TITLE_CHARS);
    this.#heading = foldLine(this.#layout.slice(this.#headingStart, end));
    this.#headingStart = -1;
  }

  #readMeta(): void {
    this.#follow(readMetaTag(this.#attributes, this.#meta, this.#options));
  }

  #follow(refresh: Refresh | undefined): void {
    if (refresh === undefined) return;
    // What stands in a noscript is no part of the page that most people see.
    if (!this.#inNoscript) this.#meta.refresh ??= refresh;
    if (!this.#hasEnoughLinks) this.#layout.addLink(refresh.target, '', LINK_FLAG.frame, this.#linkAt);
  }
}
