import type { TokenizerCallbacks } from 'htmlparser2';
import { TagAttributes } from './attributes.ts';
import { namesBoilerplate } from './boilerplate.ts';
import { Containers } from './containers.ts';
import { settleDoubts } from './doubts.ts';
import type { Layout, Place } from './layout.ts';
import { PageLinks, type Spot } from './page-links.ts';
import { leavingIn, type PageMeta, type Refresh, type RobotsReader } from './page-meta.ts';
import { PageTokenizer } from './page-tokenizer.ts';
import { SelfDescription } from './self-description.ts';
import { HEADINGS, TAG, type Tag, tagAt, tagNamed } from './tags.ts';

/** A `<noscript>` that ends within so many characters holds a notice or a counter, a longer one may hold the page. */
const NOTICE_CHARS = 1_000;
/** What stands in a film is for browsers that cannot show it; one that does not end within so many characters may have been left open. */
const FALLBACK_CHARS = 2_000;
/** Pages that stand in the frames of another (`srcdoc`), up to so many; each costs a look at the paragraphs read before. */
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

/** Wikis have it beside each heading. */
const EDIT_LINK = 'editsection';

/** Each of them ends the cell that was left open before it. */
const TABLE_PARTS: ReadonlySet<Tag> = new Set(['td', 'th', 'tr', 'thead', 'tbody', 'tfoot'].map(tagNamed));

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
  readonly #attributes: TagAttributes;
  readonly #containers: Containers;
  readonly #links: PageLinks;
  readonly #about: SelfDescription;

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
    this.#links = new PageLinks(layout, attributes, this.#containers, options.maxLinks);
    this.#about = new SelfDescription(html, layout, attributes, { ...options, robot: options.robot || 'robots' });
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
    const meta = this.#about.settle();
    this.#layout.finish();
    settleDoubts(this.#layout, this.#containers.doubts);
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
    if ((bits & TAG.heading) !== 0 && HEADINGS.has(tag)) this.#about.endHeading();
    if (TABLE_PARTS.has(tag)) this.#containers.closeCell();
    if ((bits & TAG.block) !== 0) this.#openBlock(tag);
    if ((bits & TAG.container) !== 0) this.#containers.open(tag);
    if ((bits & TAG.block) !== 0 || (tag === T.button && !this.#inHeading))
      this.#layout.boundary(this.#containers.place);
    if ((bits & TAG.block) !== 0) this.#inHeading = (bits & TAG.heading) !== 0;
    this.#sawHeading ||= this.#inHeading && this.#containers.place === 'own';
    if (!this.#containers.isHidden) this.#act(tag);
    else if (tag === T.a && !this.#containers.isOpen(T.template)) this.#links.addDrawn(this.#spot);
  }

  #close(tag: Tag): void {
    this.#isRawText = false;
    if (tag.id === 0) return;
    if (tag === this.#unseen && --this.#unseenDepth === 0) this.#unseen = undefined;
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
    // In HTML browsers break the line at `</br>`, too.
    else if (tag === T.br && !this.#selfCloses && !this.#containers.isHidden) this.#lineBreak();
  }

  /** What tags do beyond parting paragraphs. */
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
      case T.div:
        this.#about.keepState();
        break;
      case T.script:
        this.#about.beginData(this.#tagEnd + 1);
        if (!attributes.has('src')) this.#follow(leavingIn(this.#html, this.#tagEnd + 1));
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
        break;
      case T.meta:
        this.#follow(this.#about.readMeta());
        break;
    }
  }

  #addFrame(): void {
    // What is framed for those without scripts counts visitors.
    if (this.#tagStart < this.#noticeEnd) return;
    if (this.#attributes.has('srcdoc')) this.#keepInnerPage(this.#attributes.value('srcdoc'));
    this.#links.addFrame(this.#spot);
  }

  /** It is read behind the page around it, and what it frames itself is not. */
  #keepInnerPage(html: string): void {
    if (this.#options.within !== undefined || this.#innerPages.length === MAX_INNER_PAGES) return;
    const place = this.#containers.place === 'own' ? 'own' : 'boilerplate';
    this.#innerPages.push({ html, place, at: this.#tagStart });
  }

  /** Links of a page in a frame stand where the frame does. */
  get #spot(): Spot {
    return { at: this.#options.within?.at ?? this.#tagStart, isSeen: this.#unseen === undefined };
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

  #follow(refresh: Refresh | undefined): void {
    if (refresh === undefined) return;
    // What stands in a noscript is no part of the page that most people see.
    if (!this.#inNoscript) this.#about.meta.refresh ??= refresh;
    this.#links.addForward(refresh.target, this.#spot);
  }
}
