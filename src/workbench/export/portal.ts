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

/** Options for writing a portal. */
export interface WritePortalOptions extends Pick<PortalOptions, 'onRead'> {
  /** Name of the site. Default: the name of the workspace. */
  readonly title?: string | undefined;
  /** Replaces other content of the folder, and keeps it beside the folder. Default: false. */
  readonly force?: boolean | undefined;
}

/** Writes the accepted pages as a web site into a folder, and replaces an earlier portal there. */
export async function portalInto(
  out: string,
  { store, workspace }: { readonly store: Store; readonly workspace: Workspace },
  { title = workspaceTitle(workspace), force = false, onRead }: WritePortalOptions = {},
): Promise<WrittenFolder<PortalSummary>> {
  return await writeFolder(out, { kind: 'portal', force }, (folder) =>
    writePortal(store, { tree: workspace.tree, title, ...(onRead && { onRead }) }, folder),
  );
}
