import type { Instance } from './instance.ts';
import { readProcessUsage } from './read-process-usage.ts';
import type { UsageSample, UsageStore } from './usage-store.ts';
import type { Zone } from './zone.ts';

type UsageReading = { atMs: number; cpuSeconds: number; receivedBytes: number; sentBytes: number };
type UsageSamplerOptions = {
  zones: () => { name: string; zone: Zone }[];
  intervalMs: number;
  log: (line: string) => void;
};

/** Samples the usage of every pod at a fixed interval. */
export function startUsageSampler(
  usage: UsageStore,
  { zones, intervalMs, log }: UsageSamplerOptions,
): { stop(): Promise<void> } {
  const previous = new WeakMap<Instance, UsageReading>();
  let round: Promise<void> | undefined;
  const timer = setInterval(() => {
    // A round that exceeds the interval replaces the next one.
    round ??= sampleAll()
      .catch((error: Error) => log(`usage: ${error.message}`))
      .finally(() => (round = undefined));
  }, intervalMs).unref();

  const sampleAll = async (): Promise<void> => {
    const samples = zones().flatMap(({ name, zone }) =>
      zone.pods.map(
        async ({ name: pod, instance }) => instance && (await sampleInstance(instance, { zone: name, pod })),
      ),
    );
    usage.record((await Promise.all(samples)).filter((sample) => sample !== undefined));
  };

  /** Rates cover the time since the previous sample, or since the start of the process. */
  const sampleInstance = async (
    instance: Instance,
    target: Pick<UsageSample, 'zone' | 'pod'>,
  ): Promise<UsageSample | undefined> => {
    if (instance.pid === undefined) return undefined;
    const { cpuSeconds, memoryBytes } = await readProcessUsage(instance.pid);
    // A process without memory has just exited.
    if (memoryBytes === 0) return undefined;
    const now = { atMs: Date.now(), cpuSeconds, ...instance.traffic() };
    const before = previous.get(instance) ?? {
      atMs: instance.startedAtMs,
      cpuSeconds: 0,
      receivedBytes: 0,
      sentBytes: 0,
    };
    previous.set(instance, now);
    const seconds = Math.max(0.001, (now.atMs - before.atMs) / 1_000);
    // The total can fall: an orphaned child takes its CPU time with it.
    const rate = (field: 'cpuSeconds' | 'receivedBytes' | 'sentBytes'): number =>
      Math.max(0, now[field] - before[field]) / seconds;
    return {
      ...target,
      atMs: now.atMs,
      memoryBytes,
      cpuCores: rate('cpuSeconds'),
      receivedBytesPerSecond: rate('receivedBytes'),
      sentBytesPerSecond: rate('sentBytes'),
    };
  };

  return {
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}
