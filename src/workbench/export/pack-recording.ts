import { rmSync } from 'node:fs';
import type { Store } from '../../store/index.ts';
import { type WaczPage, type WrittenWacz, waczWorkFile, writeWacz } from '../../warc/index.ts';
import { productVersion, SOFTWARE } from '../workspace/product.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';

/**
 * Packs the recording of a crawl as a WACZ file, and removes its work file. The list of pages has all stored ones.
 * @throws BingoError `WACZ_UNWRITABLE`; the work file is kept then
 */
export async function packRecording(store: Store, workspace: Workspace, path: string): Promise<WrittenWacz> {
  const warc = waczWorkFile(path);
  const title = workspaceTitle(workspace);
  const software = `${SOFTWARE}/${productVersion()}`;
  const packed = await writeWacz(path, { warc, title, software, createdAt: Date.now(), pages: listedPages(store) });
  rmSync(warc, { force: true });
  return packed;
}

async function* listedPages(store: Store): AsyncGenerator<WaczPage> {
  for await (const { finalUrl: url, title } of store.exportPages()) yield { url, title };
}
