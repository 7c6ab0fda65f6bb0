/** Has those of this process that use the same thing wait for each other, in the order in which they came. */
export function inTurn(): <T>(key: string | number, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string | number, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    // The one before answers its own caller; here only its end counts.
    const mine = before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
