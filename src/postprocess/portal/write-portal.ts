import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { STEMMED_LANGUAGES, stemmerScript, tokenize } from '../../analyze/index.ts';
import type { TermCounts, TopicTree } from '../../core/index.ts';
import { builtFile, packageFile, sanitizeText } from '../../kit/index.ts';
import { withoutMarks } from '../search/accents.ts';
import { opening } from '../search/opening-paragraph.ts';
import { shortened } from '../search/snippet.ts';
import { accentStyle, favicon } from './accent.ts';
import { changePage } from './change-page.ts';
import { LISTS, type PortalContents, type PortalPage, portalContents } from './contents.ts';
import { type Curation, NO_CURATION } from './curation.ts';
import { facetsOf } from './facets.ts';
import { atomFeed } from './feed.ts';
import { listAddress, listPages } from './list-pages.ts';
import { type Numbering, numbering, rangesOf } from './numbering.ts';
import { aboutPage, homePage, searchPage, topicPage } from './pages.ts';
import { type PortalView, titleOf, wholeTitle } from './parts.ts';
import { PortalFiles } from './portal-files.ts';
import type { PortalSource, ThumbnailSource } from './ports.ts';
import { SearchIndex, tellingStems, withPostings } from './search-index.ts';
import { hasAbout } from './shell.ts';
import { siteMap } from './site-map.ts';
import { topicLinks } from './topic-links.ts';
import { MapMaker } from './topic-maps.ts';
import { cleanWords, PortalWords } from './words.ts';

export interface PortalOptions {
  readonly tree: TopicTree;
  /** Name of the portal. */
  readonly title: string;
  /** Decisions of an editor. Default: none. */
  readonly curation?: Curation;
  /** Source of pictures, for a curation that wants them. Default: none. */
  readonly thumbnails?: ThumbnailSource;
  /** Folder of the portal that this one replaces: what did not change is taken from it. */
  readonly before?: string;
  /** Called with the number of pages that are done and the total. */
  readonly onRead?: (pages: number, of: number) => void;
}

/** Size of a portal. */
export interface PortalSummary {
  readonly pages: number;
  readonly topics: number;
  /** Parts of the search index. */
  readonly shards: number;
  /** Pinned pages that are not stored, so that the portal cannot show them. */
  readonly missing: readonly string[];
}

const ASSETS = packageFile('assets/portal/');
/** Pages per file of result data. */
const BLOCK = 200;
const SNIPPET_CHARS = 240;
const READ_AT_ONCE = 50;

/** Writes a static site into an empty folder; equal pages, trees and portals before give equal files. */
export async function writePortal(
  source: PortalSource,
  { tree, title, curation = NO_CURATION, thumbnails, before, onRead = () => {} }: PortalOptions,
  folder: string,
): Promise<PortalSummary> {
  const contents = await portalContents(source, tree, curation);
  const { language, words: own } = curation;
  const words = own === undefined ? new PortalWords(language) : new PortalWords(language, cleanWords(own));
  const files = new PortalFiles(folder, before);
  for (const name of ['style.css', 'words.js', 'query.js', 'search.js'])
    files.write(name, readFileSync(fileURLToPath(new URL(name, ASSETS))));
  writeModules(files);
  const numbers = numbering(contents.pages, files.state);
  const mapMaker = new MapMaker(contents, files.state?.maps);
  const blocks = await writeBlocks(source, contents, { files, numbers, mapMaker, onRead });
  writeStemmers(blocks.languages, files);
  const shards = blocks.writeIndex();
  writeManifest({ contents, languages: blocks.languages, words, shards, numbers }, files);
  const facets = facetsOf(numbers.sequences.map((sequence) => blocks.pageOf.get(sequence)));
  writeScript(files, 'index/facets.js', 'facets', [facets]);
  const maps = await mapMaker.maps(source);
  const links = await topicLinks(source, contents);
  const { snippets, pageOf } = blocks;
  const pictures = await writeThumbnails(contents, files, thumbnails);
  const view = { title, contents, snippets, words, curation, maps, links, pageOf, thumbnails: pictures };
  writePages(view, files);
  const { sequences, atFirst } = numbers;
  files.save({ sequences, atFirst, shards, frequencies: blocks.frequencies(), languages: blocks.languages, maps });
  return {
    pages: contents.pages.length,
    topics: contents.topics.size,
    shards: shards.length,
    missing: contents.missing,
  };
}

interface Place {
  readonly files: PortalFiles;
  readonly numbers: Numbering;
  readonly mapMaker: MapMaker;
  readonly onRead: (pages: number, of: number) => void;
}

/** What a result shows: title, address, number of the topic, passage, language. */
type ResultRow = readonly [string, string, number, string, string];

/**
 * Writes result data to files of a few hundred pages. Pages that were in the portal before are not read again. The
 * words of the others go into the index.
 */
