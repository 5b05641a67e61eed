/** Meaning of a tag for the scanner; several bits may be set. */
export const TAG = {
  /** Ends the paragraph before it and after it. */
  block: 1,
  /** Kept on the scanner's stack: may mark boilerplate, be a list, or contain table cells. */
  container: 2,
  /** Its content is navigation or similar, by the tag's own meaning. */
  boilerplate: 4,
  /** Its content is not text. */
  hidden: 8,
  list: 16,
  /** Has attributes that the scanner reads. */
  attributes: 32,
  /** A heading: a button inside it is not a command. */
  heading: 64,
  /** An inline element; only its visibility is read. */
  inline: 128,
} as const;

/** A tag that the scanner knows. */
export interface Tag {
  readonly name: string;
  readonly bits: number;
  /** Index in the table; 0 = unknown tag. */
  readonly id: number;
}

const { block, container, boilerplate, hidden, list, attributes, heading, inline } = TAG;

const TABLE: Readonly<Record<string, number>> = {
  html: attributes,
  body: block,
  head: 0,
  title: 0,
  base: attributes,
  link: attributes,
  meta: attributes,
  a: attributes,
  area: attributes,
  img: attributes,
  image: attributes,
  frame: attributes,
  iframe: attributes | hidden,
  span: inline | attributes,
  b: inline | attributes,
  strong: inline | attributes,
  i: inline | attributes,
  em: inline | attributes,
  small: inline | attributes,
  font: inline | attributes,
  label: inline | attributes,
  sup: inline | attributes,
  code: inline | attributes,
  time: inline | attributes,
  /** Blog programs write dates in its `title`. */
  abbr: inline | attributes,
  br: 0,
  hr: block,
  h1: block | heading | attributes,
  h2: block | heading | attributes,
  h3: block | heading | attributes,
  h4: block | heading | attributes,
  h5: block | heading | attributes,
  h6: block | heading | attributes,
  p: block | attributes,
  pre: block | attributes,
  blockquote: block | attributes,
  address: block | attributes,
  center: block | attributes,
  figure: block | attributes,
  figcaption: block | attributes,
  fieldset: block | attributes,
  legend: block | heading,
  details: block | attributes,
  summary: block | heading,
  dialog: block | container | boilerplate,
  li: block | attributes,
  dt: block | heading | attributes,
  dd: block | attributes,
  tr: block | attributes,
  caption: block | heading | attributes,
  thead: block | attributes,
  tbody: block | attributes,
  tfoot: block | attributes,
  option: block,
  main: block | container | attributes,
  article: block | container | attributes,
  section: block | container | attributes,
  div: block | container | attributes,
  form: block | container | attributes,
  ul: block | container | list | attributes,
  ol: block | container | list | attributes,
  dl: block | container | list | attributes,
  dir: block | container | list | attributes,
  menu: block | container | boilerplate | list,
  table: block | container | attributes,
  td: block | container | attributes,
  th: block | container | attributes | heading,
  nav: block | container | boilerplate,
  search: block | container | boilerplate,
  header: block | container,
  hgroup: block,
  footer: block | container | boilerplate,
  aside: block | container | boilerplate,
  select: block | container | boilerplate,
  /** Represents custom elements with names of navigation. */
  '-': block | container | boilerplate,
  datalist: block | container | boilerplate,
  button: container | boilerplate | attributes,
  template: block | container | hidden | attributes,
  svg: container | hidden,
  math: 0,
  annotation: hidden,
  /** Pronunciation of the preceding letters: in the text it would split words. */
  rt: hidden,
  rtc: hidden,
  rp: hidden,
  noscript: 0,
  script: hidden | attributes,
  style: hidden,
  textarea: hidden,
  noembed: hidden,
  noframes: hidden,
  xmp: block,
  listing: block,
  object: attributes,
  embed: attributes,
  /** Their content is a fallback for browsers that cannot show them. */
  video: hidden,
  audio: hidden,
  source: hidden,
  track: hidden,
  canvas: hidden,
  progress: hidden,
  meter: hidden,
};

/** Names of tags and attributes differ in their first characters and length; longer names are unknown. */
const MAX_NAME_CHARS = 14;

/** Finds names in a string without slicing it. */
export class NameTable {
  readonly #names: readonly string[];
  readonly #slots = new Uint8Array(1024);

  constructor(names: readonly string[]) {
    this.#names = ['', ...names];
    for (let id = 1; id < this.#names.length; id++) {
      const name = this.#names[id]!;
      let slot = hashOf(name, 0, name.length);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & 1023;
      this.#slots[slot] = id;
    }
  }

  /** Returns 1 + index of the name at `source[start … end)`, ignoring case, or 0. */
  find(source: string, start: number, end: number): number {
    if (end - start > MAX_NAME_CHARS) return 0;
    let slot = hashOf(source, start, end);
    for (;;) {
      const id = this.#slots[slot]!;
      if (id === 0 || this.#equals(this.#names[id]!, source, start, end)) return id;
      slot = (slot + 1) & 1023;
    }
  }

  #equals(name: string, source: string, start: number, end: number): boolean {
    if (name.length !== end - start) return false;
    for (let i = 0; i < name.length; i++) if (lower(source.charCodeAt(start + i)) !== name.charCodeAt(i)) return false;
    return true;
  }
}

function lower(c: number): number {
  return c >= 65 && c <= 90 ? c | 32 : c;
}

function hashOf(source: string, start: number, end: number): number {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = (hash * 31 + lower(source.charCodeAt(i))) | 0;
  return (hash ^ (hash >>> 10)) & 1023;
}

const UNKNOWN: Tag = { name: '', bits: 0, id: 0 };
const TAGS: readonly Tag[] = [
  UNKNOWN,
  ...Object.entries(TABLE).map(([name, bits], index) => ({ name, bits, id: index + 1 })),
];
const tagNames = new NameTable(Object.keys(TABLE));

/** Number of tags, including the unknown one: ids are smaller. */
export const TAG_COUNT: number = TAGS.length;

export function tagAt(source: string, start: number, end: number): Tag {
  return TAGS[tagNames.find(source, start, end)]!;
}

/** Returns the tag with this name. @throws RangeError if the table does not have it */
export function tagNamed(name: string): Tag {
  const tag = tagAt(name, 0, name.length);
  if (tag === UNKNOWN) throw new RangeError(`Expected a tag of the table, got "${name}"`);
  return tag;
}

/** Any heading tag, start or end, ends an unclosed heading. */
export const HEADINGS: ReadonlySet<Tag> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(tagNamed));

/** Attributes that the scanner reads; their number is 1 + their index. */
export const ATTRIBUTES = [
  'href',
  'src',
  'rel',
  'alt',
  'class',
  'id',
  'role',
  'name',
  'content',
  'http-equiv',
  'style',
  'hidden',
  'lang',
  'xml:lang',
  'title',
  'aria-label',
  'property',
  'data-href',
  'data-src',
  'data-lazy-src',
  'data-original',
  'xlink:href',
  'xlink:title',
  'type',
  'data',
  'shadowrootmode',
  'srcdoc',
  'data-page',
  'onclick',
  'itemprop',
  'datetime',
] as const;
export type AttributeName = (typeof ATTRIBUTES)[number];

const attributeNames = new NameTable(ATTRIBUTES);

export function attributeAt(source: string, start: number, end: number): number {
  return attributeNames.find(source, start, end);
}
