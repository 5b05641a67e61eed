export { type BayesVerdict, bayesVerdict, type SpelledBayes, type SpelledClass, spellBayes } from './bulk-bayes.ts';
export { blockClassifier, type Classifier, classify, freeClassifier, prepareClassifier } from './classify.ts';
export { decodeModels, encodeModels } from './codec.ts';
export { type ComparisonInput, compareModels, type OffTopicPage, type RankChange } from './compare.ts';
export {
  type ClassifierVote,
  type Explanation,
  explain,
  linkWeights,
  type TermContribution,
  topicTerms,
} from './explain.ts';
export { decidingBayes } from './explain-bayes.ts';
export { type RankedFeature, rankFeatures } from './feature-ranking.ts';
export { topicGrade } from './grade.ts';
export type { Centroid, ModelTopic, NodeBayes, SpaceModel, TopicModels, Vocabulary, Weights } from './models.ts';
export { combineVotes, type MetaDecision, type Vote } from './rules.ts';
export { chooseStandIns, type StandInsInput } from './stand-ins.ts';
export { type TrainedTopics, type TrainingInput, type TrainingWarning, trainTopicModels } from './train.ts';
