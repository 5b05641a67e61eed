import { resolve } from 'node:path';
import {
  type PortalOptions,
  type PortalSummary,
  type WrittenFolder,
  writeFolder,
  writePortal,
} from '../../postprocess/index.ts';
import type { Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';
import { readCuration } from './read-curation.ts';
import { thumbnails } from './thumbnails.ts';

/** Options for writing a portal. */
export interface WritePortalOptions extends Pick<PortalOptions, 'onRead'> {
  /** Name of the site. Default: that of portal.yaml, or else the name of the workspace. */
  readonly title?: string | undefined;
  /** Replaces other content of the folder, and keeps it beside the folder. Default: false. */
  readonly force?: boolean | undefined;
}

/**
 * Writes the accepted pages as a web site into a folder, and replaces an earlier portal there.
 * @throws InputError that lists the mistakes of portal.yaml
 */
export async function portalInto(
  out: string,
  { store, workspace }: { readonly store: Store; readonly workspace: Workspace },
  { title, force = false, onRead }: WritePortalOptions = {},
): Promise<WrittenFolder<PortalSummary>> {
  const curation = readCuration(workspace);
  const name = title ?? curation.title ?? workspaceTitle(workspace);
  return await writeFolder(out, { kind: 'portal', force }, (folder) =>
    writePortal(
      store,
      {
        ...{ tree: workspace.tree, title: name, curation, before: resolve(out) },
        thumbnails: (urls) => thumbnails(workspace, urls),
        ...(onRead && { onRead }),
      },
      folder,
    ),
  );
}
