import { canonicalize, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import { addPages, addSubtopics } from '../topics/change-topics.ts';
import { topicName } from '../workspace/topic-draft.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type FirstPages, firstPages, newPages, topicOfQuery } from './find-workspace.ts';

/**
 * Makes a query a topic of a workspace, with first pages as examples; or adds pages to the topic that learns from it.
 * @returns the topic; `undefined` if no page was chosen because the caller cancelled
 * @throws UsageError if a new topic has no page to start from
 * @throws BingoError if the search service returns no page
 */
export async function takeUpQuery(workspace: Workspace, request: FirstPages): Promise<TopicId | undefined> {
  const { query, seeds, onNews } = request;
  const known = topicOfQuery(workspace.tree, query);
  const isAsked = known === undefined || request.asksService;
  const pages = isAsked ? await firstPages(request, workspace.config) : seeds;
  if (pages === undefined) return undefined;
  const added = newPages(workspace, pages);
  if (known !== undefined) {
    if (added.length > 0) addPages(workspace.dir, known, 'examples', added);
  } else {
    if (added.length === 0)
      throw new UsageError(
        'All first pages are in the workspace already, so the query has no page of its own.',
        `Name others in "seeds", such as other pages near ${canonicalize(pages[0] ?? '') ?? 'them'}.`,
      );
    await addSubtopics(workspace, [{ parent: ROOT, name: topicName(query), query, examples: added }]);
  }
  if (added.length > 0) onNews({ kind: 'pages-added', pages: added });
  return known ?? (topicName(query) as TopicId);
}
