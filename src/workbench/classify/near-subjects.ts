import { stemsOf } from '../../analyze/index.ts';
import {
  BingoError,
  type CanonicalUrl,
  canonicalize,
  type Example,
  goodTopics,
  ROOT,
  type TopicId,
  type TopicSpec,
} from '../../core/index.ts';
import { readShippedTree } from '../sources/shipped.ts';
import { addPages } from '../topics/change-topics.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { namedDocument } from './read-document.ts';
import { fittingPlace, routeStems, SUBJECTS, type SubjectPlace, stemsOfDocument } from './route-document.ts';

/** Examples read per topic. */
const READ = 5;
/** Neighbours proposed per topic: siblings of its subject, and subjects elsewhere. */
const SIBLINGS = 3;
const ELSEWHERE = 2;
/** A subject that scores almost like the best one may be the topic itself. */
const TOO_NEAR = 0.8;

/** Where the examples of a topic fit in the built-in tree of subjects. */
export interface NearTopic {
  readonly topic: TopicId;
  /** Number of its examples that were read. */
  readonly read: number;
  /** Examples that could not be read, with the reason. */
  readonly unread: readonly { readonly example: string; readonly why: string }[];
  /** The subject that fits; `null` if none does clearly. */
  readonly subject: string | null;
  /** Best first, at most five. */
  readonly places: readonly SubjectPlace[];
  /** Near subjects whose pages help as counter-examples. */
  readonly neighbours: readonly { readonly subject: string; readonly pages: readonly CanonicalUrl[] }[];
}

/**
 * Compares the examples of each topic with the key words of the built-in subjects. Local documents and queries are read
 * as they are; web pages are fetched by the rules of every crawl, which fails without a network. Pages of the tree are
 * not fetched.
 */
export async function nearSubjects(workspace: Workspace): Promise<readonly NearTopic[]> {
  const found: NearTopic[] = [];
  for (const { id, examples } of goodTopics(workspace.tree)) {
    const unread: { example: string; why: string }[] = [];
    const sums = new Map<string, number>();
    let read = 0;
    for (const example of examples.slice(0, READ)) {
      try {
        for (const [stem, n] of await stemsOfExample(example, workspace)) sums.set(stem, (sums.get(stem) ?? 0) + n);
        read++;
      } catch (error) {
        if (!(error instanceof BingoError)) throw error;
        unread.push({ example: nameOf(example), why: error.message });
      }
    }
    const places = routeStems(sums);
    const subject = fittingPlace(places);
    const neighbours = subject === undefined ? [] : neighboursOf(subject, places);
    found.push({ topic: id, read, unread, subject: subject?.subject ?? null, places: places.slice(0, 5), neighbours });
  }
  return found;
}

/**
 * Adds pages of the proposed neighbours to the counter-examples of a workspace. Pages that bingo.yaml names already are
 * left out.
 * @returns the number of pages added
 */
export function addNeighbours({ dir, tree }: Workspace, near: readonly NearTopic[]): number {
  const named = [...tree.nodes.values()].flatMap(({ examples, others, seeds }) => [
    ...[...examples, ...others].map(nameOf),
    ...seeds,
  ]);
  const known = new Set(named.map((name) => canonicalize(name) ?? name));
  const pages = near.flatMap(({ neighbours }) => neighbours.flatMap((one) => one.pages));
  const fresh = [...new Set(pages)].filter((page) => !known.has(page));
  if (fresh.length > 0) addPages(dir, ROOT, 'others', fresh);
  return fresh.length;
}

/** Subjects beside the best one that share words with the examples, and pages of each. */
function neighboursOf(best: SubjectPlace, places: readonly SubjectPlace[]): NearTopic['neighbours'] {
  const above = best.subject.slice(0, best.subject.lastIndexOf('/') + 1);
  const near = places.filter(({ subject, score }) => subject !== best.subject && score < TOO_NEAR * best.score);
  const siblings = near.filter(({ subject }) => subject.startsWith(above)).slice(0, SIBLINGS);
  const elsewhere = near.filter(({ subject }) => !subject.startsWith(above)).slice(0, ELSEWHERE);
  const pages = pagesBySubject(readShippedTree(SUBJECTS).topics, '');
  return [...siblings, ...elsewhere].map(({ subject }) => ({ subject, pages: pages.get(subject) ?? [] }));
}

function pagesBySubject(topics: readonly TopicSpec[], above: string): ReadonlyMap<string, readonly CanonicalUrl[]> {
  const pages = new Map<string, readonly CanonicalUrl[]>();
  for (const { name, examples = [], topics: below = [] } of topics) {
    const path = above === '' ? name : `${above}/${name}`;
    const own = examples.flatMap((example) => (example.kind === 'url' ? (canonicalize(example.url) ?? []) : []));
    if (below.length === 0) pages.set(path, own);
    for (const [subject, list] of pagesBySubject(below, path)) pages.set(subject, list);
  }
  return pages;
}

async function stemsOfExample(
  example: Example,
  workspace: Pick<Workspace, 'dir' | 'config'>,
): Promise<ReadonlyMap<string, number>> {
  if (example.kind === 'text') return countsOf(stemsOf(example.text));
  const page = await namedDocument(example.kind === 'file' ? example.path : example.url, workspace);
  return (await stemsOfDocument(page, workspace.config)).stems;
}

function countsOf(stems: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

function nameOf(example: Example): string {
  return example.kind === 'url' ? example.url : example.kind === 'file' ? example.path : example.text;
}
