import { type Assignment, type JournalRecord, ROOT, type TopicId, type TopicTree } from '../../core/index.ts';

/** The topic, or the nearest one above it that the tree still has: a person may have taken it out of bingo.yaml. */
export function keptTopic(tree: TopicTree, id: TopicId): TopicId {
  let topic: string = id;
  while (!tree.nodes.has(topic as TopicId)) {
    if (topic === ROOT) return ROOT;
    topic = topic.slice(0, Math.max(0, topic.lastIndexOf('/')));
  }
  return topic as TopicId;
}

/** A verdict in the words of a tree; what was accepted into a topic that is gone belongs to the one above it. */
export function assignmentIn(tree: TopicTree, assignment: Assignment): Assignment {
  const { topic: given, others, scores } = assignment;
  const topic = keptTopic(tree, given);
  if (topic === given && scores.every((score) => tree.nodes.has(score.topic))) return assignment;
  const kept = scores.filter((score) => tree.nodes.has(score.topic));
  return { ...assignment, topic, others: topic === ROOT ? true : others, scores: kept };
}

/** A record of the journal in the words of a tree. */
export function recordIn(tree: TopicTree, record: JournalRecord): JournalRecord {
  switch (record.kind) {
    case 'page': {
      const { origin } = record;
      const topic = keptTopic(tree, origin.topic);
      const assignment = assignmentIn(tree, record.assignment);
      if (topic === origin.topic && assignment === record.assignment) return record;
      return { ...record, origin: { ...origin, topic }, assignment };
    }
    case 'visit': {
      const { origin } = record;
      const topic = keptTopic(tree, origin.topic);
      return topic === origin.topic ? record : { ...record, origin: { ...origin, topic } };
    }
    case 'round': {
      const boosted = record.boosted.filter(({ topic }) => tree.nodes.has(topic));
      return boosted.length === record.boosted.length ? record : { ...record, boosted };
    }
    default:
      return record;
  }
}
