import { analyze, isUnusable, type PageOptions } from '../../analyze/index.ts';
import { Converter, isConvertible } from '../../convert/index.ts';
import {
  type AnalyzedDocument,
  type Assignment,
  archiveOfMember,
  baseSpaces,
  type Config,
  type FeatureSpace,
  type FetchedPage,
  type LinkTable,
  type OfKind,
  productToken,
  type SpaceName,
} from '../../core/index.ts';
import { type Classifier, classify, decodeModels, freeClassifier, prepareClassifier } from '../../meta/index.ts';
import type { Analysis, Analyzer, DecisionMode, PageContext } from '../ports.ts';
import { surroundedFeatures } from './link-context.ts';

/** The parts of the configuration that analysis reads. They are sent to worker threads. */
export interface AnalyzerSettings {
  readonly analyze: Config['analyze'];
  readonly learn: Config['learn'];
  readonly maxLinksPerPage: number;
  readonly maxUrlChars: number;
  readonly feeds: boolean;
  /** Our name in robots.txt and robots directives. */
  readonly robot: string;
}

export function analyzerSettings(config: Config): AnalyzerSettings {
  const { maxLinksPerPage, maxUrlChars, feeds } = config.crawl;
  const robot = productToken(config.network.userAgent);
  return { analyze: config.analyze, learn: config.learn, maxLinksPerPage, maxUrlChars, feeds, robot };
}

/**
 * Spaces that analysis builds from a page alone. Terms are always included: search, link analysis and neighbours need
 * them.
 */
export function pageSpaces(spaces: readonly SpaceName[]): readonly FeatureSpace[] {
  const wanted = baseSpaces(spaces);
  return (['terms', 'pairs', 'lead'] as const).filter((space) => space === 'terms' || wanted.includes(space));
}

/** Adds what extensions decide to an analysed page. */
export interface Extend {
  /** Adds fields and votes, before the page is judged. */
  decide(page: FetchedPage, document: AnalyzedDocument): Promise<AnalyzedDocument>;
  /** Returns the links with priorities, after the page was judged. */
  order(document: AnalyzedDocument, assignment: Assignment | undefined): Promise<LinkTable>;
}

/** Analysis and classification in the calling thread. Analysis workers and the lab use it. */
export class PageAnalyzer implements Analyzer {
  readonly #learn: Config['learn'];
  readonly #converter: Converter;
  readonly #options: PageOptions;
  readonly #spaces: readonly FeatureSpace[];
  #classifier: Classifier | undefined;

  /** @param noted - true if documents will be packed, see `AnalyzeOptions` */
  constructor(settings: AnalyzerSettings, noted = false) {
    const { analyze, learn, ...limits } = settings;
    this.#learn = learn;
    this.#options = { ...analyze, ...limits, spaces: pageSpaces(learn.spaces), noted };
    this.#spaces = baseSpaces(learn.spaces);
    this.#converter = new Converter(analyze);
  }

  setModel(blob: Uint8Array): void {
    const before = this.#classifier;
    this.#classifier = prepareClassifier(decodeModels(blob));
    if (before !== undefined) freeClassifier(before);
  }

  /** @param note - called when the page goes to the converter and when it returns */
  async analyze(
    page: FetchedPage,
    mode: DecisionMode,
    context?: PageContext,
    note: (is: 'away' | 'back') => void = () => {},
    extend?: Extend,
  ): Promise<Analysis> {
    const { contentType } = page.headers;
    const now = (read: FetchedPage): Promise<Analysis> | Analysis =>
      extend === undefined
        ? this.analyzeNow(read, mode, context)
        : this.#extended(page, read, extend, { mode, context });
    const isMember = archiveOfMember(page.url) !== undefined;
    if (!isMember && !isConvertible(contentType, page.url, page.body.subarray(0, 512))) return await now(page);
    note('away');
    const converted = await this.#converter.convert(page.body, contentType, page.url);
    note('back');
    if (isUnusable(converted)) return converted;
    const headers = { ...page.headers, contentType: 'text/html', charset: 'utf-8' };
    return await now({ ...page, headers, body: Buffer.from(converted.html) });
  }

  /** Like `analyze`, but synchronous: for formats that need no conversion. */
  analyzeNow(page: FetchedPage, mode: DecisionMode, context?: PageContext): Analysis {
    const read = analyze(page, this.#options);
    return isUnusable(read) ? read : this.#judged(read, mode, context);
  }

  /**
   * @param page as the server sent it
   * @param converted the same, or as HTML
   */
  async #extended(
    page: FetchedPage,
    converted: FetchedPage,
    extend: Extend,
    { mode, context }: { readonly mode: DecisionMode; readonly context: PageContext | undefined },
  ): Promise<Analysis> {
    const read = analyze(converted, this.#options);
    if (isUnusable(read)) return read;
    // Another page may be analysed while an extension waits, in the same memory.
    const { noted } = read;
    const own = noted === undefined ? read : { ...read, noted: { ...noted, utf8: noted.utf8.slice() } };
    const { document, ...judged } = this.#judged(await extend.decide(page, own), mode, context);
    return { ...judged, document: { ...document, links: await extend.order(document, judged.assignment) } };
  }

  #judged(read: AnalyzedDocument, mode: DecisionMode, context: PageContext | undefined): OfKind<Analysis, 'analyzed'> {
    const document = { ...read, features: surroundedFeatures(read.features, context, this.#spaces) };
    if (this.#classifier === undefined) return { kind: 'analyzed', document, assignment: undefined };
    const rule = mode === 'learning' ? this.#learn.metaLearning : this.#learn.metaHarvesting;
    return {
      kind: 'analyzed',
      document,
      assignment: classify(this.#classifier, document.features, rule, document.votes),
    };
  }

  async close(): Promise<void> {
    await this.#converter.close();
  }
}
