import type { CanonicalUrl } from '../core/index.ts';
import { hash32, type Random, seededRandom, shuffled } from '../kit/index.ts';
import { oracleArea } from './score/oracle.ts';
import { isLabelled, type Labels } from './tasks/labels.ts';
import { type LinkGraph, reach, truthOf } from './tasks/relevance.ts';
import { budgetFor, type Task, type TaskTopic } from './tasks/task.ts';

/** A labelled web to make tasks from. */
export interface TaskMaterial {
  readonly name: string;
  readonly pages: readonly CanonicalUrl[];
  readonly labels: Labels;
  readonly links: LinkGraph;
}

export interface MakeTasksOptions {
  /** Equal seeds give equal tasks. It selects topics within a part, never the part. */
  readonly seed: number;
  /** Maximum number of topics per web and part. */
  readonly topics: number;
  /** Numbers of examples; each topic gives one task per number. Smaller sets are subsets of larger ones. */
  readonly examples: readonly number[];
  /** Draws of examples, starts and counter-examples per choice of topics. Default: 1. */
  readonly draws?: number;
  /** A web's topics are split into two disjoint parts: one for tuning, one held out. */
  readonly part: TaskPart;
  /** Topic paths to exclude, with their ancestors and descendants. */
  readonly without?: readonly string[];
}

export const TASK_PARTS = ['dev', 'held-out'] as const;
export type TaskPart = (typeof TASK_PARTS)[number];

type Kind = 'plain' | 'near' | 'tree' | 'needle';

/** Kinds of tasks, used in rotation. */
const KINDS: readonly Kind[] = ['plain', 'near', 'plain', 'tree', 'plain', 'needle'];

/** Pages of a topic: enough to measure recall, few enough to be specific. */
const MIN_PAGES = 20;
const MAX_SHARE = 0.08;
/** The same for a needle, and its distance from the start. */
const NEEDLE = { min: 5, max: 15, distance: 3 } as const;
const OTHERS = 50;
/** With fewer reachable relevant pages, a task measures only chance. */
const MIN_SCORED = 5;
/** With fewer reachable pages, a web is too small for a crawl. */
const MIN_REACHABLE = 200;
const TREE_TOPICS = 3;
const SEEDS = 3;
/**
 * Held-out topics must not depend on a seed: a topic used for tuning under one seed would be held out under another.
 */
const PARTS_SEED = 20_030_105;

interface Topic {
  readonly name: string;
  readonly labels: readonly string[];
  /** By address. */
  readonly pages: readonly CanonicalUrl[];
}

/**
 * Draws tasks from a labelled web (docs/lab.md#tasks-of-your-own-bingo-lab-tasks), with new topics, starts and
 * numbers of examples. Deterministic.
 */
export function makeTasks(material: TaskMaterial, options: MakeTasksOptions): readonly Task[] {
  const random = seededRandom(options.seed ^ hash32(material.name));
  const own = shuffled(dealt(topicsOf(material, options), options.part), random);
  const needles = own.filter(({ pages }) => pages.length <= NEEDLE.max);
  const topics = own.filter(({ pages }) => pages.length >= MIN_PAGES);
  const families = new Set<string>();
  const tasks: Task[] = [];
  for (let made = 0, turn = 0; made < options.topics && topics.length + needles.length > 0; turn++) {
    const kind = KINDS[turn % KINDS.length]!;
    const wanted = kind === 'tree' ? TREE_TOPICS : 1;
    const chosen = (kind === 'needle' ? needles : topics).splice(0, wanted);
    if (chosen.length < wanted) {
      if (kind === 'plain') break;
      continue;
    }
    const family = familyName(material, kind, chosen, families);
    families.add(family);
    const drawn = new Drawer(material, { family, kind, topics: chosen }, random).tasks(options);
    if (drawn.length > 0) made++;
    tasks.push(...drawn);
  }
  return tasks;
}

/**
 * Draws tasks with the topics and kinds of given ones, but new examples, starts and counter-examples. Shows how much
 * a figure depends on the choice of example pages. Skips tasks of other webs, and topics too small for the number of
 * examples.
 */
export function redrawTasks(
  material: TaskMaterial,
  models: readonly Task[],
  options: Pick<MakeTasksOptions, 'seed' | 'examples' | 'draws'>,
): readonly Task[] {
  const byLabel = pagesByLabel(material);
  return models
    .filter(({ web }) => web === material.name)
    .flatMap(({ id, kind, topics }) => {
      const family: Family = {
        family: id,
        kind: isKind(kind) ? kind : 'plain',
        topics: topics.map(({ name, labels }) => ({
          ...{ name, labels },
          pages: [...new Set(labels.flatMap((label) => [...(byLabel.get(label) ?? [])]))].sort(),
        })),
      };
      return new Drawer(material, family, seededRandom(options.seed ^ hash32(id))).tasks(options);
    });
}

