import type { AnalyzedDocument, Assignment, MetaRule, PageRole, TopicId } from '../../core/index.ts';
import { type Classifier, classify, decodeModels, prepareClassifier } from '../../meta/index.ts';
import type { GivenPage, GivenPlaces } from '../training/user-assignments.ts';
import { namedVotes } from '../training/votes.ts';

/** A stored page with its current verdict. */
export interface PageToJudge {
  readonly sequence: number;
  readonly url: string;
  readonly finalUrl: string;
  readonly title: string;
  readonly role: PageRole;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly relevance: number;
}

/** What a page is judged by: its words, and the votes of page classifiers when it was fetched. */
export type JudgedDocument = Pick<AnalyzedDocument, 'features' | 'votes'>;

/** What pages are judged by. */
export interface Verdicts {
  /** A round's serialized model. */
  readonly blob: Uint8Array;
  readonly rule: MetaRule;
  /** A user's decision on a page overrides the model. */
  readonly places: GivenPlaces;
  /**
   * Maps a topic of the model, or of record `at`, to its current name in the tree; `undefined` if the tree no longer
   * has it. Default: unchanged.
   */
  readonly topicNow?: (topic: TopicId, at?: number) => TopicId | undefined;
}

/** A stored page and its new verdict. */
export interface RejudgedPage {
  readonly page: PageToJudge;
  readonly assignment: Assignment;
  /** False for a training page that stays where the user put it: it does not show what a model learned. */
  readonly isCounted: boolean;
}

/** Returns the name of a topic, or of OTHERS below it. */
export function placeName({ topic, others }: { readonly topic: TopicId; readonly others: boolean }): string {
  return others ? `${topic === '' ? '' : `${topic}/`}OTHERS` : topic;
}

/** Judges stored pages by a model and the user's decisions. */
export interface PageJudge {
  /** Returns the verdict on a training page that the user has placed; `undefined` if the model decides. */
  readonly given: (page: PageToJudge) => RejudgedPage | undefined;
  readonly judged: (page: PageToJudge, document: JudgedDocument) => RejudgedPage;
  /** Does the same with the model's own verdict. */
  readonly assigned: (page: PageToJudge, assignment: Assignment) => RejudgedPage;
}

export function pageJudge({ blob, rule, places, topicNow = (topic) => topic }: Verdicts): PageJudge {
  const classifier: Classifier = prepareClassifier(decodeModels(blob));
  const inModel = new Map([...classifier.topics.keys()].map((topic) => [topicNow(topic), topic]));
  const byModel = ({ sequence }: PageToJudge, { features, votes = [] }: JudgedDocument): Assignment => {
    const named = namedVotes(votes, (topic) => inModel.get(topicNow(topic, sequence)));
    return inTree(classify(classifier, features, rule, named));
  };
  const inTree = (assignment: Assignment): Assignment => {
    return { ...assignment, topic: topicNow(assignment.topic) ?? assignment.topic };
  };
  const given = (page: PageToJudge): RejudgedPage | undefined => {
    const assignment = places.fixed(asGiven(page));
    return assignment && { page, assignment, isCounted: placeName(page) !== placeName(assignment) };
  };
  const placed = (page: PageToJudge, judge: () => Assignment): RejudgedPage => {
    const assignment = places.assignmentOf(asGiven(page), judge);
    return given(page) ?? { page, assignment, isCounted: true };
  };
  return {
    given,
    judged: (page, document) => placed(page, () => byModel(page, document)),
    assigned: (page, assignment) => placed(page, () => inTree(assignment)),
  };
}

function asGiven({ sequence, role, url, finalUrl }: PageToJudge): GivenPage {
  return { sequence, role, urls: [finalUrl, url] };
}
