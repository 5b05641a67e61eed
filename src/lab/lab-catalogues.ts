import { type CanonicalUrl, DEFAULTS } from '../core/index.ts';
import { CATALOGUE_KINDS, type CatalogueKind } from './park/catalogue-items.ts';
import { type CatalogueWeb, catalogueWeb } from './park/catalogues.ts';
import { type AnalyzedWeb, linkGraph, type PageAnalysis, WebAnalyst } from './run/analyzed-web.ts';
import { type LabSettings, type RunOptions, runTask, taskAnalysis } from './run/run-task.ts';
import { truthOf } from './tasks/relevance.ts';

/** Share of the relevant pages that a crawl must find, and how many times the fetches of a crawl without the guard it may take. */
export const CATALOGUE_GOAL = { share: 0.98, fetches: 1.1 } as const;

/** What the guard does to a crawl of one catalogue. */
export interface CatalogueScore {
  readonly kind: CatalogueKind;
  readonly relevant: number;
  /** Fetches until a crawl without the guard had found {@link CATALOGUE_GOAL}`.share` of what it finds at all. */
  readonly fetches: number;
  /** Share of the relevant pages that a crawl with the guard found with 1.1 times as many fetches, and with all of them. */
  readonly found: number;
  readonly foundAtAll: number;
  readonly goal: boolean;
}

/** Crawls a catalogue of each kind with the guard and without it, the ordering being that of the product. */
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
