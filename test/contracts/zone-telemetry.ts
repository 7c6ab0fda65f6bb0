import { beforeAll, describe, expect, it } from 'vitest';
import type { LogQuery, Usage, ZoneTelemetry } from '../../src/integrations/telemetry/zone-telemetry.ts';

export type PodFixture = { name: string; restarts?: number; state?: 'starting' | 'unreachable' };
export type LogLineFixture = { pod: string; restarts?: number; at: string; text: string };
export type UsageFixture = Usage & { pod: string; atMs: number; ofAnotherZone?: boolean };
/** The current pods of a zone, with the logs and usage of current and deleted pods. */
export type TelemetryFixture = { pods: PodFixture[]; lines: LogLineFixture[]; usage: UsageFixture[] };
export type OpenedTelemetry = { zone: string; telemetry: ZoneTelemetry };

export const scrapeIntervalSeconds = 15;
const minuteMs = 60_000;
/** The fixture covers half an hour in the past. */
const startMs = Math.floor(Date.now() / minuteMs - 40) * minuteMs;
const toTimestamp = (second: number): string => new Date(startMs + second * 1_000 + 123).toISOString();

const telemetryFixture: TelemetryFixture = {
  pods: [
    { name: 'two' },
    { name: 'one', restarts: 1 },
    { name: 'quiet' },
    { name: 'not-yet', state: 'starting' },
    { name: 'lost', state: 'unreachable' },
  ],
  lines: [
    { pod: 'one', at: toTimestamp(1), text: 'first life: hello' },
    { pod: 'one', at: toTimestamp(2), text: 'first life: error: it fails' },
    ...[10, 11, 12, 13, 14, 15].map((second) => ({
      pod: 'one',
      restarts: 1,
      at: toTimestamp(second),
      text: second % 3 === 0 ? `error: ${second}` : `  line ${second}, größer`,
    })),
    { pod: 'gone', at: toTimestamp(5), text: 'of a pod that is gone' },
    { pod: 'two', at: toTimestamp(11), text: 'error: of two' },
  ],
  usage: [
    ...buildSteadyUsage('one', [0, 10], { cpuCores: 0.5, memoryBytes: 2e8 }),
    ...buildSteadyUsage('one', [10, 20], { cpuCores: 2, memoryBytes: 3e8 }),
    ...buildSteadyUsage('gone', [5, 15], { receivedBytesPerSecond: 5_000, sentBytesPerSecond: 700 }),
    ...buildSteadyUsage('stranger', [0, 30], {}).map((usage) => ({ ...usage, ofAnotherZone: true })),
  ],
};

function buildSteadyUsage(
  pod: string,
  [fromMinute, toMinute]: [number, number],
  usage: Partial<Usage>,
): UsageFixture[] {
  const count = ((toMinute - fromMinute) * 60) / scrapeIntervalSeconds;
  return Array.from({ length: count }, (_, index) => ({
    cpuCores: 0.1,
    memoryBytes: 1e8,
    receivedBytesPerSecond: 1_000,
    sentBytesPerSecond: 100,
    ...usage,
    pod,
    // The offset keeps samples away from the boundaries of steps.
    atMs: startMs + fromMinute * minuteMs + (index * scrapeIntervalSeconds + 7) * 1_000,
  }));
}

