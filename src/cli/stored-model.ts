import type { Store } from '../store/index.ts';

/**
 * The serialized model of a number, or the last one; `undefined` when there is none. Walks the journal, since models
 * are read this way nowhere else than in answers to a person.
 */
export async function storedModel(
  store: Pick<Store, 'read'>,
  model: number | undefined,
): Promise<Uint8Array | undefined> {
  let last: Uint8Array | undefined;
  for await (const records of store.read()) {
    for (const record of records) {
      if (record.kind !== 'round') continue;
      last = record.blob;
      if (record.model === model) return last;
    }
  }
  return model === undefined ? last : undefined;
}
