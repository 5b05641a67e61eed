export type { LinkGraph } from './graph.ts';
export { type Distillation, type DistillationGraph, type DistillationOptions, distill } from './hits.ts';
