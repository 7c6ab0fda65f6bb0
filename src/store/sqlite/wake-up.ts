import type { Database } from './database.ts';

/** How late a watch may learn of another process's write. */
const pollMs = 20;

export type WakeUp = ReturnType<typeof createWakeUp>;

/** Wakes the watches of this process when something was written, here (`ring`) or by another process. */
export function createWakeUp({ sql }: Database) {
  let rung = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  let sleepers = 0;

  const ring = (): void => {
    const { resolve } = rung;
    rung = Promise.withResolvers<void>();
    resolve();
  };

  const dataVersion = (): unknown => sql('PRAGMA data_version').get()?.['data_version'];

  const startPolling = (): NodeJS.Timeout => {
    let seen = dataVersion();
    const started = setInterval(() => {
      const version = dataVersion();
      if (version === seen) return;
      seen = version;
      ring();
    }, pollMs);
    return started.unref();
  };

  const stopPolling = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    ring,
    /** Settles at the next write; take it before reading, so that no write falls between. */
    next: (): Promise<void> => rung.promise,
    /** Polls for other processes until the returned function has been called by everyone. */
    join: (): (() => void) => {
      sleepers += 1;
      timer ??= startPolling();
      return () => {
        sleepers -= 1;
        if (sleepers === 0) stopPolling();
      };
    },
    /** Wakes everyone for the last time. */
    close: (): void => {
      stopPolling();
      ring();
    },
  };
}
