import { decodeBody } from '../../analyze/index.ts';
import {
  type AnalyzedDocument,
  EMPTY_COUNTS,
  type ExtensionLink,
  type FetchedPage,
  type JudgedExtensionPage,
  type PageJudgement,
  unpackCounts,
  unpackLinks,
} from '../../core/index.ts';

/** A page for extensions. Costly parts are computed when an extension asks for them. */
export class AnalyzedPage implements JudgedExtensionPage {
  judgement: PageJudgement | undefined;
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly title: string;
  readonly language: string;
  readonly #page: FetchedPage;
  readonly #document: AnalyzedDocument;
  #text: string | undefined;
  #html: string | undefined;
  #words: ReadonlyMap<string, number> | undefined;
  #links: readonly ExtensionLink[] | undefined;

  /** @param page as the server sent it */
  constructor(page: FetchedPage, document: AnalyzedDocument) {
    this.url = page.url;
    this.status = page.status;
    this.contentType = page.headers.contentType;
    this.title = document.title;
    this.language = document.language;
    this.#page = page;
    this.#document = document;
  }

  get text(): string {
    const { noted, text } = this.#document;
    this.#text ??= noted === undefined ? text : Buffer.from(noted.utf8).toString();
    return this.#text;
  }

  get html(): string {
    const { body, headers } = this.#page;
    this.#html ??= /html/i.test(headers.contentType) ? decodeBody(body, headers.charset, true) : '';
    return this.#html;
  }

  get words(): ReadonlyMap<string, number> {
    this.#words ??= new Map(unpackCounts(this.#document.features.terms ?? EMPTY_COUNTS));
    return this.#words;
  }

  get links(): readonly ExtensionLink[] {
    this.#links ??= unpackLinks(this.#document.links).map(({ url, anchor, context }) => ({ url, anchor, context }));
    return this.#links;
  }
}
