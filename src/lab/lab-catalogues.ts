import { type CanonicalUrl, DEFAULTS } from '../core/index.ts';
import { CATALOGUE_KINDS, type CatalogueKind } from './park/catalogue-items.ts';
import { type CatalogueWeb, catalogueWeb } from './park/catalogues.ts';
import { type AnalyzedWeb, linkGraph, type PageAnalysis, WebAnalyst } from './run/analyzed-web.ts';
import { type LabSettings, type RunOptions, runTask, taskAnalysis } from './run/run-task.ts';
import { truthOf } from './tasks/relevance.ts';

/**
 * Share of relevant pages that a guarded crawl must find, and the fetches it may take relative to an unguarded crawl.
 */
export const CATALOGUE_GOAL = { share: 0.98, fetches: 1.1 } as const;

/** Effect of the guard on the crawl of one catalogue. */
export interface CatalogueScore {
  readonly kind: CatalogueKind;
  readonly relevant: number;
  /** Fetches until an unguarded crawl had found {@link CATALOGUE_GOAL}`.share` of everything it finds. */
  readonly fetches: number;
  /** Share of relevant pages found by a guarded crawl with 1.1 times as many fetches, and with all fetches. */
  readonly found: number;
  readonly foundAtAll: number;
  readonly goal: boolean;
}

/** Crawls a catalogue of each kind with and without the guard, with the default ordering. */
export async function* labCatalogues(
  seed: number,
  settings: LabSettings,
  kinds: readonly CatalogueKind[] = CATALOGUE_KINDS,
): AsyncGenerator<CatalogueScore> {
  for (const kind of kinds) {
    const made = catalogueWeb(kind, seed);
    const web = await analyzed(made, { seed, settings });
    const guarded = await curveOf(made, web, { seed, settings });
    const traps = { ...settings.traps, enabled: false };
    const free = await curveOf(made, web, { seed, settings: { ...settings, traps } });
    const relevant = truthOf(made.task, made.labels, linkGraph(web)).relevant.size;
    const wanted = CATALOGUE_GOAL.share * (free.at(-1) ?? 0);
    const fetches = free.findIndex((found) => found >= wanted);
    const allowed = Math.floor(CATALOGUE_GOAL.fetches * fetches);
    const hits = guarded[Math.min(allowed, guarded.length - 1)] ?? 0;
    const [found, foundAtAll] = [hits / relevant, (guarded.at(-1) ?? 0) / relevant];
    yield { kind, relevant, fetches, found, foundAtAll, goal: hits >= wanted };
  }
}

async function analyzed({ web }: CatalogueWeb, options: RunOptions): Promise<AnalyzedWeb> {
  const analyst = new WebAnalyst(web, taskAnalysis(options));
  try {
    const analyses = new Map<CanonicalUrl, PageAnalysis>();
    for (const url of web.urls()) {
      const analysis = await analyst.analysisOf(url);
      if (analysis !== undefined) analyses.set(url, analysis);
    }
    return { web, analyses };
  } finally {
    await analyst.close();
  }
}

/** Relevant pages found after each fetch. */
async function curveOf(made: CatalogueWeb, web: AnalyzedWeb, options: RunOptions): Promise<Uint32Array> {
  const truth = truthOf(made.task, made.labels, linkGraph(web));
  return (await runTask(made.task, DEFAULTS.crawl.ordering, web, truth, options)).curve;
}