async function writeBlocks(
  source: PortalSource,
  contents: PortalContents,
  { files, numbers, mapMaker, onRead }: Place,
) {
  const listed = listedPages(contents);
  const topics = new Map([...contents.topics.keys()].map((id, i) => [id, i]));
  const pageOf = new Map(contents.pages.map((page) => [page.sequence, page]));
  const index = numbers.isFresh ? new NewIndex() : new GrownIndex(files, numbers);
  const snippets = new Map<number, string>();
  const languages = new Set(numbers.isFresh ? [] : files.state?.languages);
  let read = 0;
  for (let at = 0; at < numbers.sequences.length; at += BLOCK) {
    const name = `pages/${at / BLOCK}.js`;
    const sequences = numbers.sequences.slice(at, at + BLOCK);
    const known = numbers.isFresh ? [] : rowsIn(files.before(name));
    const isKnown = (sequence: number, i: number): boolean =>
      sequence === 0 || (!numbers.added.has(sequence) && known[i] != null);
    const fresh = sequences.filter((sequence, i) => !isKnown(sequence, i)).map((sequence) => pageOf.get(sequence)!);
    const passages = new Map<number, string>();
    for await (const [page, words] of wordsOf(source, fresh)) {
      mapMaker.add(page, words);
      const text = opening(words?.text ?? '', SNIPPET_CHARS);
      passages.set(page.sequence, sanitizeText(shortened({ text, marks: [] }, words?.maxSnippet).text));
      if (numbers.added.has(page.sequence))
        index.add(numbers.numberOf.get(page.sequence)!, words?.terms, tokenize(wholeTitle(page), page.language));
      languages.add(page.language);
    }
    const rows = sequences.map((sequence, i): ResultRow | null => {
      const page = pageOf.get(sequence);
      if (page === undefined) return null;
      const passage = passages.get(sequence) ?? known[i]![3];
      if (listed.has(sequence)) snippets.set(sequence, passage);
      return [titleOf(page), page.address, topics.get(page.topic)!, passage, page.language];
    });
    writeScript(files, name, 'pages', [at / BLOCK, rows]);
    read += rows.length;
    onRead(Math.min(read, contents.pages.length), contents.pages.length);
  }
  languages.delete('');
  return {
    snippets,
    pageOf,
    languages: [...languages].sort(),
    writeIndex: () => index.write(files),
    frequencies: () => index.frequencies,
  };
}

/** Returns the rows of a file of result data; none if it is missing. */
function rowsIn(script: Buffer | undefined): readonly (ResultRow | null)[] {
  return (dataOf(script)[1] as (ResultRow | null)[] | undefined) ?? [];
}

/** Returns the data of a script, see {@link writeScript}. */
function dataOf(script: Buffer | undefined): readonly unknown[] {
  const text = script?.toString() ?? '';
  return JSON.parse(`[${text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))}]`);
}

/** The index of a portal whose pages have all been numbered now. */
class NewIndex {
  readonly #index = new SearchIndex();

  add(_: number, bag: TermCounts | undefined, title: Iterable<string>): void {
    this.#index.add(bag, title);
  }

  get frequencies(): Readonly<Record<string, number>> {
    return this.#index.frequencies;
  }

  /** Returns the first stem of each shard. */
  write(files: PortalFiles): readonly string[] {
    const shards: string[] = [];
    for (const { first, text } of this.#index.shards()) {
      writeScript(files, shardName(shards.length), 'shard', [shards.length, text]);
      shards.push(first);
    }
    return shards;
  }
}

/**
 * The index of the portal before, with further pages. Words of pages that left stay in it; the search ignores these
 * pages.
 */
class GrownIndex {
  readonly frequencies: Readonly<Record<string, number>>;
  readonly #known: ReadonlyMap<string, number>;
  readonly #pages: number;
  readonly #shards: readonly string[];
  /** By number of the shard. */
  readonly #added = new Map<number, Map<string, (readonly [number, number])[]>>();

  constructor({ state }: PortalFiles, { atFirst }: Numbering) {
    this.frequencies = state!.frequencies;
    this.#known = new Map(Object.entries(state!.frequencies));
    this.#pages = atFirst;
    this.#shards = state!.shards;
  }

