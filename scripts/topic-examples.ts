import { setTimeout as sleep } from 'node:timers/promises';
import { type CanonicalUrl, type Config, canonicalize, DEFAULTS, type FetchedPage, hostOf } from '../src/core/index.ts';
import { analyzerSettings, PageAnalyzer } from '../src/engine/index.ts';
import { HttpFetcher } from '../src/fetch/index.ts';

/** An example page of a topic. */
export interface Example {
  /** Names joined by `/`. */
  readonly topic: string;
  readonly url: CanonicalUrl;
}

/** What became of an example. `moved`: it redirects to another host. `unread`: it is refused, or has too little text. */
export interface CheckedExample extends Example {
  readonly state: 'alive' | 'moved' | 'unread' | 'dead';
  /** Where it leads, or why it is not alive; empty otherwise. */
  readonly detail: string;
}

interface Node {
  readonly name?: string;
  readonly examples?: readonly unknown[];
  readonly topics?: readonly Node[];
}

/** Returns the example pages of a topic tree, in its order. */
export function examplesOf({ topics = [] }: Pick<Node, 'topics'>, above = ''): readonly Example[] {
  return topics.flatMap((node): Example[] => {
    const topic = above === '' ? `${node.name}` : `${above}/${node.name}`;
    const own = (node.examples ?? []).flatMap((given) =>
      typeof given === 'string' ? (canonicalize(given) ?? []) : [],
    );
    return [...own.map((url) => ({ topic, url })), ...examplesOf(node, topic)];
  });
}

/** Pages with less text teach nothing. */
const LEAST_CHARS = 200;
const MAX_REDIRECTS = 5;
/** Hosts asked at a time. */
const HOSTS = 8;

/** Options of {@link checkExamples}. */
export interface CheckExamplesOptions {
  readonly contact: string;
  /** Pause between two requests to a host, in milliseconds. */
  readonly delayMs: number;
  /** Settings of the network beside the defaults, for a web on loopback. */
  readonly network?: Partial<Config['network']>;
}

/** Fetches examples as a crawl does, one request at a time per host. Yields each once it is known. */
export async function* checkExamples(
  examples: readonly Example[],
  { contact, delayMs, network = {} }: CheckExamplesOptions,
): AsyncGenerator<CheckedExample, void, void> {
  const config = { ...DEFAULTS, network: { ...DEFAULTS.network, contact, ...network } };
  const fetcher = new HttpFetcher(config.network);
  const analyzer = new PageAnalyzer(analyzerSettings(config));
  const hosts = [...Map.groupBy(examples, ({ url }) => hostOf(url)).values()];
  const found: CheckedExample[] = [];
  let wake = Promise.withResolvers<void>();
  const worker = async (): Promise<void> => {
    for (let own = hosts.shift(); own !== undefined; own = hosts.shift())
      for (const [i, example] of own.entries()) {
        if (i > 0) await sleep(delayMs);
        found.push(await checkExample(example, { fetcher, analyzer }));
        wake.resolve();
      }
  };
  const workers = Promise.all(Array.from({ length: HOSTS }, worker));
  try {
    for (let left = examples.length; left > 0; ) {
      await Promise.race([wake.promise, workers]);
      wake = Promise.withResolvers();
      for (const checked of found.splice(0)) {
        left--;
        yield checked;
      }
    }
  } finally {
    hosts.length = 0;
    await workers;
    await Promise.all([fetcher.close(), analyzer.close()]);
  }
}

interface Tools {
  readonly fetcher: HttpFetcher;
  readonly analyzer: PageAnalyzer;
}

async function checkExample(example: Example, { fetcher, analyzer }: Tools): Promise<CheckedExample> {
  let at = example.url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const outcome = await fetcher.fetch(at);
    if (outcome.kind === 'redirected') {
      at = outcome.target;
      continue;
    }
    if (outcome.kind === 'fetched') return await judged(example, outcome, analyzer);
    if (outcome.kind === 'unchanged') break;
    const state = outcome.kind === 'refused' ? 'unread' : 'dead';
    return { ...example, state, detail: `${outcome.reason} ${outcome.detail}`.trim() };
  }
  return { ...example, state: 'dead', detail: `more than ${MAX_REDIRECTS} redirects` };
}

async function judged(example: Example, page: FetchedPage, analyzer: PageAnalyzer): Promise<CheckedExample> {
  const analysis = await analyzer.analyze(page, 'harvesting');
  if (analysis.kind === 'unusable') return { ...example, state: 'unread', detail: analysis.detail || analysis.reason };
  const { length } = analysis.document.text;
  if (length < LEAST_CHARS) return { ...example, state: 'unread', detail: `${length} characters of text` };
  const isAway = hostOf(page.url) !== hostOf(example.url);
  return { ...example, state: isAway ? 'moved' : 'alive', detail: isAway ? page.url : '' };
}
