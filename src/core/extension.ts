import type { TopicId } from './ids.ts';

/** What every extension has. */
export interface ExtensionBase {
  /** Its name in messages and in the journal: small letters, digits and `-`, unique in the workspace. */
  readonly name: string;
}

/** Receives the events of a crawl. It may be slow: events wait in a bounded queue. */
export interface SinkExtension<E = unknown> extends ExtensionBase {
  readonly kind: 'sink';
  /** Receives one event. The next one follows once the promise has resolved. */
  event(event: E): void | Promise<void>;
  /** Called after the last event. */
  close?(): void | Promise<void>;
}

/** A link of a page. */
export interface ExtensionLink {
  readonly url: string;
  /** The text of the link. */
  readonly anchor: string;
  /** About ten words before and after it. */
  readonly context: string;
}

/** A fetched page, as extensions see it. */
export interface ExtensionPage {
  readonly url: string;
  readonly status: number;
  /** Media type, such as `text/html`. */
  readonly contentType: string;
  readonly title: string;
  /** ISO 639-1 code, or `''` if unknown. */
  readonly language: string;
  /** The main text. */
  readonly text: string;
  /** The source of an HTML page; `''` for other formats. */
  readonly html: string;
  /** Stems of the text without stop words, and how often each occurs. */
  readonly words: ReadonlyMap<string, number>;
  readonly links: readonly ExtensionLink[];
}

/** A field that an extractor adds to a page. */
export type FieldValue = string | number | boolean;

/** Fields of a page, by name. */
export type PageFields = Readonly<Record<string, FieldValue>>;

/** Limits of the fields of one page. */
export const FIELD_LIMITS = { count: 32, nameChars: 64, textChars: 4_000, bytes: 16_384 } as const;

/** Adds fields to a page. They are stored, exported and searchable. Runs in the threads that analyse pages. */
export interface ExtractorExtension extends ExtensionBase {
  readonly kind: 'extractor';
  /** Returns the fields of a page; `undefined` if it has none. */
  extract(page: ExtensionPage): PageFields | undefined | Promise<PageFields | undefined>;
}

/** A topic as a page classifier sees it. */
export interface ExtensionTopic {
  /** Its path: `sport/cycling`. */
  readonly topic: string;
  /** The last part of its path. */
  readonly name: string;
  /** The path of its parent; `''` for a top topic. Topics with the same parent compete for a page. */
  readonly parent: string;
}

/** The confidence of a page classifier, by topic. */
export type TopicVotes = Readonly<Record<string, number>>;

/** Votes on the topics of a page, beside the classifiers of Bingo. Runs in the threads that analyse pages. */
export interface ClassifierExtension extends ExtensionBase {
  readonly kind: 'classifier';
  /**
   * Returns how clearly the page belongs to topics, each compared with its siblings: 1 = like a typical page of the
   * topic, -1 = like a typical page outside of it. Numbers beyond are limited to this range. A topic with 0, or left
   * out, gets no vote.
   */
  classify(
    page: ExtensionPage,
    topics: readonly ExtensionTopic[],
  ): TopicVotes | undefined | Promise<TopicVotes | undefined>;
}

/** The verdict of the classifiers on a page. */
export interface PageJudgement {
  /** The path of the topic that accepted the page; `null` if none did. */
  readonly topic: string | null;
  /** Greatest relevance over the topics, in [0,1]. */
  readonly relevance: number;
  /** Relevance by topic, each in [0,1]. */
  readonly relevances: Readonly<Record<string, number>>;
}

/** A page whose links get priorities. */
export interface JudgedExtensionPage extends ExtensionPage {
  /** `undefined` for pages fetched before the first training round. */
  readonly judgement: PageJudgement | undefined;
}

/** A priority in [0,1] for each link of a page, in order; links without a number get the default. */
export type LinkPriorities = ArrayLike<number | null | undefined>;

/** Decides which links are fetched first. Runs in the threads that analyse pages, once per page. */
export interface OrderingExtension extends ExtensionBase {
  readonly kind: 'ordering';
  /** Returns one priority per link of `page.links`; `undefined` if all links get the default. */
  priorities(page: JudgedExtensionPage): LinkPriorities | undefined | Promise<LinkPriorities | undefined>;
}

/** A vote of a page classifier on a page. */
export interface PageVote {
  /** The name of the extension. */
  readonly voter: string;
  readonly topic: TopicId;
  /** In [-1,1], not 0. */
  readonly confidence: number;
}

/** Code of the user that takes part in a crawl. */
export type Extension = SinkExtension | ExtractorExtension | ClassifierExtension | OrderingExtension;

export type ExtensionKind = Extension['kind'];

/** The function that an extension of a kind must have. */
export const EXTENSION_FUNCTIONS: Readonly<Record<ExtensionKind, string>> = {
  sink: 'event',
  extractor: 'extract',
  classifier: 'classify',
  ordering: 'priorities',
};

/** What names of extensions look like. */
export const EXTENSION_NAME: RegExp = /^[a-z][a-z0-9-]{0,62}$/;

/** Where an extension comes from: the absolute path of an ES module, or an object of the calling program. */
export type ExtensionSource = string | Extension;

/** A checked extension. */
export interface LoadedExtension<E extends Extension = Extension> {
  readonly extension: E;
  /** The absolute path of its module; `undefined` for an object. */
  readonly file?: string;
  /** Made for one run; later runs do not miss it. */
  readonly isTemporary?: boolean;
}