  add(page: number, bag: TermCounts | undefined, title: Iterable<string>): void {
    for (const [stem, weight] of tellingStems(bag, title, { frequencies: this.#known, pages: this.#pages })) {
      const shard = this.#shardOf(withoutMarks(stem));
      const stems = this.#added.get(shard) ?? new Map<string, (readonly [number, number])[]>();
      this.#added.set(shard, stems.set(stem, [...(stems.get(stem) ?? []), [page, weight]]));
    }
  }

  write(files: PortalFiles): readonly string[] {
    for (const number of Array.from({ length: Math.max(1, this.#shards.length) }, (_, i) => i)) {
      const added = this.#added.get(number);
      if (added === undefined && (this.#shards.length === 0 || files.keep(shardName(number)))) continue;
      const [, text = ''] = dataOf(files.before(shardName(number))) as [number?, string?];
      writeScript(files, shardName(number), 'shard', [number, withPostings(text, added ?? new Map())]);
    }
    return this.#shards.length === 0 && this.#added.size > 0 ? [''] : this.#shards;
  }

  /** As the search page finds it. */
  #shardOf(plain: string): number {
    const next = this.#shards.findIndex((first) => first > plain);
    return next < 0 ? Math.max(0, this.#shards.length - 1) : Math.max(0, next - 1);
  }
}

function shardName(number: number): string {
  return `index/${number}.js`;
}

/** Writes the pictures of listed pages, and returns their names by address. */
async function writeThumbnails(
  contents: PortalContents,
  files: PortalFiles,
  thumbnails: ThumbnailSource | undefined,
): Promise<ReadonlyMap<string, string>> {
  const lists = [...contents.topics.values()].flatMap(({ lists: { start, cited, collections } }) => [
    ...[...start, ...cited, ...collections].map(({ page }) => page.image),
  ]);
  const wanted = [...new Set(lists)].filter((image) => image !== '');
  if (wanted.length === 0 || thumbnails === undefined) return new Map();
  const names = new Map<string, string>();
  for (const [url, { name, bytes }] of await thumbnails(wanted)) {
    names.set(url, `thumbnails/${name}`);
    files.write(`thumbnails/${name}`, bytes);
  }
  return names;
}

/** Yields pages with their words, few at a time, because they take much memory. */
async function* wordsOf(source: PortalSource, pages: readonly PortalPage[]) {
  for (let at = 0; at < pages.length; at += READ_AT_ONCE) {
    const part = pages.slice(at, at + READ_AT_ONCE);
    const words = await source.words(part.map((page) => page.sequence));
    for (const page of part) yield [page, words.get(page.sequence)] as const;
  }
}

function listedPages(contents: PortalContents): ReadonlySet<PortalPage['sequence']> {
  return new Set(
    [...contents.topics.values()].flatMap(({ lists, latest }) => [
      ...LISTS.flatMap((name) => lists[name].map(({ page }) => page.sequence)),
      ...latest.map(({ sequence }) => sequence),
    ]),
  );
}

/** Writes the modules that find spellings and starts of stems in store searches, each as a script. */
function writeModules(files: PortalFiles): void {
  for (const [name, taker] of [
    ['accents', 'addAccents'],
    ['beginnings', 'addBeginnings'],
  ]) {
    const code = readFileSync(builtFile(`browser/${name}`), 'utf8');
    const script = `bingoWords.${taker}((() => {
${code}
return ${name};
})());
`;
    files.write(`${name}.js`, script);
  }
}

/** Copies the available stemmers of these languages. */
function writeStemmers(languages: readonly string[], files: PortalFiles): void {
  for (const language of languages.filter(isStemmed)) {
    const script = `bingoWords.addStemmer(${JSON.stringify(language)}, (() => {
${stemmerScript(language)}
})());
`;
    files.write(`stemmers/${language}.js`, script);
  }
}

function isStemmed(language: string): boolean {
  return STEMMED_LANGUAGES.includes(language);
}

interface Indexed {
  readonly contents: PortalContents;
  readonly languages: readonly string[];
  readonly words: PortalWords;
  readonly shards: readonly string[];
  readonly numbers: Numbering;
}

function writeManifest({ contents, languages, words, shards, numbers }: Indexed, files: PortalFiles): void {
  const topics = [...contents.topics.values()].map(({ name, slug, first, end }) => {
    const within = contents.pages.slice(first, end).map(({ sequence }) => numbers.numberOf.get(sequence)!);
    return [sanitizeText(name), slug, rangesOf(within)];
  });
  const pages = numbers.sequences.length;
  const all = rangesOf([...numbers.numberOf.values()]);
  const stemmers = languages.filter(isStemmed);
  const said = { language: words.language, words: words.forSearch() };
  const manifest = { pages, all, block: BLOCK, topics, shards, languages, stemmers, ...said };
  writeScript(files, 'index/manifest.js', 'manifest', [manifest]);
}

/**
 * Writes a script that passes its data to the search page. JSON is valid JavaScript, and page content cannot escape
 * its strings.
 */
function writeScript(files: PortalFiles, name: string, taker: string, data: readonly unknown[]): void {
  files.write(name, `bingoPortal.${taker}(${data.map((item) => JSON.stringify(item)).join(',')});\n`);
}

function writePages(view: PortalView, files: PortalFiles): void {
  files.write('index.html', homePage(view));
  files.write('search.html', searchPage(view));
  files.write('changes.html', changePage(view));
  writeCuration(view, files);
  for (const topic of view.contents.topics.values()) {
    files.write(`topics/${topic.slug}.html`, topicPage(view, topic));
    files.write(`feeds/${topic.slug}.xml`, atomFeed(view, topic));
    if (topic.end === topic.first) continue;
    for (const [number, text] of listPages(view, topic)) files.write(listAddress(topic, number), text);
  }
}

/** Writes what an editor added: colours, icon, logo, a page about the portal, a site map. */
function writeCuration(view: PortalView, files: PortalFiles): void {
  const { curation } = view;
  files.write('accent.css', accentStyle(curation));
  files.write('favicon.svg', favicon(view));
  if (curation.logo !== undefined) files.write(curation.logo.name, curation.logo.bytes);
  if (hasAbout(curation)) files.write('about.html', aboutPage(view));
  if (curation.address !== undefined) files.write('sitemap.xml', siteMap(view, curation.address));
}
