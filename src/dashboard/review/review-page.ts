import { type Judgement, SITE_WORDS, type TopicId, type TrainingOrigin } from '../../core/index.ts';

/**
 * Why a page is shown: good pages link to it, the classifiers are sure of it, or both; `unsure`: it was accepted, but hardly; `near`: it looks like
 * the examples and lies near them, though it was rejected; `shipped`: a page of OTHERS that comes with Bingo; else the origin of a
 * training page.
 */
export type ReviewOrigin = 'authority' | 'confidence' | 'both' | 'unsure' | 'near' | 'shipped' | TrainingOrigin;

/** A page that a person may decide on. */
export interface ReviewPage {
  /** Its name among the training pages. */
  readonly key: string;
  /** The stored page; 0 for a local file or a query. */
  readonly sequence: number;
  readonly title: string;
  /** The topic in which it is shown; of a page of OTHERS the node above them. */
  readonly topic: TopicId;
  /** It teaches OTHERS: what the topic is not. */
  readonly isOthers: boolean;
  readonly origin: ReviewOrigin;
  readonly isTraining: boolean;
  /** Calibrated confidence for the topic: 0 like a page of OTHERS, 1 like an example; held-out for training pages. */
  readonly score: number;
  /** Authority score in [0,1]; 0 when it is no authority. */
  readonly authority: number;
  /** What a person decided on it earlier. */
  readonly judgement: Judgement | undefined;
}

/** A part of a paragraph: one of the strongest terms, or what lies between them. */
export interface Segment {
  readonly text: string;
  readonly isTerm: boolean;
}

/** A page's text as a person reads it. */
export interface ReviewText {
  readonly paragraphs: readonly (readonly Segment[])[];
  /** Strongest terms for the topic, strongest first. */
  readonly terms: readonly string[];
}

/** Pages of one topic, candidates first; or those that stand for OTHERS. */
export interface ReviewTopic {
  /** A topic, `OTHERS`, or `T/OTHERS`. */
  readonly id: TopicId;
  readonly pages: readonly ReviewPage[];
}

/** Something that a person may want to do beyond single pages. */
export interface Proposal {
  readonly topic: TopicId;
  readonly what: string;
  /** A command line, or a line of bingo.yaml. */
  readonly how: string;
  readonly act: ProposalAct;
}

/**
 * What accepting a proposal does: `look` shows a page of its topic, or the topic; `change` changes the tree, and then all
 * is learned anew.
 */
export type ProposalAct =
  | { readonly kind: 'look'; readonly key?: string }
  | {
      readonly kind: 'change';
      /** In a few words, for the key. */
      readonly label: string;
      /** What exactly, line by line, before a person says yes. */
      readonly lines: readonly string[];
    };

/** A candidate that is accepted with others at one stroke: each of those that the classifiers are not sure of wants a look of its own. */
export function isSureCandidate({ isTraining, origin }: Pick<ReviewPage, 'isTraining' | 'origin'>): boolean {
  return !isTraining && origin !== 'unsure';
}

/** Where a review page would be, for lists. */
export function describeOrigin(origin: ReviewOrigin): string {
  return ORIGINS[origin];
}

const ORIGINS: Readonly<Record<ReviewOrigin, string>> = {
  authority: 'authority',
  confidence: 'confidence',
  both: 'both',
  unsure: 'unsure',
  near: 'near',
  user: 'yours',
  feedback: 'marked',
  'archetype-by-authority': '§ authority',
  'archetype-by-confidence': '§ confidence',
  others: 'yours',
  shipped: 'shipped',
  'feedback-others': 'marked',
  rejected: 'rejected',
};

/** A decision in one word or two. */
export function describeUse({ use, topic, without = [] }: Judgement): string {
  const place = topic === '' ? 'OTHERS' : `${topic}/OTHERS`;
  const cut = without.length > 0 ? `, ${without.length} ¶ cut` : '';
  switch (use) {
    case 'example':
      return `example of ${topic}${cut}`;
    case 'others':
      return `${place}${cut}`;
    case 'dropped':
      return 'rejected';
    case 'bad-site':
    case 'good-site':
      return SITE_WORDS[use];
    case 'free':
      return 'undecided';
  }
}
