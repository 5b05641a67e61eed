import type { TokenizerCallbacks } from 'htmlparser2';
import { TagAttributes } from './attributes.ts';
import { namesBoilerplate } from './boilerplate.ts';
import { setBeside, settleDoubts } from './boilerplate-names.ts';
import { Containers } from './containers.ts';
import type { Layout, Place } from './layout.ts';
import { PageLinks, type Spot } from './page-links.ts';
import { leavingIn, type PageMeta, type Refresh, type RobotsReader } from './page-meta.ts';
import { PageTokenizer } from './page-tokenizer.ts';
import { ParagraphKinds } from './paragraph-kinds.ts';
import { SelfDescription } from './self-description.ts';
import { HEADINGS, TAG, type Tag, tagAt, tagNamed } from './tags.ts';

/** A `<noscript>` up to this length contains a notice or a counter; a longer one may contain the page. */
const NOTICE_CHARS = 1_000;
/** The content of a video is for browsers that cannot play it; a longer one may be unclosed. */
const FALLBACK_CHARS = 2_000;
/** Maximum number of inner pages (`srcdoc` of frames); each costs a look at the paragraphs read before. */
const MAX_INNER_PAGES = 20;
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
  link: tagNamed('link'),
  meta: tagNamed('meta'),
  noscript: tagNamed('noscript'),
  object: tagNamed('object'),
  script: tagNamed('script'),
  svg: tagNamed('svg'),
  template: tagNamed('template'),
  title: tagNamed('title'),
  video: tagNamed('video'),
} as const;

/** Wikis show this link beside each heading. */
const EDIT_LINK = 'editsection';

/** Each of these ends an unclosed cell. */
const TABLE_PARTS: ReadonlySet<Tag> = new Set(['td', 'th', 'tr', 'thead', 'tbody', 'tfoot'].map(tagNamed));

/** A custom element whose name states its purpose: `site-footer`, `cookie-banner`. */
const CUSTOM = tagNamed('-');

export interface ScanOptions extends RobotsReader {
  readonly maxLinks: number;
  /** Feeds that the page names in its head are links. Default: false. */
  readonly feeds?: boolean;
  /** The frame around the page being read. Default: it is a top-level page. */
  readonly within?: Frame;
}

/** A frame with its page in `srcdoc`. */
interface Frame {
  readonly place: Place;
  /** Offset in the source of the outer page. */
  readonly at: number;
}

/**
 * Reads HTML in one pass with htmlparser2's tokenizer: no tree, no stack of inline elements. Only containers are
 * tracked, so the time is linear in the page whatever its nesting (htmlparser2's own parser is quadratic there).
 */
export class HtmlScanner implements TokenizerCallbacks {
  readonly #html: string;
  readonly #layout: Layout;
  readonly #attributes: TagAttributes;
  readonly #containers: Containers;
  readonly #links: PageLinks;
  readonly #kinds: ParagraphKinds;
  readonly #about: SelfDescription;

  #selfCloses = false;
  #tag: Tag = tagAt('', 0, 0);
  #tagStart = 0;
  #tagEnd = 0;
  /** Raw text (script, style, …) is skipped until the next tag. */
  #isRawText = false;
  #inTitle = false;
  /** Content before this offset is a fallback for browsers without scripts or video, and not text. */
  #noticeEnd = -1;
  /** The hidden inline element, and the number of open elements of its kind. */
  #unseen: Tag | undefined;
  #unseenDepth = 0;
  /** The block whose line is being read, until it ends. */
  #line: Tag | undefined;
  /** Buttons are commands, except in a heading. */
  #inHeading = false;
  #inNoscript = false;
  #sawHeading = false;
  #lastBreak = -1;
  readonly #options: ScanOptions;
  readonly #innerPages: (Frame & { readonly html: string })[] = [];

  constructor(html: string, layout: Layout, options: ScanOptions) {
    this.#html = html;
    this.#options = options;
    this.#layout = layout;
    const attributes = new TagAttributes(html);
    this.#attributes = attributes;
    this.#containers = new Containers(layout, attributes, options.within?.place);
    this.#kinds = new ParagraphKinds(layout);
    this.#links = new PageLinks(layout, attributes, this.#containers, options.maxLinks);
    this.#about = new SelfDescription(html, layout, attributes, { ...options, robot: options.robot || 'robots' });
  }

