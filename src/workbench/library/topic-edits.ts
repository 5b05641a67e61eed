import { type CanonicalUrl, canonicalize, type TopicId, UsageError } from '../../core/index.ts';
import { type addPages, addSubtopics, type removePages, splitTopic } from '../topics/change-topics.ts';
import type { PageList } from '../workspace/edit-topics.ts';
import { findTopic } from '../workspace/find-topic.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Adds a topic by its path. @throws UsageError if the topic above it is missing, or an example is no web address */
export async function addTopicAt(workspace: Workspace, path: string, examples: readonly string[]): Promise<TopicId> {
  const [above, name] = splitTopic(path);
  const parent = above === '' ? above : findTopic(workspace.tree, above);
  await addSubtopics(workspace, [{ parent, name, examples: examples.map(webPage) }]);
  return (parent === '' ? name : `${parent}/${name}`) as TopicId;
}

/** Adds pages to a list of a topic, or removes them. @throws UsageError if a page is no web address */
export function editPages(
  { dir, tree }: Workspace,
  edit: typeof addPages | typeof removePages,
  { topic, list, urls }: { readonly topic: string; readonly list: PageList; readonly urls: readonly string[] },
): void {
  edit(dir, findTopic(tree, topic), list, urls.map(webPage));
}

function webPage(text: string): CanonicalUrl {
  const url = canonicalize(text);
  if (url === undefined) throw new UsageError(`"${text}" is not a URL of the web.`, whyBadUrl(text));
  return url;
}
