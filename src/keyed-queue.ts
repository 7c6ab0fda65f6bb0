/** Creates a queue that runs the work of each key one after another, in the order of the calls, within this process. */
export function keyedQueue(): <T>(key: string | number, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string | number, Promise<unknown>>();
  return async (key, work) => {
    const previous = last.get(key) ?? Promise.resolve();
    // The caller of the previous work gets its error, so the next work starts after a rejection too.
    const current = previous.then(work, work);
    last.set(key, current);
    try {
      return await current;
    } finally {
      if (last.get(key) === current) last.delete(key);
    }
  };
}