/** Named after the topics; if the names are taken, after their whole paths. */
function familyName(
  { name: web }: TaskMaterial,
  kind: Kind,
  topics: readonly Topic[],
  taken: ReadonlySet<string>,
): string {
  const called = (names: readonly string[]): string => `${web}/${names.map(slug).join('+')}-${kind}`;
  const short = called(topics.map(({ name }) => name));
  return taken.has(short) ? called(topics.flatMap(({ labels }) => labels)) : short;
}

function isKind(name: string): name is Kind {
  return KINDS.some((kind) => kind === name);
}

/** Returns topics of suitable size in random order, none an ancestor of another. */
function topicsOf(material: TaskMaterial, { without = [] }: MakeTasksOptions): Topic[] {
  const byLabel = pagesByLabel(material);
  const most = Math.max(MIN_PAGES, MAX_SHARE * material.labels.size);
  const fits = (n: number): boolean => (n >= NEEDLE.min && n <= NEEDLE.max) || (n >= MIN_PAGES && n <= most);
  const names = sortedByHash([...byLabel.keys()]).filter((label) => fits(byLabel.get(label)!.size));
  const kept: string[] = [];
  for (const name of names)
    if (![...kept, ...without].some((other) => isLabelled(name, [other]) || isLabelled(other, [name]))) kept.push(name);
  return kept.map((label) => ({ name: nameOf(label), labels: [label], pages: [...byLabel.get(label)!].sort() }));
}

/** Returns archived pages of each label, with its descendants. */
function pagesByLabel({ pages, labels }: TaskMaterial): ReadonlyMap<string, ReadonlySet<CanonicalUrl>> {
  const byLabel = new Map<string, Set<CanonicalUrl>>();
  const archived = new Set(pages);
  for (const [url, paths] of labels) {
    if (!archived.has(url)) continue;
    for (const path of paths) {
      const steps = path.split('/');
      for (let depth = 1; depth <= steps.length; depth++) {
        const label = steps.slice(0, depth).join('/');
        byLabel.set(label, (byLabel.get(label) ?? new Set()).add(url));
      }
    }
  }
  return byLabel;
}

/** Depends only on the topic's name, so that excluding other topics does not move any topic to the other part. */
function dealt(topics: readonly Topic[], part: TaskPart): Topic[] {
  const place = TASK_PARTS.indexOf(part);
  return topics.filter(({ labels }) => hash32(labels[0]!, PARTS_SEED) % TASK_PARTS.length === place);
}

function sortedByHash(labels: readonly string[]): string[] {
  return labels.toSorted((a, b) => hash32(a, PARTS_SEED) - hash32(b, PARTS_SEED) || (a < b ? -1 : 1));
}

/** Data shared by the tasks of one draw. */
interface Draw {
  /** Pages in the order in which they become examples. */
  readonly topics: readonly Topic[];
  readonly others: readonly CanonicalUrl[];
  readonly seeds: readonly CanonicalUrl[];
  /** Distinguishes the draw's ids from those of other draws. */
  readonly suffix: string;
}

/** Tasks of the same topics: the prefix of their ids, and their subject. */
interface Family {
  readonly family: string;
  readonly kind: Kind;
  readonly topics: readonly Topic[];
}

/** Draws the tasks of one choice of topics. */
class Drawer {
  readonly #material: TaskMaterial;
  readonly #family: string;
  readonly #kind: Kind;
  readonly #topics: readonly Topic[];
  readonly #random: Random;

  constructor(material: TaskMaterial, { family, kind, topics }: Family, random: Random) {
    this.#material = material;
    this.#family = family;
    this.#kind = kind;
    this.#topics = topics;
    this.#random = random;
  }

