import { type CanonicalUrl, hostOf, ROOT, type TopicId } from '../../core/index.ts';
import { hash53 } from '../../kit/index.ts';
import {
  type Clustering,
  type ComparedFeatures,
  clusterPages,
  commonForms,
  comparedBag,
  comparedBags,
  type Impurity,
  type Placement,
} from '../../postprocess/index.ts';
import type { ExportRow, Store } from '../../store/index.ts';

/** Number of pages that form the clusters; each other page is added to its nearest cluster. */
const SAMPLE = 2_000;
/** Documents read at a time, about 20 MB. */
const BATCH = 200;
/** Number of most typical pages kept per cluster; the words of its label are looked up in their texts. */
const TYPICAL = 20;

type Page = Pick<ExportRow, 'sequence' | 'url' | 'finalUrl' | 'title' | 'role'>;

/** Hosts named per cluster. */
const NAMED_HOSTS = 10;

/** A page with its position. */
export type PlacedPage = Page & Placement;

/** The clusters of a topic's pages. */
export interface TopicClusters {
  readonly pages: number;
  readonly sampled: number;
  /** Pages without any of the compared features. */
  readonly unplaced: number;
  /** Largest in the sample first. */
  readonly clusters: readonly {
    readonly pages: number;
    readonly terms: readonly string[];
    /** The label's terms as full words. */
    readonly words: readonly string[];
    /** Most typical first. */
    readonly typical: readonly PlacedPage[];
    /** Hosts with most of its pages first. Without hosts that also have accepted pages. */
    readonly hosts: readonly { readonly host: string; readonly pages: number }[];
  }[];
  /** The sampled pages, for a picture. */
  readonly picture: readonly PlacedPage[];
  readonly impurities: readonly Impurity[];
}

export interface ClusterOptions {
  /** Number of clusters. Default: the number that the impurity suggests. */
  readonly clusters?: number | undefined;
  /** True: the pages that were rejected, instead of those accepted. Default: false. */
  readonly rejected?: boolean | undefined;
  /** True: reads no page but those of the sample, and estimates the number of pages of each cluster. Default: false. */
  readonly sampleOnly?: boolean | undefined;
  /** Receives the number of pages read, and the total. */
  readonly onRead?: (pages: number, of: number) => void;
}

/**
 * Clusters the pages accepted into a topic, without pages that are gone; or those rejected there. The root: those
 * rejected anywhere.
 */
export async function clusterTopic(
  store: Pick<Store, 'exportPages' | 'documents' | 'texts' | 'languages'>,
  topic: TopicId,
  { clusters, rejected = false, sampleOnly = false, onRead = () => {} }: ClusterOptions = {},
): Promise<TopicClusters> {
  const { sample, rest: others, accepting } = await sampleOf(store, topic, rejected);
  const pages = sample.length + others.length;
  const rest = sampleOnly ? [] : others;
  const scale = pages / Math.max(1, sample.length + rest.length);
  const bags = comparedBags(await featuresOf(store, sample, (read) => onRead(read, pages)));
  const clustering = await clusterPages(bags, clusters === undefined ? {} : { clusters });
  const picture = sample.flatMap((page, i) => merged(page, clustering.placements[i]));
  const groups = clustering.clusters.map(() => new Group());
  for (const page of picture) groups[page.cluster]!.add(page);
  const remaining = placeRest({ store, rest, clustering, onRead: (read) => onRead(sample.length + read, pages) });
  for await (const page of remaining) groups[page.cluster]!.add(page);
  const languages = await store.languages();
  const placed = Math.round(scale * groups.reduce((sum, group) => sum + group.pages, 0));
  return {
    ...{ pages, sampled: sample.length, unplaced: pages - placed, picture, impurities: clustering.impurities },
    clusters: await Promise.all(
      clustering.clusters.map(async ({ terms }, i) => {
        const { typical } = groups[i]!;
        const pages = Math.round(scale * groups[i]!.pages);
        const hosts = groups[i]!.hosts(accepting);
        const texts = await store.texts(typical.map((page) => page.sequence));
        const forms = commonForms(terms, texts.values(), languages);
        const words = [...new Set(terms.map((term) => forms.get(term)!))].filter((word) => word !== '');
        return { pages, terms, words: words.length > 0 ? words : terms, typical, hosts };
      }),
    ),
  };
}

