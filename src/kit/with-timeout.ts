/** Resolves to the result of some work; to `undefined` if it takes longer than `ms`. The work itself continues. */
export async function within<T>(ms: number, work: T | Promise<T>): Promise<{ readonly value: T } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((end) => {
    timer = setTimeout(end, ms, undefined);
  });
  try {
    return await Promise.race([Promise.resolve(work).then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
