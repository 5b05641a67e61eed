/** A resource that stays open until it is closed. */
export interface Held<T> {
  readonly value: T;
  close(): Promise<void>;
}

/** Turns a function that opens a resource, hands it over and closes it into a resource that the caller closes. */
export async function held<T>(open: (use: (value: T) => Promise<void>) => Promise<void>): Promise<Held<T>> {
  const closing = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<T>();
  const ended = open(async (value) => {
    ready.resolve(value);
    await closing.promise;
  });
  ended.catch((error: unknown) => ready.reject(error));
  const value = await ready.promise;
  return {
    value,
    close: async () => {
      closing.resolve();
      await ended;
    },
  };
}
