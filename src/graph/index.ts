export { type BaseSet, type BaseSetPage, type BaseSetParts, buildBaseSet } from './base-set.ts';
export type { LinkGraph } from './graph.ts';
export { type Distillation, type DistillationGraph, type DistillationOptions, distill } from './hits.ts';
export { type PageRank, type PageRankOptions, pageRank } from './page-rank.ts';
