import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  collectionsOf,
  collectionUrl,
  deleteCollections,
  newCollection,
  openStore,
  otherCollections,
  switchCollection,
} from '../../src/store/index.ts';
import { eachDatabase } from './each-database.ts';
import type { Database, Place } from './store-databases.ts';
import { page } from './store-records.ts';

eachDatabase((name) => `collections in ${name}`, contract);

function contract(database: Database): void {
  const made = async ({ options }: Place, pages: number): Promise<string> => {
    const { workspace, url } = options;
    const name = newCollection(workspace);
    const store = await openStore({ ...options, url: collectionUrl(url, name), workspace: join(workspace, name) });
    for (let n = 1; n <= pages; n++) store.append(page(n, `https://${name.replace('/', '-')}.example/${n}`));
    await store.close();
    return name;
  };
  const count = async (place: Place): Promise<number> => {
    const store = await place.open({ readOnly: true });
    try {
      return await store.count();
    } finally {
      await store.close();
    }
  };

  test('are used once they are switched to, can be taken back, and are deleted', async () => {
    const place = await database.place();
    const { workspace } = place.options;
    try {
      const first = await place.open();
      first.append(page(1, 'https://first.example/'));
      await first.close();
      const second = await made(place, 2);
      expect([await count(place), otherCollections(workspace)]).toEqual([1, [second]]);
      switchCollection(workspace, second);
      expect([await count(place), collectionsOf(workspace)]).toEqual([2, { current: second, before: '.' }]);
      switchCollection(workspace, '.');
      expect(await count(place)).toBe(1);
      switchCollection(workspace, second);
      const third = await made(place, 3);
      switchCollection(workspace, third);
      await deleteCollections(place.options, otherCollections(workspace));
      expect(await count(place)).toBe(3);
      await deleteCollections(place.options, [second]);
      expect(existsSync(join(workspace, second))).toBe(false);
      switchCollection(workspace, second);
      await expect(count(place)).rejects.toMatchObject({ code: 'STORE_MISSING' });
      switchCollection(workspace, third);
      await deleteCollections(place.options, [third]);
    } finally {
      await place.drop();
    }
  });

  test('say so if the file that names them is damaged', async () => {
    const place = await database.place();
    try {
      writeFileSync(join(place.options.workspace, 'collection.json'), '{"current":"../elsewhere","before":null}');
      await expect(place.open()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    } finally {
      await place.drop();
    }
  });
}
