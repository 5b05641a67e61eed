import type { Store } from '../../store/index.ts';

/** Returns the serialized model with a number, or the last one; `undefined` if the store has no such model. */
export async function storedModel(
  store: Pick<Store, 'rounds'>,
  model: number | undefined,
): Promise<Uint8Array | undefined> {
  let last: Uint8Array | undefined;
  for await (const round of store.rounds()) {
    last = round.blob;
    if (round.model === model) return last;
  }
  return model === undefined ? last : undefined;
}