  tasks({ examples: counts, draws = 1 }: Pick<MakeTasksOptions, 'examples' | 'draws'>): Task[] {
    const most = Math.max(...counts);
    if (this.#kind !== 'needle' && this.#topics.some(({ pages }) => pages.length < most + MIN_SCORED)) return [];
    const drawn = Array.from({ length: draws }, (_, draw) => this.#draw(counts, draws === 1 ? '' : `-draw${draw + 1}`));
    return drawn.every((tasks) => tasks.length > 0) ? drawn.flat() : [];
  }

  /** Returns one task per number of examples, or no tasks. */
  #draw(counts: readonly number[], suffix: string): Task[] {
    const topics = this.#topics.map((topic) => ({ ...topic, pages: this.#linked(topic.pages) }));
    const given = { topics, others: this.#others(), seeds: this.#seeds() };
    if (given.seeds === undefined) return [];
    const tasks = counts.flatMap((count) => this.#task(count, { ...given, seeds: given.seeds ?? [], suffix }) ?? []);
    return tasks.length === new Set(counts).size ? tasks : [];
  }

  /** In random order, pages without links last: an example without links does not start a crawl. */
  #linked(pages: readonly CanonicalUrl[]): CanonicalUrl[] {
    const { links } = this.#material;
    const own = shuffled(pages, this.#random);
    return [...own.filter((url) => links(url).length > 0), ...own.filter((url) => links(url).length === 0)];
  }

  /** Labelled pages of other topics. */
  #others(): CanonicalUrl[] {
    const { labels, pages } = this.#material;
    const labelled = pages.filter((url) => {
      const paths = labels.get(url);
      return paths !== undefined && !this.#isOnTopic(paths);
    });
    return shuffled(labelled, this.#random).slice(0, OTHERS);
  }

  #isOnTopic(paths: readonly string[]): boolean {
    return paths.some((path) =>
      isLabelled(
        path,
        this.#topics.flatMap(({ labels }) => labels),
      ),
    );
  }

  /** Start pages that are not examples; empty: start at the examples; `undefined`: no start pages exist. */
  #seeds(): CanonicalUrl[] | undefined {
    if (this.#kind === 'plain' || this.#kind === 'tree') return [];
    const { pages, links, labels } = this.#material;
    const wanted = new Set(this.#topics.flatMap((topic) => topic.pages));
    const away = pages.filter((url) => {
      const paths = labels.get(url);
      return links(url).length > 0 && !wanted.has(url) && paths !== undefined;
    });
    const isStart =
      this.#kind === 'near'
        ? (url: CanonicalUrl): boolean => links(url).some((target) => wanted.has(target))
        : (url: CanonicalUrl): boolean => isFar(url, wanted, links);
    const found: CanonicalUrl[] = [];
    for (const url of shuffled(away, this.#random)) {
      if (found.length === SEEDS) break;
      if (isStart(url)) found.push(url);
    }
    return found.length === SEEDS ? found : undefined;
  }

  #task(count: number, draw: Draw): Task | undefined {
    const { name: web, links, labels } = this.#material;
    const topics = draw.topics.map(
      ({ name, labels: own, pages }): TaskTopic => ({ name, labels: own, examples: pages.slice(0, count) }),
    );
    if (new Set(topics.map(({ name }) => name)).size < topics.length) return undefined;
    const seeds = draw.seeds.length > 0 ? draw.seeds : topics.flatMap(({ examples }) => examples);
    const family = this.#family;
    const draft: Task = {
      ...{ id: `${family}-${count}${draw.suffix}`, family, web, kind: this.#kind, topics, seeds, others: draw.others },
      ...{ budget: 1, baseline: {}, reachable: undefined, scored: undefined, oracleArea: undefined },
    };
    const truth = truthOf(draft, labels, links);
    if (truth.relevant.size < MIN_SCORED || truth.reachable < MIN_REACHABLE) return undefined;
    const budget = budgetFor(truth.reachable);
    const best = oracleArea({ seeds, relevant: truth.relevant, budget, links });
    return { ...draft, budget, reachable: truth.reachable, scored: truth.relevant.size, oracleArea: best };
  }
}

/** Returns true if no relevant page is closer than a needle's minimum distance, but some are reachable. */
function isFar(start: CanonicalUrl, wanted: ReadonlySet<CanonicalUrl>, links: LinkGraph): boolean {
  const near = new Set([start]);
  let ring = [start];
  for (let distance = 1; distance < NEEDLE.distance; distance++) {
    ring = ring.flatMap((url) => links(url)).filter((url) => !near.has(url));
    for (const url of ring) near.add(url);
  }
  if ([...near].some((url) => wanted.has(url))) return false;
  return [...reach([start], links)].some((url) => wanted.has(url));
}

/** Returns the text of a task file, as read by `readTasks`. */
export function renderTasks(tasks: readonly Task[]): string {
  const items = tasks.map(({ topics, baseline: _, ...task }) => ({
    ...task,
    topics: Object.fromEntries(topics.map((topic) => [topic.name, topic.labels])),
    ...(topics.some(({ query }) => query !== undefined) && {
      queries: Object.fromEntries(topics.flatMap(({ name, query }) => (query === undefined ? [] : [[name, query]]))),
    }),
    examples: Object.fromEntries(topics.map((topic) => [topic.name, topic.examples])),
  }));
  return `${JSON.stringify(items, undefined, 1)}\n`;
}

function nameOf(label: string): string {
  return label.slice(label.lastIndexOf('/') + 1);
}

function slug(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
}
