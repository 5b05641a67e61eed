import type { TopicId } from '../../core/index.ts';

/** Lists and pictures on the page of a topic, in their order. */
export const SECTIONS = ['start', 'map', 'cited', 'collections', 'links', 'new', 'dates', 'sites'] as const;
export type Section = (typeof SECTIONS)[number];

export const THEMES = ['clear', 'paper', 'slate'] as const;
export type Theme = (typeof THEMES)[number];

/** A page that an editor puts first. */
export interface Pinned {
  /** Canonical URL. */
  readonly url: string;
  /** What the editor says of it; `''` for nothing. */
  readonly note: string;
}

/** What an editor decided about one topic. */
export interface TopicCuration {
  /** Name for the public; absent: the topic's. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly pinned: readonly Pinned[];
  /** Absent: those of the portal. */
  readonly sections?: readonly Section[] | undefined;
}

/** What an editor decided about a portal. Everything has a default. */
export interface Curation {
  readonly title?: string | undefined;
  /** Paragraphs of the first page. */
  readonly introduction: readonly string[];
  /** Paragraphs of a page of its own; none: no such page. */
  readonly about: readonly string[];
  /** Mail address or URL. */
  readonly contact?: string | undefined;
  /** A picture: its file name in the portal and its bytes. */
  readonly logo?: { readonly name: string; readonly bytes: Uint8Array } | undefined;
  /** Accent as red, green and blue, 0 to 255. */
  readonly accent?: readonly [red: number, green: number, blue: number] | undefined;
  readonly theme: Theme;
  /** Shows the pictures that listed pages name for themselves. */
  readonly thumbnails: boolean;
  /** Where the portal will stand, with `/` at its end: for the sitemap and previews. */
  readonly address?: string | undefined;
  /** BCP 47 tag of the portal's own words. */
  readonly language: string;
  /** The editor's own words by name. */
  readonly words?: Readonly<Record<string, unknown>> | undefined;
  readonly sections: readonly Section[];
  /** Canonical URLs of pages that are not shown. */
  readonly hidden: ReadonlySet<string>;
  /** In the order in which topics are shown; others follow. */
  readonly topics: ReadonlyMap<TopicId, TopicCuration>;
}

/** A portal without any decision of an editor. */
export const NO_CURATION: Curation = {
  introduction: [],
  about: [],
  theme: 'clear',
  thumbnails: false,
  language: 'en',
  sections: SECTIONS,
  hidden: new Set(),
  topics: new Map(),
};