interface SampledPages {
  readonly sample: Page[];
  readonly rest: Page[];
  /** Hosts of accepted pages and of training pages. */
  readonly accepting: ReadonlySet<string>;
}

/** Samples the pages with the lowest hashes: a uniform sample that changes little while the crawl finds more. */
async function sampleOf(store: Pick<Store, 'exportPages'>, topic: TopicId, isRejected: boolean): Promise<SampledPages> {
  const pages: Page[] = [];
  const accepting = new Set<string>();
  const filter = { ended: false, ...(isRejected && topic === ROOT ? {} : { topic }) };
  for await (const { sequence, url, finalUrl, title, role, others } of store.exportPages(filter)) {
    if (others === isRejected && (!isRejected || role === 'crawled'))
      pages.push({ sequence, url, finalUrl, title, role });
    else if (isRejected && role !== 'others') accepting.add(hostOf(finalUrl as CanonicalUrl));
  }
  if (pages.length <= SAMPLE) return { sample: pages, rest: [], accepting };
  const hashes = new Map(pages.map((page) => [page, hash53(page.url)]));
  const order = pages.toSorted((a, b) => hashes.get(a)! - hashes.get(b)! || a.sequence - b.sequence);
  const sample = order.slice(0, SAMPLE).sort((a, b) => a.sequence - b.sequence);
  return { sample, rest: order.slice(SAMPLE), accepting };
}

async function featuresOf(
  store: Pick<Store, 'documents'>,
  pages: readonly Page[],
  onRead: (pages: number) => void = () => {},
) {
  const features: (ComparedFeatures | undefined)[] = [];
  for (let at = 0; at < pages.length; at += BATCH) {
    const batch = pages.slice(at, at + BATCH);
    const documents = await store.documents(batch.map((page) => page.sequence));
    for (const { sequence } of batch) {
      const { terms, meaning } = documents.get(sequence)?.features ?? {};
      features.push({ terms, meaning });
    }
    onRead(features.length);
  }
  return features;
}

interface Placing {
  readonly store: Pick<Store, 'documents'>;
  readonly rest: readonly Page[];
  readonly clustering: Clustering;
  readonly onRead: (pages: number) => void;
}

async function* placeRest({ store, rest, clustering, onRead }: Placing): AsyncGenerator<PlacedPage> {
  for (let at = 0; at < rest.length; at += BATCH) {
    const batch = rest.slice(at, at + BATCH);
    const features = await featuresOf(store, batch);
    for (const [i, page] of batch.entries()) yield* merged(page, clustering.place(comparedBag(features[i])));
    onRead(at + batch.length);
  }
}

function merged(page: Page, placement: Placement | undefined): PlacedPage[] {
  return placement === undefined ? [] : [{ ...page, ...placement }];
}

/** Counts the pages of a cluster and keeps the most typical. */
class Group {
  pages = 0;
  typical: PlacedPage[] = [];
  readonly #hosts = new Map<string, number>();

  add(page: PlacedPage): void {
    this.pages++;
    const host = hostOf(page.finalUrl as CanonicalUrl);
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1);
    const last = this.typical[TYPICAL - 1];
    if (last !== undefined && byCloseness(page, last) >= 0) return;
    this.typical = [...this.typical, page].sort(byCloseness).slice(0, TYPICAL);
  }

  /** @param left hosts to leave out */
  hosts(left: ReadonlySet<string>): readonly { readonly host: string; readonly pages: number }[] {
    const named = [...this.#hosts].flatMap(([host, pages]) => (left.has(host) ? [] : [{ host, pages }]));
    return named.sort((a, b) => b.pages - a.pages || (a.host < b.host ? -1 : 1)).slice(0, NAMED_HOSTS);
  }
}

function byCloseness(a: PlacedPage, b: PlacedPage): number {
  return b.closeness - a.closeness || a.sequence - b.sequence;
}
