/**
 * Has local activities run one after the other. Two at once, one of a message and one of the loop, end in an order that
 * a replay does not repeat: the run would stand still after its worker has died.
 */
export function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return await result;
  };
}
