import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STEMMED_LANGUAGES, stemmerScript, tokenize } from '../../analyze/index.ts';
import type { TopicTree } from '../../core/index.ts';
import { builtFile, packageFile, sanitizeText } from '../../kit/index.ts';
import { opening } from '../search/opening-paragraph.ts';
import { shortened } from '../search/snippet.ts';
import { accentStyle, favicon } from './accent.ts';
import { changePage } from './change-page.ts';
import { LISTS, type PortalContents, type PortalPage, portalContents } from './contents.ts';
import { type Curation, NO_CURATION } from './curation.ts';
import { atomFeed } from './feed.ts';
import { listAddress, listPages } from './list-pages.ts';
import { aboutPage, homePage, searchPage, topicPage } from './pages.ts';
import { type PortalView, titleOf, wholeTitle } from './parts.ts';
import type { PortalSource } from './ports.ts';
import { SearchIndex } from './search-index.ts';
import { hasAbout } from './shell.ts';
import { siteMap } from './site-map.ts';
import { cleanWords, PortalWords } from './words.ts';

export interface PortalOptions {
  readonly tree: TopicTree;
  /** Name of the portal. */
  readonly title: string;
  /** Decisions of an editor. Default: none. */
  readonly curation?: Curation;
  /** Called with the number of pages read and the total. */
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
const READ_AT_ONCE = 20;

/** Writes a static site into an empty folder; equal pages and trees give equal files. */
export async function writePortal(
  source: PortalSource,
  { tree, title, curation = NO_CURATION, onRead = () => {} }: PortalOptions,
  folder: string,
): Promise<PortalSummary> {
  const contents = await portalContents(source, tree, curation);
  const { language, words: own } = curation;
  const words = own === undefined ? new PortalWords(language) : new PortalWords(language, cleanWords(own));
  for (const name of ['topics', 'feeds', 'pages', 'index', 'stemmers', 'all']) mkdirSync(join(folder, name));
  for (const name of ['style.css', 'words.js', 'query.js', 'search.js'])
    copyFileSync(fileURLToPath(new URL(name, ASSETS)), join(folder, name));
  writeModules(folder);
  const index = new SearchIndex();
  const { snippets, languages } = await writeBlocks(source, contents, { folder, index, onRead });
  writeStemmers(languages, folder);
  const shards = writeIndex({ contents, languages, words }, { folder, index });
  writePages({ title, contents, snippets, words, curation }, folder);
  return { pages: contents.pages.length, topics: contents.topics.size, shards, missing: contents.missing };
}

interface Place {
  readonly folder: string;
  readonly index: SearchIndex;
}

type Reading = Place & Required<Pick<PortalOptions, 'onRead'>>;

/**
 * Reads every page once: result data goes to files of a few hundred pages, words go into the index. Returns the
 * languages.
 */
async function writeBlocks(source: PortalSource, contents: PortalContents, { folder, index, onRead }: Reading) {
  const listed = listedPages(contents);
  const numbers = new Map([...contents.topics.keys()].map((id, i) => [id, i]));
  const snippets = new Map<number, string>();
  const languages = new Set<string>();
  for (let at = 0; at < contents.pages.length; at += BLOCK) {
    const pages = contents.pages.slice(at, at + BLOCK);
    const rows: unknown[] = [];
    for await (const [page, document] of documentsOf(source, pages)) {
      const passage = shortened(
        { text: opening(document?.text ?? '', SNIPPET_CHARS), marks: [] },
        document?.maxSnippet,
      ).text;
      if (listed.has(page.sequence)) snippets.set(page.sequence, passage);
      index.add(document?.features.terms, tokenize(wholeTitle(page), document?.language ?? ''));
      languages.add(document?.language ?? '');
      rows.push([titleOf(page), page.address, numbers.get(page.topic)!, sanitizeText(passage), page.language]);
    }
    writeScript(join(folder, 'pages', `${at / BLOCK}.js`), 'pages', [at / BLOCK, rows]);
    onRead(at + pages.length, contents.pages.length);
  }
  languages.delete('');
  return { snippets, languages: [...languages].sort() };
}

/** Yields pages with their documents, few at a time, because whole documents take much memory. */
async function* documentsOf(source: PortalSource, pages: readonly PortalPage[]) {
  for (let at = 0; at < pages.length; at += READ_AT_ONCE) {
    const part = pages.slice(at, at + READ_AT_ONCE);
    const documents = await source.documents(part.map((page) => page.sequence));
    for (const page of part) yield [page, documents.get(page.sequence)] as const;
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
function writeModules(folder: string): void {
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
    writeFileSync(join(folder, `${name}.js`), script);
  }
}

/** Copies the available stemmers of these languages. */
function writeStemmers(languages: readonly string[], folder: string): void {
  for (const language of languages.filter(isStemmed)) {
    const script = `bingoWords.addStemmer(${JSON.stringify(language)}, (() => {
${stemmerScript(language)}
})());
`;
    writeFileSync(join(folder, 'stemmers', `${language}.js`), script);
  }
}

function isStemmed(language: string): boolean {
  return STEMMED_LANGUAGES.includes(language);
}

interface Indexed {
  readonly contents: PortalContents;
  readonly languages: readonly string[];
  readonly words: PortalWords;
}

function writeIndex({ contents, languages, words }: Indexed, { folder, index }: Place): number {
  const shards: string[] = [];
  for (const { first, text } of index.shards()) {
    writeScript(join(folder, 'index', `${shards.length}.js`), 'shard', [shards.length, text]);
    shards.push(first);
  }
  const topics = [...contents.topics.values()].map(({ name, slug, first, end }) => [
    ...[sanitizeText(name), slug],
    ...[first, end],
  ]);
  const stemmers = languages.filter(isStemmed);
  const said = { language: words.language, words: words.forSearch() };
  const manifest = { pages: contents.pages.length, block: BLOCK, topics, shards, languages, stemmers, ...said };
  writeScript(join(folder, 'index', 'manifest.js'), 'manifest', [manifest]);
  return shards.length;
}

/**
 * Writes a script that passes its data to the search page. JSON is valid JavaScript, and page content cannot escape
 * its strings.
 */
function writeScript(path: string, taker: string, data: readonly unknown[]): void {
  writeFileSync(path, `bingoPortal.${taker}(${data.map((item) => JSON.stringify(item)).join(',')});\n`);
}

function writePages(view: PortalView, folder: string): void {
  writeFileSync(join(folder, 'index.html'), homePage(view));
  writeFileSync(join(folder, 'search.html'), searchPage(view));
  writeFileSync(join(folder, 'changes.html'), changePage(view));
  writeCuration(view, folder);
  for (const topic of view.contents.topics.values()) {
    writeFileSync(join(folder, 'topics', `${topic.slug}.html`), topicPage(view, topic));
    writeFileSync(join(folder, 'feeds', `${topic.slug}.xml`), atomFeed(view, topic));
    if (topic.end === topic.first) continue;
    mkdirSync(join(folder, 'all', topic.slug));
    for (const [number, text] of listPages(view, topic)) writeFileSync(join(folder, listAddress(topic, number)), text);
  }
}

/** Writes what an editor added: colours, icon, logo, a page about the portal, a site map. */
function writeCuration(view: PortalView, folder: string): void {
  const { curation } = view;
  writeFileSync(join(folder, 'accent.css'), accentStyle(curation));
  writeFileSync(join(folder, 'favicon.svg'), favicon(view));
  if (curation.logo !== undefined) writeFileSync(join(folder, curation.logo.name), curation.logo.bytes);
  if (hasAbout(curation)) writeFileSync(join(folder, 'about.html'), aboutPage(view));
  if (curation.address !== undefined) writeFileSync(join(folder, 'sitemap.xml'), siteMap(view, curation.address));
}
