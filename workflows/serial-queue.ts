/**
 * Runs local activities one after the other. Two at once, one of a handler and one of the main loop, can finish in an
 * order that a replay does not repeat, and the workflow would then be stuck once its worker has died.
 */
export function serialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return await result;
  };
}
