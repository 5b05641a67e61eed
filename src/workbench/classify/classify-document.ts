import { type FetchedPage, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import { analyzerSettings, PageAnalyzer } from '../../engine/index.ts';
import { decodeModels, type Explanation, explain, prepareClassifier } from '../../meta/index.ts';
import { storedModel } from '../explain/stored-model.ts';
import { formsOf } from '../explain/term-name.ts';
import type { Tables } from '../reading/reading.ts';
import { addressOf } from '../sources/local-document.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A topic as a place for a document. */
export interface TopicPlace {
  readonly topic: TopicId;
  /** How likely the document is on the topic, in [0,1]. */
  readonly relevance: number;
  readonly confidence: number;
  /** 0 is like the counter-examples, 1 like the examples. */
  readonly calibrated: number;
}

/** Where a document belongs in the topic tree. */
export interface ClassifiedDocument {
  /** `null` for a file or standard input. */
  readonly url: string | null;
  readonly title: string;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  /** The topic that accepts it; `null` if none does. */
  readonly topic: TopicId | null;
  /** The best topics, most relevant first; the accepting topic is the first. */
  readonly places: readonly TopicPlace[];
  /** Why, for the first place; `null` if that topic has no classifier of its own. */
  readonly explanation: Explanation | null;
  /** Words of the document for the stems of the explanation. */
  readonly forms: ReadonlyMap<string, string>;
}

const PLACES = 5;
const TERMS = 12;

/**
 * Classifies a document by the last model of a workspace, with the analysis of the crawl. Feature spaces that need links
 * to the page are left out. Writes nothing.
 * @throws UsageError if nothing has been learned yet, or the document has no text
 */
export async function classifyDocument(
  { store, names }: Tables,
  { config }: Pick<Workspace, 'config'>,
  { page, limit = PLACES }: { readonly page: FetchedPage; readonly limit?: number | undefined },
): Promise<ClassifiedDocument> {
  const blob = await storedModel(store, undefined);
  if (blob === undefined)
    throw new UsageError(
      'Nothing has been learned in this workspace yet.',
      'First: bingo crawl DIR --only learn. Or: bingo classify --subjects WHAT',
    );
  const analyzer = new PageAnalyzer(analyzerSettings(config));
  try {
    analyzer.setModel(blob);
    const analysis = await analyzer.analyze(page, 'harvesting');
    if (analysis.kind === 'unusable')
      throw new UsageError(`The document cannot be classified: ${analysis.detail || analysis.reason}.`);
    const { document, assignment } = analysis;
    const accepted =
      assignment === undefined || assignment.others || assignment.topic === ROOT ? undefined : assignment.topic;
    const places = (assignment?.scores ?? [])
      .toSorted((a, b) => Number(b.topic === accepted) - Number(a.topic === accepted) || b.relevance - a.relevance)
      .slice(0, limit);
    const [first] = places;
    const why =
      first && explain(prepareClassifier(decodeModels(blob)), document.features, first.topic, TERMS, document.votes);
    const { title, language, text } = document;
    return {
      ...{ url: addressOf(page), title, language },
      topic: accepted === undefined ? null : names.named({ topic: accepted }).topic,
      places: places.map((place) => {
        const { topic, relevance, confidence, calibrated } = names.named(place);
        return { topic, relevance, confidence, calibrated };
      }),
      explanation: why === undefined ? null : names.named(why),
      forms: why === undefined ? new Map() : formsOf([why.for, why.against], [title, text], [language]),
    };
  } finally {
    await analyzer.close();
  }
}
