import { type CanonicalUrl, type Config, goodTopics, ROOT, type TopicId } from '../../core/index.ts';
import { addPages } from '../topics/change-topics.ts';
import { parseService } from '../workspace/service-name.ts';
import { examplePages } from '../workspace/topic-draft.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { askService, type ServiceResult } from './search-service.ts';

/** Number of results that become first pages of a topic: as in the paper's own search (BINGO! §5.3). */
export const FIRST_PAGES = 7;

/** Start pages that a service gave for a topic. */
export interface AddedSeeds {
  readonly topic: TopicId;
  readonly query: string;
  readonly pages: readonly CanonicalUrl[];
}

/**
 * Asks the service in `network.searchService` for first pages.
 * @throws BingoError `SEARCH_SERVICE` with cause and remedy
 */
export async function serviceResults(
  { network }: Pick<Config, 'network'>,
  query: string,
): Promise<readonly ServiceResult[]> {
  const service = parseService(network.searchService);
  if (service === undefined) return [];
  const userAgent = network.contact === '' ? network.userAgent : `${network.userAgent} (${network.contact})`;
  return await askService(service, query, { limit: FIRST_PAGES, userAgent, network });
}

/**
 * Adds start pages from the search service to the topics of bingo.yaml: by the words of `query`, else by the name. They
 * are not learned from. Pages that bingo.yaml names already are left out.
 * @throws BingoError `SEARCH_SERVICE`
 */
export async function addServiceSeeds(workspace: Workspace): Promise<readonly AddedSeeds[]> {
  const known = new Set(workspace.topics.flatMap(examplePages));
  const added: AddedSeeds[] = [];
  for (const { id, name, seeds, examples } of goodTopics(workspace.tree)) {
    if (id === ROOT) continue;
    const text = examples.find((example) => example.kind === 'text');
    const query = text?.kind === 'text' ? text.text : name;
    const found = await serviceResults(workspace.config, query);
    const pages = found.map(({ url }) => url).filter((url) => !known.has(url) && !seeds.includes(url));
    for (const page of pages) known.add(page);
    if (pages.length > 0) addPages(workspace.dir, id, 'seeds', pages);
    added.push({ topic: id, query, pages });
  }
  return added;
}
