import type { Database } from './database.ts';

/** A watch sees the writes of other processes with at most this delay. */
const pollIntervalMs = 20;

export type ChangeNotifier = ReturnType<typeof createChangeNotifier>;

/** Wakes the watches of this process after a write by this process (`notify`) or by another one. */
export function createChangeNotifier({ prepare }: Database) {
  let changed = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  let subscribers = 0;

  const notify = (): void => {
    const { resolve } = changed;
    changed = Promise.withResolvers<void>();
    resolve();
  };

  const dataVersion = (): unknown => prepare('PRAGMA data_version').get()?.['data_version'];

  const startPolling = (): NodeJS.Timeout => {
    let lastVersion = dataVersion();
    const interval = setInterval(() => {
      const version = dataVersion();
      if (version === lastVersion) return;
      lastVersion = version;
      notify();
    }, pollIntervalMs);
    return interval.unref();
  };

  const stopPolling = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    notify,
    /** Resolves at the next write. Call it before reading, so that no write is missed in between. */
    nextChange: (): Promise<void> => changed.promise,
    /** Polls for writes of other processes until every subscriber has called the returned function. */
    subscribe: (): (() => void) => {
      subscribers += 1;
      timer ??= startPolling();
      return () => {
        subscribers -= 1;
        if (subscribers === 0) stopPolling();
      };
    },
    /** Stops polling and wakes every subscriber a last time. */
    close: (): void => {
      stopPolling();
      notify();
    },
  };
}