/** Tests the contract of every telemetry source; `open` returns one for a zone with the fixture. */
export function describeZoneTelemetryContract(
  name: string,
  open: (fixture: TelemetryFixture) => Promise<OpenedTelemetry>,
): void {
  describe(`zone telemetry: ${name}`, () => {
    let opened: OpenedTelemetry;
    beforeAll(async () => {
      opened = await open(telemetryFixture);
    });
    const logs = async (query: Partial<LogQuery> = {}) =>
      await opened.telemetry.queryLogs(opened.zone, { tailLines: 100, ...query });
    const readTexts = async (pod: string, query: Partial<LogQuery> = {}) =>
      (await logs(query)).find((log) => log.pod === pod)?.lines.map(({ text }) => text);
    const series = async (toMinute = 30, stepSeconds = 300, fromMinute = 0) => {
      const [from, to] = [fromMinute, toMinute].map((minute) => new Date(startMs + minute * minuteMs));
      return await opened.telemetry.querySeries(opened.zone, { from: from!, to: to!, stepSeconds });
    };

    it('returns the current pods by name, with their lines and times, oldest first', async () => {
      const found = await logs();
      expect(found.map(({ pod }) => pod)).toEqual(['lost', 'not-yet', 'one', 'quiet', 'two']);
      expect(found.find(({ pod }) => pod === 'one')?.lines.slice(0, 3)).toEqual([
        { at: toTimestamp(10), text: '  line 10, größer' },
        { at: toTimestamp(11), text: '  line 11, größer' },
        { at: toTimestamp(12), text: 'error: 12' },
      ]);
    });

    it('returns no lines for a pod that has not started, is unreachable or wrote nothing', async () => {
      const found = await logs();
      expect(found.map(({ pod, lines }) => [pod, lines.length])).toEqual([
        ['lost', 0],
        ['not-yet', 0],
        ['one', 6],
        ['quiet', 0],
        ['two', 1],
      ]);
    });

    it('applies tailLines per pod, after the other filters', async () => {
      expect(await readTexts('one', { tailLines: 2 })).toEqual(['  line 14, größer', 'error: 15']);
      expect(await readTexts('one', { tailLines: 1, contains: 'line' })).toEqual(['  line 14, größer']);
      expect(await readTexts('one', { contains: 'ERROR' })).toEqual([]);
      expect(await readTexts('two', { tailLines: 1 })).toEqual(['error: of two']);
    });

    it('applies since with millisecond precision', async () => {
      expect(await readTexts('one', { since: new Date(toTimestamp(14)) })).toEqual(['  line 14, größer', 'error: 15']);
      expect(await readTexts('one', { since: new Date(Date.parse(toTimestamp(14)) + 1) })).toEqual(['error: 15']);
      expect(await readTexts('one', { since: new Date(toTimestamp(11)), contains: 'error', tailLines: 1 })).toEqual([
        'error: 15',
      ]);
    });

    it('returns only the requested pod', async () => {
      expect((await logs({ pod: 'two' })).map(({ pod }) => pod)).toEqual(['two']);
      expect(await logs({ pod: 'gone' })).toEqual([]);
    });

    it('counts all lines that contain the text, also beyond tailLines', async () => {
      const found = await logs({ contains: 'error', tailLines: 1 });
      const read = found.filter(({ lines }) => lines.length > 0);
      expect(read.map(({ pod, lines, matches }) => [pod, lines.length, matches])).toEqual([
        ['one', 1, { count: 2, isComplete: true }],
        ['two', 1, { count: 1, isComplete: true }],
      ]);
      expect((await logs({ pod: 'one', contains: 'nowhere' }))[0]).toMatchObject({ lines: [], matches: { count: 0 } });
      expect((await logs({ pod: 'one' }))[0]).not.toHaveProperty('matches');
    });

    it('returns only pods with the requested container', async () => {
      expect((await logs({ container: 'app', pod: 'two' })).map(({ lines }) => lines.length)).toEqual([1]);
      expect(await logs({ container: 'sidecar' })).toEqual([]);
    });

    it('returns lines from before the last restart, and none for a pod without restarts', async () => {
      expect(await readTexts('one', { previous: true })).toEqual(['first life: hello', 'first life: error: it fails']);
      expect(await readTexts('one', { previous: true, tailLines: 1 })).toEqual(['first life: error: it fails']);
      expect(await readTexts('two', { previous: true })).toEqual([]);
    });

    it('returns nothing for an unknown zone', async () => {
      const nowhere = 'nowhere-at-all';
      expect(await opened.telemetry.queryLogs(nowhere, { tailLines: 10 })).toEqual([]);
      const range = { from: new Date(startMs), to: new Date(startMs + 30 * minuteMs), stepSeconds: 300 };
      expect(await opened.telemetry.querySeries(nowhere, range)).toEqual([]);
    });

    it('returns the mean usage of each step, with the start of the step as its time', async () => {
      const [, one] = await series();
      expect(one?.points.map((point) => (Date.parse(point.at) - startMs) / minuteMs)).toEqual([0, 5, 10, 15]);
      for (const [index, cpuCores, memoryBytes] of [
        [0, 0.5, 2e8],
        [1, 0.5, 2e8],
        [2, 2, 3e8],
        [3, 2, 3e8],
      ] as const) {
        expect(one?.points[index]?.cpuCores).toSatisfy(isCloseTo(cpuCores));
        expect(one?.points[index]?.memoryBytes).toSatisfy(isCloseTo(memoryBytes));
        expect(one?.points[index]?.receivedBytesPerSecond).toSatisfy(isCloseTo(1_000));
        expect(one?.points[index]?.sentBytesPerSecond).toSatisfy(isCloseTo(100));
      }
    });

    it('returns the pods of the range by name, only of that zone and only while they existed', async () => {
      const found = await series();
      expect(found.map(({ pod }) => pod)).toEqual(['gone', 'one']);
      expect(found[0]?.points.map((point) => (Date.parse(point.at) - startMs) / minuteMs)).toEqual([5, 10]);
      for (const point of found[0]?.points ?? []) {
        expect(point.receivedBytesPerSecond).toSatisfy(isCloseTo(5_000));
        expect(point.sentBytesPerSecond).toSatisfy(isCloseTo(700));
      }
      expect((await series(30, 300, 21)).map(({ pod }) => pod)).toEqual([]);
    });

    it('returns the mean of a step in which the usage changed', async () => {
      const one = (await series(15, 600, 5)).find(({ pod }) => pod === 'one');
      expect(one?.points).toHaveLength(1);
      expect(one?.points[0]?.at).toBe(new Date(startMs + 5 * minuteMs).toISOString());
      expect(one?.points[0]?.cpuCores).toSatisfy(isCloseTo(1.25));
      expect(one?.points[0]?.memoryBytes).toSatisfy(isCloseTo(2.5e8));
    });

    it('supports steps of one minute', async () => {
      const [found] = (await series(10, 60, 5)).filter(({ pod }) => pod === 'one');
      expect(found?.points).toHaveLength(5);
      for (const { cpuCores } of found?.points ?? []) expect(cpuCores).toSatisfy(isCloseTo(0.5));
    });
  });
}

/** Prometheus computes a rate from samples within a step, so it is not exact. */
const isCloseTo =
  (expected: number) =>
  (found: number | undefined): boolean =>
    found !== undefined && Math.abs(found - expected) < expected * 0.1;
