import type { Example, Judgement, TopicId, TopicNode, TopicTree } from '../../core/index.ts';
import type { StartPage } from './adapt-state.ts';

/** What a crawl of an adaptation learns from and starts at, besides bingo.yaml. */
export interface AdaptPages {
  readonly starts: readonly StartPage[];
  readonly judgements: readonly Judgement[];
  readonly archetypes: readonly StartPage[];
}

/**
 * Returns the tree for a crawl of an adaptation: its seeds are the start pages; its examples include the archetypes of
 * the old collection and the pages that the user marked, so that all of them are in the new collection, too.
 */
export function adaptTree(tree: TopicTree, { starts, judgements, archetypes }: AdaptPages): TopicTree {
  const marked = (use: Judgement['use'], topic: TopicId): readonly string[] =>
    judgements.flatMap((one) => (one.use === use && one.topic === topic && isPage(one.key) ? [one.key] : []));
  const dropped = new Set(judgements.flatMap(({ use, key }) => (use === 'dropped' ? [key] : [])));
  const isKept = (example: Example): boolean => example.kind !== 'url' || !dropped.has(example.url);
  const nodes = [...tree.nodes.values()].map((node): readonly [TopicId, TopicNode] => {
    const own = archetypes.flatMap(({ url, topic }) => (topic === node.id && !dropped.has(url) ? [url] : []));
    const examples = [...node.examples.filter(isKept), ...[...marked('example', node.id), ...own].map(asExample)];
    const others = [...node.others.filter(isKept), ...marked('others', node.id).map(asExample)];
    const seeds = starts.flatMap(({ url, topic }) => (topic === node.id ? [url] : []));
    return [node.id, { ...node, examples, others, seeds }];
  });
  return { nodes: new Map(nodes) };
}

function asExample(url: string): Example {
  return { kind: 'url', url };
}

function isPage(key: string): boolean {
  return /^https?:/.test(key);
}
