import { type DiskLimits, type DiskMeter, exceeds, highest } from './disk-meter.ts';

type DiskWatch = {
  limits: DiskLimits;
  /** The usage of the folder at the start. */
  used: DiskLimits;
  onFull: () => void;
  /** By default 150 ms. */
  pollIntervalMs?: number;
};

/**
 * Calls `onFull` once the folder exceeds its limits, or grows although it exceeds them already. Limits per process do not
 * cover many files together.
 */
export function watchDisk(
  meter: DiskMeter,
  { limits, used, onFull, pollIntervalMs = 150 }: DiskWatch,
): { stop(): void } {
  const allowed = highest(limits, used);
  let stopped = false;
  let timer = setTimeout(poll, 0);

  function poll(): void {
    void meter.measure(limits).then(
      (current) => {
        if (stopped) return;
        if (exceeds(current, allowed)) return onFull();
        timer = setTimeout(poll, pollIntervalMs);
      },
      // Measuring failed or timed out, for example because the folder is being deleted; the next poll tries again.
      () => void (stopped || (timer = setTimeout(poll, pollIntervalMs))),
    );
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
