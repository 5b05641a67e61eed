export { type Comparable, isAlike } from './alike.ts';
export { type Bars, barPlot, CHART_STYLE, chartFile, linePlot, type Plot, type Series, seriesStyle } from './chart.ts';
export { adjustedRandIndex } from './clusters/agreement.ts';
export { type Clustering, clusterPages, type Impurity, type Placement } from './clusters/cluster.ts';
export { clusterSign, svgPicture, textPicture } from './clusters/picture.ts';
export { type ComparedFeatures, comparedBag, comparedBags } from './clusters/space.ts';
export { commonForms } from './clusters/words.ts';
export { halfMade } from './export/atomic-output.ts';
export { CHUNKS, type Chunk, type ChunkOptions, chunksOf } from './export/chunks.ts';
export { bibtexLines, type CitationLines, type CitedPage, cslLines, risLines } from './export/citations.ts';
export { type CorpusPage, writeCorpus } from './export/corpus.ts';
export { BYTE_ORDER_MARK, csvLine } from './export/csv.ts';
export { DATASET_FILE, type DatasetPage, writeDataset } from './export/dataset.ts';
export type { CardFacts } from './export/dataset-card.ts';
export { type FolderOptions, type WrittenFolder, writeFolder } from './export/folder.ts';
export { gexfLines } from './export/graph.ts';
export { slugOf, slugsOf } from './export/names.ts';
export { bookmarkLines, type OutlinedPage, opmlLines } from './export/outline.ts';
export { joinedMarkdown, type MarkedParagraph, markedParagraphs, type PageContent } from './export/paragraphs.ts';
export { escapeMarkup, shortTitle, webAddress } from './markup.ts';
export {
  type Curation,
  NO_CURATION,
  type Pinned,
  PORTAL_LANGUAGES,
  type PortalOptions,
  type PortalRow,
  type PortalSource,
  type PortalSummary,
  SECTIONS,
  type Section,
  THEMES,
  type Thumbnail,
  type TopicCuration,
  wordNames,
  writePortal,
} from './portal/index.ts';
export { spellings, spellingsEach } from './search/accents.ts';
export { hasContent } from './search/content-words.ts';
export { type Folded, foldDuplicates } from './search/fold.ts';
export type { FilterName, TypedFilter } from './search/operators.ts';
export { rulesOut, wantedWords } from './search/parts.ts';
export { type Beginnings, beginningsIn, type Query, readQuery } from './search/query.ts';
export { type Match, RANK_WEIGHTS, type Ranked, type RankWeights, rank } from './search/rank.ts';
export { type Snippet, shortened, snippet, type Wanted, wordsIn } from './search/snippet.ts';
export { misreadings } from './search/unsupported-syntax.ts';
export { type VoteWords, voteWords } from './search/vote-words.ts';
