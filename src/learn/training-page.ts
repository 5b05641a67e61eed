import type { DocumentFeatures, TopicId, TrainingOrigin } from '../core/index.ts';

/** One page to train on. A key may be an example of several topics. */
export interface TrainingPage {
  /** Its URL, or the name of a local file or of a query. */
  readonly key: string;
  /** The topic of the example. With `others`, the node whose OTHERS it belongs to. */
  readonly topic: TopicId;
  readonly others: boolean;
  readonly origin: TrainingOrigin;
  readonly features: DocumentFeatures;
}
