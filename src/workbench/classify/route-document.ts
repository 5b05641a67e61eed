import { stemsOf } from '../../analyze/index.ts';
import { type Config, DEFAULTS, type FetchedPage, type TopicSpec, UsageError } from '../../core/index.ts';
import { analyzerSettings, PageAnalyzer } from '../../engine/index.ts';
import { addressOf } from '../sources/local-document.ts';
import { readShippedTree } from '../sources/shipped.ts';

/** Name of the built-in tree of subjects. */
export const SUBJECTS = 'subjects';

/** A subject as a place for a document. */
export interface SubjectPlace {
  /** Path in the tree. */
  readonly subject: string;
  /** Cosine of the document's known words and the subject's key words, in [0,1]. */
  readonly score: number;
  /** Key words of the subject that the document has, the rarest among subjects first. */
  readonly words: readonly string[];
}

/** Where a document belongs among the built-in subjects, by key words alone. */
export interface RoutedDocument {
  /** `null` for a file or standard input. */
  readonly url: string | null;
  readonly title: string;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  /** The best subject; `null` if none fits clearly. */
  readonly subject: string | null;
  /** Best first. */
  readonly places: readonly SubjectPlace[];
}

/** A subject fits from this score and this number of different key words on. */
const FITS = 0.25;
const LEAST_WORDS = 3;

interface Subject {
  readonly path: string;
  /** Key words by their stems. */
  readonly words: ReadonlyMap<string, string>;
}

/** The subjects with the weights of their stems. */
interface SubjectIndex {
  readonly subjects: readonly Subject[];
  /** ln(1 + subjects / subjects with the stem), by stem. */
  readonly weights: ReadonlyMap<string, number>;
}

let index: SubjectIndex | undefined;

/** Subjects of the built-in tree, read once. */
function subjectIndex(): SubjectIndex {
  index ??= indexOf(leaves(readShippedTree(SUBJECTS).topics, ''));
  return index;
}

function indexOf(subjects: readonly Subject[]): SubjectIndex {
  const counts = new Map<string, number>();
  for (const { words } of subjects) for (const stem of words.keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const weights = new Map([...counts].map(([stem, n]) => [stem, Math.log(1 + subjects.length / n)]));
  return { subjects, weights };
}

function leaves(topics: readonly TopicSpec[], above: string): Subject[] {
  return topics.flatMap(({ name, examples = [], topics: below = [] }) => {
    const path = above === '' ? name : `${above}/${name}`;
    if (below.length > 0) return leaves(below, path);
    const text = examples.flatMap((example) => (example.kind === 'text' ? [example.text] : [])).join(' ');
    const named = `${name} ${text}`
      .split(/[\s-]+/)
      .flatMap((word) => stemsOf(word).map((stem) => [stem, word] as const));
    return [{ path, words: new Map(named.reverse()) }];
  });
}

/**
 * Scores every subject for a bag of stems: the cosine over stems that any subject has as a key word, counts damped by
 * 1 + ln, weighted by rarity among the subjects. @returns best first, without subjects that share no word
 */
export function routeStems(stems: ReadonlyMap<string, number>): readonly SubjectPlace[] {
  const { subjects, weights } = subjectIndex();
  const weightOf = (stem: string): number => weights.get(stem) ?? 0;
  const known = [...stems].filter(([stem]) => weights.has(stem));
  const values = new Map(known.map(([stem, n]) => [stem, (1 + Math.log(n)) * weightOf(stem)]));
  const length = Math.hypot(...values.values());
  const places = subjects.flatMap(({ path, words }): SubjectPlace[] => {
    const shared = [...words.keys()].filter((stem) => values.has(stem));
    if (shared.length === 0) return [];
    const product = shared.reduce((sum, stem) => sum + (values.get(stem) ?? 0) * weightOf(stem), 0);
    const own = Math.hypot(...[...words.keys()].map(weightOf));
    const rarest = shared.toSorted((a, b) => weightOf(b) - weightOf(a) || (a < b ? -1 : 1));
    return [{ subject: path, score: product / (length * own), words: rarest.flatMap((stem) => words.get(stem) ?? []) }];
  });
  return places.toSorted((a, b) => b.score - a.score || (a.subject < b.subject ? -1 : 1));
}

/** Returns the best of some places if it fits clearly. */
export function fittingPlace([first]: readonly SubjectPlace[]): SubjectPlace | undefined {
  return first !== undefined && first.score >= FITS && first.words.length >= LEAST_WORDS ? first : undefined;
}

/**
 * Finds the place of a document among the built-in subjects, without a workspace, a crawl or a model. Only English key
 * words are known of each subject: no page of the tree is fetched. Writes nothing.
 * @throws UsageError if the document has no text
 */
export async function routeDocument(
  page: FetchedPage,
  { limit, config = DEFAULTS }: { readonly limit: number; readonly config?: Config },
): Promise<RoutedDocument> {
  const { title, language, stems } = await stemsOfDocument(page, config);
  const places = routeStems(stems);
  return {
    ...{ url: addressOf(page), title, language },
    subject: fittingPlace(places)?.subject ?? null,
    places: places.slice(0, limit),
  };
}

/** Analyses a document as a crawl does, and counts its stems. */
export async function stemsOfDocument(
  page: FetchedPage,
  config: Config,
): Promise<{ readonly title: string; readonly language: string; readonly stems: ReadonlyMap<string, number> }> {
  const analyzer = new PageAnalyzer(analyzerSettings(config));
  try {
    const analysis = await analyzer.analyze(page, 'harvesting');
    if (analysis.kind === 'unusable')
      throw new UsageError(`The document cannot be classified: ${analysis.detail || analysis.reason}.`);
    const { title, language, features } = analysis.document;
    const { features: names = '', counts = new Uint16Array() } = features.terms ?? {};
    const stems = new Map(names === '' ? [] : names.split('\n').map((stem, i) => [stem, counts[i] ?? 0]));
    return { title, language, stems };
  } finally {
    await analyzer.close();
  }
}
