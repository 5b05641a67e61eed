import { type OfflineWhole, offlineWhole } from '../../engine/index.ts';
import { collectionFolder, openCheckpoints, type Store } from '../../store/index.ts';
import { openInlineExamples } from '../reading/training-documents.ts';
import { readBacklinks } from '../workspace/backlinks.ts';
import { pathsOf } from '../workspace/known-topics.ts';
import { productVersion } from '../workspace/product.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What the crawl of the whole is folded from. */
export type WholePlace = Pick<Workspace, 'dir' | 'tree' | 'known' | 'config'>;

/**
 * Folds the workspace's own store, so that fetches of shards can be added to it.
 * @param isWanted asked now and then; false stops it
 * @returns `undefined` if it was stopped
 */
export async function foldWhole(
  { dir, tree, known, config }: WholePlace,
  journal: Store,
  isWanted: () => boolean,
): Promise<OfflineWhole | undefined> {
  const place = { ...config.store, workspace: dir };
  return await offlineWhole({
    ...{ tree, topics: known && pathsOf(known), config, journal, isWanted },
    inline: await openInlineExamples({ dir, tree, config }),
    backlinks: readBacklinks({ dir, config }),
    checkpoints: await openCheckpoints(place, collectionFolder(dir), productVersion()),
    onRead: () => {},
  });
}
