import type { Instance } from './instance.ts';
import { readProcessUsage } from './process-usage.ts';
import type { Sample, UsageRecord } from './usage.ts';
import type { Zone } from './zone.ts';

type Seen = { atMs: number; cpuSeconds: number; receivedBytes: number; sentBytes: number };
type Measuring = { zones: () => { name: string; zone: Zone }[]; everyMs: number; log: (line: string) => void };

/** Records what every pod uses, again and again. */
export function measure(usage: UsageRecord, { zones, everyMs, log }: Measuring): { stop(): Promise<void> } {
  const seen = new WeakMap<Instance, Seen>();
  let round: Promise<void> | undefined;
  const timer = setInterval(() => {
    // A round that takes longer than the pause is the next one too.
    round ??= lookAround()
      .catch((error: Error) => log(`usage: ${error.message}`))
      .finally(() => (round = undefined));
  }, everyMs).unref();

  const lookAround = async (): Promise<void> => {
    const samples = zones().flatMap(({ name, zone }) =>
      zone.pods.map(async ({ name: pod, instance }) => instance && (await sampleOf(instance, { zone: name, pod }))),
    );
    usage.record((await Promise.all(samples)).filter((sample) => sample !== undefined));
  };

  /** Rates since it was seen last, or since it started. */
  const sampleOf = async (instance: Instance, where: Pick<Sample, 'zone' | 'pod'>): Promise<Sample | undefined> => {
    if (instance.pid === undefined) return undefined;
    const { cpuSeconds, memoryBytes } = await readProcessUsage(instance.pid);
    // It ended a moment ago.
    if (memoryBytes === 0) return undefined;
    const now = { atMs: Date.now(), cpuSeconds, ...instance.traffic() };
    const before = seen.get(instance) ?? { atMs: instance.startedAtMs, cpuSeconds: 0, receivedBytes: 0, sentBytes: 0 };
    seen.set(instance, now);
    const seconds = Math.max(0.001, (now.atMs - before.atMs) / 1_000);
    // A child that nobody waited for takes its processor time with it.
    const rate = (field: 'cpuSeconds' | 'receivedBytes' | 'sentBytes'): number =>
      Math.max(0, now[field] - before[field]) / seconds;
    return {
      ...where,
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
