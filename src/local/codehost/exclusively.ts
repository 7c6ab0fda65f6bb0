import type { Host } from './host.ts';

export function createLocks(): Host['exclusively'] {
  const last = new Map<number | string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const mine = (async () => {
      // The one before answers its own caller; here only its end counts.
      await before?.catch(() => {});
      return work();
    })();
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