  /** Reads the page into the layout. @param recognizeSelfClosing XHTML: `<div/>` is a complete element */
  run(recognizeSelfClosing: boolean): PageMeta {
    this.#selfCloses = recognizeSelfClosing;
    // Character references are decoded when text is copied: the tokenizer then jumps from tag to tag.
    this.#layout.open(this.#html);
    this.#layout.boundary(this.#containers.place);
    const tokenizer = new PageTokenizer({ decodeEntities: false, recognizeSelfClosing }, this);
    tokenizer.write(this.#html);
    tokenizer.end();
    this.#containers.closeAll();
    const meta = this.#about.settle();
    this.#layout.finish();
    settleDoubts(this.#layout, this.#containers.doubts);
    setBeside(this.#layout, this.#containers.beside);
    for (const { html, ...within } of this.#innerPages)
      new HtmlScanner(html, this.#layout, { ...this.#options, within }).run(false);
    return meta;
  }

  isInForeignContext(): boolean {
    return this.#containers.isOpen(T.svg);
  }

  ontext(start: number, end: number): void {
    if (this.#inTitle) this.#about.takeTitle(start, end);
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
    this.#about.endData(start - '</'.length);
    const tag = this.#tagAt(start, end);
    this.#about.endProperty(tag);
    this.#close(tag, start - '</'.length);
  }

  /** CDATA is text in XHTML; in an SVG drawing in HTML it is not part of the page. */
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
    if ((this.#attributes.isTelling || this.#namesAuthor) && !this.#containers.isHidden) this.#about.beginProperty(tag);
    const { bits } = tag;
    if ((bits & TAG.inline) !== 0 || tag === T.a) this.#openInline(tag);
    if ((bits & TAG.inline) !== 0) return;
    if ((bits & TAG.block) !== 0 && this.isInForeignContext()) this.#containers.close(T.svg);
    if ((bits & TAG.hidden) !== 0 && (bits & TAG.container) === 0) this.#isRawText = true;
    if ((bits & TAG.heading) !== 0 && HEADINGS.has(tag)) this.#about.endHeading();
    if (TABLE_PARTS.has(tag)) this.#containers.closeCell();
    if ((bits & TAG.block) !== 0) this.#openBlock(tag);
    if ((bits & TAG.container) !== 0) this.#containers.open(tag);
    if ((bits & TAG.block) !== 0 || (tag === T.button && !this.#inHeading))
      this.#layout.boundary(this.#containers.place);
    if ((bits & TAG.block) !== 0) this.#inHeading = (bits & TAG.heading) !== 0;
    if ((bits & TAG.block) !== 0) this.#kinds.open(tag, this.#tagEnd + 1);
    this.#sawHeading ||= this.#inHeading && this.#containers.place === 'own';
    if (!this.#containers.isHidden) this.#act(tag);
    else if (tag === T.a && !this.#containers.isOpen(T.template)) this.#links.addDrawn(this.#spot);
  }

  get #namesAuthor(): boolean {
    return this.#attributes.namesAuthor && !this.#containers.isAmongOthers;
  }

  #close(tag: Tag, start = this.#tagStart): void {
    this.#isRawText = false;
    if (tag.id === 0) return;
    if (tag === this.#unseen && --this.#unseenDepth === 0) this.#unseen = undefined;
    if ((tag.bits & TAG.inline) !== 0 || tag === T.a) this.#containers.closeInline(tag);
    if ((tag.bits & TAG.inline) !== 0 || tag === T.a) this.#closeUnseen(tag);
    if ((tag.bits & TAG.inline) !== 0) return;
    this.#containers.closeUnseen(tag);
    if (tag.bits === 0) this.#closePlain(tag);
    else if (tag === T.a) this.#links.close();
    else if ((tag.bits & TAG.heading) !== 0 && HEADINGS.has(tag)) {
      this.#about.endHeading();
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
    if ((tag.bits & TAG.block) !== 0) this.#kinds.close(tag, start);
  }

  /** A hidden inline element ends at its end tag, or with the block around it if it is unclosed. */
  #openInline(tag: Tag): void {
    this.#containers.openInline(tag);
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

  /** Ends a hidden element that had blocks inside it. */
  #closeUnseen(tag: Tag): void {
    if (!this.#containers.isOpen(tag)) return;
    this.#links.end();
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
    // Browsers also break the line at `</br>` in HTML.
    else if (tag === T.br && !this.#selfCloses && !this.#containers.isHidden) this.#lineBreak();
  }

  /** Handles what tags do besides separating paragraphs. */
  #act(tag: Tag): void {
    const attributes = this.#attributes;
    if (tag !== T.a && (attributes.has('onclick') || attributes.has('data-href')))
      this.#links.addClicked(tag, this.#spot);
    switch (tag) {
      case T.a:
        this.#links.open(this.#spot, !this.#sawHeading);
        break;
      case T.br:
        this.#lineBreak();
        break;
      case T.img:
      case T.image:
        if (this.#unseen === undefined) this.#links.nameByPicture();
        break;
      case T.area:
        this.#links.addArea(this.#spot);
        break;
      case T.frame:
      case T.iframe:
        this.#addFrame();
        break;
      case T.object:
        this.#links.addObject('data', this.#spot);
        break;
      case T.embed:
        this.#links.addObject('src', this.#spot);
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
      default:
        this.#describe(tag);
    }
  }

  /** Handles tags that say something about the page as a whole. */
  #describe(tag: Tag): void {
    switch (tag) {
      case T.div:
        this.#about.keepState();
        break;
      case T.script:
        this.#about.beginData(this.#tagEnd + 1);
        if (!this.#attributes.has('src')) this.#follow(leavingIn(this.#html, this.#tagEnd + 1));
        break;
      case T.h1:
        this.#about.beginHeading();
        break;
      case T.title:
        this.#inTitle = this.#about.meta.title === '' && !this.isInForeignContext();
        this.#isRawText = !this.#inTitle;
        break;
      case T.html:
        this.#about.readRoot();
        break;
      case T.base:
        this.#about.readBase();
        break;
      case T.link:
        this.#about.readLink();
        if (this.#options.feeds === true) this.#links.addFeed(this.#spot);
        break;
      case T.meta:
        this.#follow(this.#about.readMeta());
        break;
    }
  }

  #addFrame(): void {
    // Frames for browsers without scripts count visitors.
    if (this.#tagStart < this.#noticeEnd) return;
    if (this.#attributes.has('srcdoc')) this.#keepInnerPage(this.#attributes.value('srcdoc'));
    this.#links.addFrame(this.#spot);
  }

  /** Keeps an inner page, to be read after the outer page. Its own frames are not read. */
  #keepInnerPage(html: string): void {
    if (this.#options.within !== undefined || this.#innerPages.length === MAX_INNER_PAGES) return;
    const place = this.#containers.place === 'own' ? 'own' : 'boilerplate';
    this.#innerPages.push({ html, place, at: this.#tagStart });
  }

  /** Links of a framed page have the position of the frame. */
  get #spot(): Spot {
    return { at: this.#options.within?.at ?? this.#tagStart, isSeen: this.#unseen === undefined };
  }

  /** Two consecutive line breaks end a paragraph. */
  #lineBreak(): void {
    if (this.#lastBreak === this.#layout.length) this.#layout.boundary(this.#containers.place);
    else this.#layout.space();
    this.#lastBreak = this.#layout.length;
  }

  /** Returns the end of the element whose start tag is being read, or -1 if it is further than `chars`. */
  #endWithin(chars: number): number {
    if (this.#html[this.#tagEnd - 1] === '/') return -1;
    const inside = this.#html.slice(this.#tagStart, this.#tagStart + chars).toLowerCase();
    const length = inside.indexOf(`</${this.#tag.name}`);
    return length < 0 ? -1 : this.#tagStart + length;
  }

  #follow(refresh: Refresh | undefined): void {
    if (refresh === undefined) return;
    // Most users do not see the content of a noscript.
    if (!this.#inNoscript) this.#about.meta.refresh ??= refresh;
    this.#links.addForward(refresh.target, this.#spot);
  }
}
