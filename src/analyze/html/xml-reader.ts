import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { decodeText } from './entities.ts';

/** Receives the content of an XML document, in order. Names are in lower case, with their prefixes. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Also called for unclosed elements, innermost first. */
  close(name: string): void;
  text(text: string): void;
}

/** Deeper elements are skipped: no real document has them. */
const MAX_DEPTH = 200;
const MAX_ATTRIBUTES = 50;

/** A name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/**
 * Reads XML that may be hostile or malformed, in time linear in its length: htmlparser2's own parser is quadratic in
 * the nesting. Reads no DTD, so entities cannot expand.
 */
export function readXml(xml: string, handler: XmlHandler): void {
  const reader = new XmlReader(xml, handler);
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: false }, reader);
  tokenizer.write(xml);
  tokenizer.end();
  reader.finish();
}

class XmlReader implements TokenizerCallbacks {
  readonly #xml: string;
  readonly #handler: XmlHandler;
  readonly #open: string[] = [];
  /** Open elements beyond the limit. */
  #overflow = 0;
  #name = '';
  #attribute = '';
  #attributes: Record<string, string> = {};
  #count = 0;

  constructor(xml: string, handler: XmlHandler) {
    this.#xml = xml;
    this.#handler = handler;
  }

  finish(): void {
    while (this.#open.length > 0) this.#handler.close(this.#open.pop()!);
  }

  ontext(start: number, end: number): void {
    if (this.#overflow === 0) this.#handler.text(decodeText(this.#xml.slice(start, end)));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.#overflow === 0) this.#handler.text(this.#xml.slice(start, end - endOffset));
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#xml.slice(start, end).toLowerCase();
    this.#attributes = {};
    this.#count = 0;
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#xml.slice(start, end).toLowerCase();
  }

  onattribdata(start: number, end: number): void {
    if (this.#count++ < MAX_ATTRIBUTES && this.#attribute !== '__proto__')
      this.#attributes[this.#attribute] = decodeText(this.#xml.slice(start, end));
  }

  onopentagend(): void {
    if (this.#open.length >= MAX_DEPTH) {
      this.#overflow++;
      return;
    }
    this.#open.push(this.#name);
    this.#handler.open(this.#name, this.#attributes);
  }

  onselfclosingtag(): void {
    this.onopentagend();
    this.#close(this.#name);
  }

  onclosetag(start: number, end: number): void {
    this.#close(this.#xml.slice(start, end).toLowerCase());
  }

  onattribend(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}

  isInForeignContext(): boolean {
    return false;
  }

  /** An end tag closes unclosed elements inside its element; without a start tag it is ignored. */
  #close(name: string): void {
    if (this.#overflow > 0) {
      this.#overflow--;
      return;
    }
    const at = this.#open.lastIndexOf(name);
    while (at >= 0 && this.#open.length > at) this.#handler.close(this.#open.pop()!);
  }
}
