import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CanonicalUrl, canonicalize, UsageError } from '../core/index.ts';
import { counted, type Random, seededRandom } from '../kit/index.ts';
import { WarcRecorder } from '../warc/index.ts';
import type { LabIo } from './io.ts';
import { renderTasks } from './make-tasks.ts';
import { sample } from './park/words.ts';
import type { Task } from './tasks/task.ts';

/** Options of `bingo lab translations`. */
export interface LabTranslationsOptions {
  /** A manual: one folder of HTML pages per language, with the same file names. */
  readonly manual: string;
  /** Folder for the webs and `tasks.json`; created if missing. */
  readonly out: string;
  /** Names of folders to use. The first one decides the chapters. */
  readonly languages: readonly string[];
  readonly seed: number;
  /** Draws of examples per chapter. */
  readonly draws: number;
}

/** Chapters with fewer sections are only among the counter-examples. */
const MIN_SECTIONS = 6;
const EXAMPLES = 3;
const OTHERS = 30;
const HOST = 'http://manual.test/';

/**
 * `bingo lab translations`: makes a frozen web of each translation of a manual, and the same tasks on all of them: find
 * the sections of a chapter. Pages, links, examples and budgets are equal, so a difference is one of language. Equal
 * options give equal webs and tasks. Resolves with the exit code.
 * @throws UsageError if a translation or a chapter is missing
 */
export async function labTranslations(options: LabTranslationsOptions, io: LabIo): Promise<number> {
  const { manual, out, languages, seed, draws } = options;
  const pages = sharedPages(manual, languages);
  const chapters = chaptersOf(join(manual, languages[0]!), pages);
  const drawn = [...chapters].flatMap(([chapter, sections]) => {
    if (sections.length < MIN_SECTIONS) return [];
    const others = [...chapters].flatMap(([name, own]) => (name === chapter ? [] : own));
    const random = seededRandom(seed);
    return Array.from({ length: draws }, (_, i) => drawTask({ chapter, sections, others, draw: i + 1 }, pages, random));
  });
  if (drawn.length === 0)
    throw new UsageError(
      `${manual} has no chapter with ${MIN_SECTIONS} sections.`,
      'Pages name their chapter by <link rel="up" href="…">, as DocBook writes it.',
    );
  mkdirSync(out, { recursive: true });
  const labels = [...chapters].flatMap(([chapter, sections]) => sections.map((url) => `${url}\t${chapter}\n`));
  for (const language of languages) {
    await freeze(join(manual, language), pages, join(out, `${language}.warc.gz`));
    writeFileSync(join(out, `${language}.labels.tsv`), labels.join(''));
  }
  const tasks = languages.flatMap((web) => drawn.map((task) => ({ ...task, web, id: `${web}/${task.id}` })));
  writeFileSync(join(out, 'tasks.json'), renderTasks(tasks));
  const made = `${counted(languages.length, 'web')} of ${counted(pages.length, 'page')}, ${counted(tasks.length, 'task')}`;
  io.err(`Written to ${out}: ${made}.\nNext: bingo lab run ${join(out, 'tasks.json')} --webs ${out} --out results\n`);
  return 0;
}

/** Returns the names of pages that every language has, sorted. */
function sharedPages(manual: string, languages: readonly string[]): readonly string[] {
  const lists = languages.map((language) => {
    const folder = join(manual, language);
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.html')) : [];
    if (names.length === 0)
      throw new UsageError(`${folder} has no HTML pages.`, 'Name folders of the manual with --only.');
    return new Set(names);
  });
  return [...lists[0]!].filter((name) => lists.every((names) => names.has(name))).sort();
}

/** Returns the sections by chapter: the page that their `rel=up` names, unless it is the front page. */
function chaptersOf(folder: string, pages: readonly string[]): ReadonlyMap<string, readonly CanonicalUrl[]> {
  const chapters = new Map<string, CanonicalUrl[]>();
  for (const page of pages) {
    const up = UP.exec(readFileSync(join(folder, page), 'utf8'))?.[1];
    if (up === undefined || up === 'index.html' || !pages.includes(up)) continue;
    const chapter = up.replace(/\.html$/, '');
    const own = chapters.get(chapter) ?? [];
    if (own.length === 0) chapters.set(chapter, own);
    own.push(urlOf(page));
  }
  return chapters;
}

const UP = /<link\b[^>]*\brel="up"[^>]*\bhref="([^"#]+)"/;

interface Draw {
  readonly chapter: string;
  readonly sections: readonly CanonicalUrl[];
  readonly others: readonly CanonicalUrl[];
  readonly draw: number;
}

function drawTask({ chapter, sections, others, draw }: Draw, pages: readonly string[], random: Random): Task {
  const examples = sample(sections, EXAMPLES, random);
  return {
    ...{ id: `${chapter}-draw${draw}`, family: chapter, web: '', kind: 'plain', baseline: {} },
    topics: [{ name: chapter, labels: [chapter], examples }],
    ...{ seeds: [urlOf('index.html')], others: sample(others, OTHERS, random), budget: Math.ceil(pages.length / 2) },
    ...{ reachable: undefined, scored: undefined, oracleArea: undefined },
  };
}

function urlOf(page: string): CanonicalUrl {
  return canonicalize(HOST + page)!;
}

async function freeze(folder: string, pages: readonly string[], path: string): Promise<void> {
  rmSync(path, { force: true });
  const software = 'bingo lab translations';
  const recorder = await WarcRecorder.open(path, { software, userAgent: software, contact: '', obeysRobots: true });
  try {
    for (const page of pages)
      await recorder.record({
        ...{ url: urlOf(page), fetchedAt: 0, address: '', requestFields: [], status: 200 },
        responseFields: ['Content-Type', 'text/html'],
        ...{ body: readFileSync(join(folder, page)), cut: false },
      });
  } finally {
    await recorder.close();
  }
}
