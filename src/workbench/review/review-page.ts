import { type Judgement, SITE_WORDS, type TopicId, type TrainingOrigin } from '../../core/index.ts';

/**
 * Why a page is shown: good pages link to it, the classifiers are certain of it, or both; `unsure`: accepted with low
 * confidence; `near`: rejected, but near the examples and similar to them; `shipped`: a built-in counter-example;
 * otherwise the origin of a training page.
 */
export type ReviewOrigin = 'authority' | 'confidence' | 'both' | 'unsure' | 'near' | 'shipped' | TrainingOrigin;

/** A page that the user may decide on. */
export interface ReviewPage {
  /** Its key among the training pages. */
  readonly key: string;
  /** The stored page; 0 for a local file or a query. */
  readonly sequence: number;
  readonly title: string;
  /** The topic in which it is shown; for a counter-example, the parent topic. */
  readonly topic: TopicId;
  /** It is a counter-example of the topic. */
  readonly isOthers: boolean;
  readonly origin: ReviewOrigin;
  readonly isTraining: boolean;
  /** Calibrated confidence for the topic: 0 like a counter-example, 1 like an example; held-out for training pages. */
  readonly score: number;
  /** Authority score in [0,1]; 0 if it is not an authority. */
  readonly authority: number;
  /** The user's earlier decision about it. */
  readonly judgement: Judgement | undefined;
}

/** A part of a paragraph: one of the strongest terms for or against the topic, or the text between them. */
export interface Segment {
  readonly text: string;
  /** It speaks for the topic. */
  readonly isTerm: boolean;
  /** It speaks against the topic. */
  readonly isAgainst?: true;
}

/** A page's text for display. */
export interface ReviewText {
  readonly paragraphs: readonly (readonly Segment[])[];
  /** Strongest terms for the topic, strongest first. */
  readonly terms: readonly string[];
  /** Strongest terms against it, strongest first. */
  readonly against: readonly string[];
}

/** Pages of one topic, candidates first; or the counter-examples. */
export interface ReviewTopic {
  /** A topic, `OTHERS`, or `T/OTHERS`. */
  readonly id: TopicId;
  readonly pages: readonly ReviewPage[];
}

/** A suggested change beyond single pages. */
export interface Proposal {
  readonly topic: TopicId;
  readonly what: string;
  /** A command line, or a line of bingo.yaml. */
  readonly how: string;
  readonly act: ProposalAct;
}

/**
 * What accepting a proposal does: `look` shows a page of its topic, or the topic; `change` changes the tree and
 * trains again.
 */
export type ProposalAct =
  | { readonly kind: 'look'; readonly key?: string }
  | {
      readonly kind: 'change';
      /** A few words for the key. */
      readonly label: string;
      /** The exact changes, line by line, shown before the user accepts. */
      readonly lines: readonly string[];
    };

/** Describes where a review page comes from, for lists. */
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
  reader: 'reader',
  'archetype-by-authority': '§ authority',
  'archetype-by-confidence': '§ confidence',
  others: 'yours',
  shipped: 'shipped',
  'feedback-others': 'marked',
  'reader-others': 'reader',
  rejected: 'rejected',
};

/** Describes a decision in one word or two. */
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
