export {
  type Cluster,
  type Clustering,
  type ClusterOptions,
  clusterPages,
  type Impurity,
  type Placement,
} from './cluster.ts';
export { adjustedRandIndex } from './cluster-agreement.ts';
export { clusterSign, svgPicture, textPicture } from './cluster-picture.ts';
export { commonForms } from './cluster-words.ts';
export { hasContent } from './content-words.ts';
export { BYTE_ORDER_MARK, csvLine } from './csv.ts';
export { type CorpusPage, writeCorpus } from './export-corpus.ts';
export { type FolderKind, type FolderOptions, type WrittenFolder, writeFolder } from './export-folder.ts';
export { type GraphLink, type GraphPage, gexfLines } from './export-graph.ts';
export { slugOf, slugsOf } from './export-names.ts';
export { bookmarkLines, type OutlinedPage, opmlLines, type PagesOfTopic } from './export-outline.ts';
export { type Foldable, type Folded, foldDuplicates } from './fold.ts';
export { halfMade } from './half-made.ts';
export { escapeMarkup, webAddress } from './markup.ts';
export {
  type PortalOptions,
  type PortalRow,
  type PortalSource,
  type PortalSummary,
  writePortal,
} from './portal/index.ts';
export { type Query, readQuery, wantedWords } from './query.ts';
export { type Match, RANK_WEIGHTS, type Ranked, type RankWeights, rank } from './rank.ts';
export { type Snippet, shortened, snippet, type Wanted } from './snippet.ts';
