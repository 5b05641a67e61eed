export type { LinkGraph } from './graph.ts';
export { type Distillation, type DistillationGraph, type DistillationOptions, distill, distilling } from './hits.ts';
export { backlinks, GrowingPageRank, type PageRankOptions, pageRank } from './page-rank.ts';
