export type { LinkGraph } from './graph.ts';
export { type Distillation, type DistillationGraph, type DistillationOptions, distill, distilling } from './hits.ts';
export { backlinks, type PageRankOptions, pageRank, pageRankOf } from './page-rank.ts';
