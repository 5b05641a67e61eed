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
import { type MeaningSettings, MeaningSource } from './meaning.ts';

/** The parts of the configuration that analysis reads. They are sent to worker threads. */
export interface AnalyzerSettings {
  readonly analyze: Config['analyze'];
  readonly learn: Config['learn'];
  readonly maxLinksPerPage: number;
  readonly maxUrlChars: number;
  readonly feeds: boolean;
  /** Missing if `learn.spaces` has no `meaning`, or no server is set. */
  readonly meaning?: MeaningSettings;
  /** Our name in robots.txt and robots directives. */
  readonly robot: string;
}

/** @param access header fields of the user, by host */
export function analyzerSettings(config: Config, access?: MeaningSettings['access']): AnalyzerSettings {
  const { analyze, learn, network } = config;
  const { maxLinksPerPage, maxUrlChars, feeds } = config.crawl;
  const robot = productToken(network.userAgent);
  const isMeant = learn.embeddings !== '' && baseSpaces(learn.spaces).includes('meaning');
  const meaning = { server: learn.embeddings, model: learn.embeddingsModel, network, access };
  return { analyze, learn, maxLinksPerPage, maxUrlChars, feeds, robot, ...(isMeant && { meaning }) };
}

/**
 * Spaces that analysis builds from a page alone. Terms are always included: search, link analysis and neighbours need
 * them.
 */
export function pageSpaces(spaces: readonly SpaceName[]): readonly FeatureSpace[] {
  const wanted = baseSpaces(spaces);
  return (['terms', 'pairs', 'lead', 'form'] as const).filter((space) => space === 'terms' || wanted.includes(space));
}

/** Bytes of a text that hold its first words. */
const LEAD_BYTES = 10_000;

/** Adds what extensions decide to an analysed page. */
export interface Extend {
  /** Adds fields and votes, before the page is judged. */
  decide(page: FetchedPage, document: AnalyzedDocument): Promise<AnalyzedDocument>;
  /** Returns the links with priorities, after the page was judged. */
  order(document: AnalyzedDocument, assignment: Assignment | undefined): Promise<LinkTable>;
}

/** Analysis and classification in the calling thread. Analysis workers and the lab use it. */
export class PageAnalyzer implements Analyzer {
  readonly #settings: AnalyzerSettings;
  readonly #noted: boolean;
  readonly #learn: Config['learn'];
  readonly #converter: Converter;
  readonly #options: PageOptions;
  readonly #spaces: readonly FeatureSpace[];
  readonly #meaning: MeaningSource | undefined;
  #classifier: Classifier | undefined;

  /**
   * @param noted - true if documents will be packed, see `AnalyzeOptions`
   * @param sharing - its converter and its server of embeddings are used
   */
  constructor(settings: AnalyzerSettings, noted = false, sharing?: PageAnalyzer) {
    this.#settings = settings;
    this.#noted = noted;
    const { analyze, learn, meaning, ...limits } = settings;
    this.#learn = learn;
    this.#options = { ...analyze, ...limits, spaces: pageSpaces(learn.spaces), noted };
    this.#spaces = baseSpaces(learn.spaces);
    this.#converter = sharing === undefined ? new Converter(analyze) : sharing.#converter;
    this.#meaning = sharing === undefined ? meaning && new MeaningSource(meaning) : sharing.#meaning;
  }

  setModel(blob: Uint8Array): void {
    const before = this.#classifier;
    this.#classifier = prepareClassifier(decodeModels(blob));
    if (before !== undefined) freeClassifier(before);
  }

  /** Returns an analyzer with a model of its own. It shares the rest with this one, which is closed last. */
  branch(): Pick<PageAnalyzer, 'analyze' | 'setModel' | 'forgetModel'> {
    return new PageAnalyzer(this.#settings, this.#noted, this);
  }

  forgetModel(): void {
    if (this.#classifier !== undefined) freeClassifier(this.#classifier);
    this.#classifier = undefined;
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
      extend === undefined && this.#meaning === undefined
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

  /** Like `analyze`, but synchronous: for formats that need no conversion, and without the space `meaning`. */
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
    extend: Extend | undefined,
    { mode, context }: { readonly mode: DecisionMode; readonly context: PageContext | undefined },
  ): Promise<Analysis> {
    const read = analyze(converted, this.#options);
    if (isUnusable(read)) return read;
    // Another page may be analysed while an extension waits, in the same memory.
    const { noted } = read;
    const own = noted === undefined ? read : { ...read, noted: { ...noted, utf8: noted.utf8.slice() } };
    const decided = extend === undefined ? own : await extend.decide(page, own);
    const { document, ...judged } = this.#judged(await this.#meant(decided), mode, context);
    if (extend === undefined) return { ...judged, document };
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

  /** Adds the space `meaning`. */
  async #meant(document: AnalyzedDocument): Promise<AnalyzedDocument> {
    if (this.#meaning === undefined) return document;
    const { title, text, noted, features } = document;
    const begun = noted === undefined ? text : Buffer.from(noted.utf8.subarray(0, LEAD_BYTES)).toString('utf8');
    return { ...document, features: { ...features, meaning: await this.#meaning.of(title, begun) } };
  }

  async close(): Promise<void> {
    await this.#meaning?.close();
    await this.#converter.close();
  }
}
