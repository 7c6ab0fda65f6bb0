import { beforeAll, describe, expect, it } from 'vitest';
import type { LogQuery, Usage, ZoneTelemetry } from '../../src/integrations/telemetry/zone-telemetry.ts';

export type GivenPod = { name: string; restarts?: number; state?: 'starting' | 'unreachable' };
export type GivenLine = { pod: string; restarts?: number; at: string; text: string };
export type GivenUsage = Usage & { pod: string; atMs: number; ofAnotherZone?: boolean };
/** What there is of a zone: its pods of now, what they and others wrote, and what all of them used. */
export type Given = { pods: GivenPod[]; lines: GivenLine[]; used: GivenUsage[] };
export type Opened = { zone: string; telemetry: ZoneTelemetry };

export const measuredEverySeconds = 15;
const minuteMs = 60_000;
/** Half an hour, before now as every chart is. */
const startMs = Math.floor(Date.now() / minuteMs - 40) * minuteMs;
const at = (second: number): string => new Date(startMs + second * 1_000 + 123).toISOString();

const given: Given = {
  pods: [
    { name: 'two' },
    { name: 'one', restarts: 1 },
    { name: 'quiet' },
    { name: 'not-yet', state: 'starting' },
    { name: 'lost', state: 'unreachable' },
  ],
  lines: [
    { pod: 'one', at: at(1), text: 'first life: hello' },
    { pod: 'one', at: at(2), text: 'first life: error: it fails' },
    ...[10, 11, 12, 13, 14, 15].map((second) => ({
      pod: 'one',
      restarts: 1,
      at: at(second),
      text: second % 3 === 0 ? `error: ${second}` : `  line ${second}, größer`,
    })),
    { pod: 'gone', at: at(5), text: 'of a pod that is gone' },
    { pod: 'two', at: at(11), text: 'error: of two' },
  ],
  used: [
    ...steady('one', [0, 10], { cpuCores: 0.5, memoryBytes: 2e8 }),
    ...steady('one', [10, 20], { cpuCores: 2, memoryBytes: 3e8 }),
    ...steady('gone', [5, 15], { receivedBytesPerSecond: 5_000, sentBytesPerSecond: 700 }),
    ...steady('stranger', [0, 30], {}).map((usage) => ({ ...usage, ofAnotherZone: true })),
  ],
};

function steady(pod: string, [fromMinute, toMinute]: [number, number], usage: Partial<Usage>): GivenUsage[] {
  const count = ((toMinute - fromMinute) * 60) / measuredEverySeconds;
  return Array.from({ length: count }, (_, index) => ({
    cpuCores: 0.1,
    memoryBytes: 1e8,
    receivedBytesPerSecond: 1_000,
    sentBytesPerSecond: 100,
    ...usage,
    pod,
    // Never at the end of a step, which is the beginning of the next.
    atMs: startMs + fromMinute * minuteMs + (index * measuredEverySeconds + 7) * 1_000,
  }));
}

/** What every source of telemetry must tell; `open` gives one of a zone in which is what is given. */
export function describeZoneTelemetry(name: string, open: (given: Given) => Promise<Opened>): void {
  describe(`zone telemetry: ${name}`, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open(given);
    });
    const logs = async (query: Partial<LogQuery> = {}) =>
      await opened.telemetry.logs(opened.zone, { tailLines: 100, ...query });
    const textsOf = async (pod: string, query: Partial<LogQuery> = {}) =>
      (await logs(query)).find((log) => log.pod === pod)?.lines.map(({ text }) => text);
    const series = async (toMinute = 30, stepSeconds = 300, fromMinute = 0) => {
      const [from, to] = [fromMinute, toMinute].map((minute) => new Date(startMs + minute * minuteMs));
      return await opened.telemetry.series(opened.zone, { from: from!, to: to!, stepSeconds });
    };

    it('tells of the pods that there are by name, and of each line when it was written, the oldest first', async () => {
      const found = await logs();
      expect(found.map(({ pod }) => pod)).toEqual(['lost', 'not-yet', 'one', 'quiet', 'two']);
      expect(found.find(({ pod }) => pod === 'one')?.lines.slice(0, 3)).toEqual([
        { at: at(10), text: '  line 10, größer' },
        { at: at(11), text: '  line 11, größer' },
        { at: at(12), text: 'error: 12' },
      ]);
    });

    it('a pod that has not started, cannot be asked or wrote nothing has no lines, and keeps no other from its own', async () => {
      const found = await logs();
      expect(found.map(({ pod, lines }) => [pod, lines.length])).toEqual([
        ['lost', 0],
        ['not-yet', 0],
        ['one', 6],
        ['quiet', 0],
        ['two', 1],
      ]);
    });

    it('tells the last lines of each pod that the other filters let through', async () => {
      expect(await textsOf('one', { tailLines: 2 })).toEqual(['  line 14, größer', 'error: 15']);
      expect(await textsOf('one', { tailLines: 1, contains: 'line' })).toEqual(['  line 14, größer']);
      expect(await textsOf('one', { contains: 'ERROR' })).toEqual([]);
      expect(await textsOf('two', { tailLines: 1 })).toEqual(['error: of two']);
    });

    it('tells nothing older than what is asked for, to the millisecond', async () => {
      expect(await textsOf('one', { since: new Date(at(14)) })).toEqual(['  line 14, größer', 'error: 15']);
      expect(await textsOf('one', { since: new Date(Date.parse(at(14)) + 1) })).toEqual(['error: 15']);
      expect(await textsOf('one', { since: new Date(at(11)), contains: 'error', tailLines: 1 })).toEqual(['error: 15']);
    });

    it('tells of one pod alone where that is asked for', async () => {
      expect((await logs({ pod: 'two' })).map(({ pod }) => pod)).toEqual(['two']);
      expect(await logs({ pod: 'gone' })).toEqual([]);
    });

    it('tells what was written before the last restart, and of pods that had none no lines', async () => {
      expect(await textsOf('one', { previous: true })).toEqual(['first life: hello', 'first life: error: it fails']);
      expect(await textsOf('one', { previous: true, tailLines: 1 })).toEqual(['first life: error: it fails']);
      expect(await textsOf('two', { previous: true })).toEqual([]);
    });

    it('knows nothing of a zone that is not there', async () => {
      const nowhere = 'nowhere-at-all';
      expect(await opened.telemetry.logs(nowhere, { tailLines: 10 })).toEqual([]);
      const range = { from: new Date(startMs), to: new Date(startMs + 30 * minuteMs), stepSeconds: 300 };
      expect(await opened.telemetry.series(nowhere, range)).toEqual([]);
    });

    it('tells what each pod used in the mean of each step, by the beginning of the step', async () => {
      const [, one] = await series();
      expect(one?.points.map((point) => (Date.parse(point.at) - startMs) / minuteMs)).toEqual([0, 5, 10, 15]);
      for (const [index, cpuCores, memoryBytes] of [
        [0, 0.5, 2e8],
        [1, 0.5, 2e8],
        [2, 2, 3e8],
        [3, 2, 3e8],
      ] as const) {
        expect(one?.points[index]?.cpuCores).toSatisfy(isAbout(cpuCores));
        expect(one?.points[index]?.memoryBytes).toSatisfy(isAbout(memoryBytes));
        expect(one?.points[index]?.receivedBytesPerSecond).toSatisfy(isAbout(1_000));
        expect(one?.points[index]?.sentBytesPerSecond).toSatisfy(isAbout(100));
      }
    });

    it('tells of the pods that there were then by name, only of that zone, and only when they were there', async () => {
      const found = await series();
      expect(found.map(({ pod }) => pod)).toEqual(['gone', 'one']);
      expect(found[0]?.points.map((point) => (Date.parse(point.at) - startMs) / minuteMs)).toEqual([5, 10]);
      for (const point of found[0]?.points ?? []) {
        expect(point.receivedBytesPerSecond).toSatisfy(isAbout(5_000));
        expect(point.sentBytesPerSecond).toSatisfy(isAbout(700));
      }
      expect((await series(30, 300, 21)).map(({ pod }) => pod)).toEqual([]);
    });

    it('a step in which it changed has the mean', async () => {
      const one = (await series(15, 600, 5)).find(({ pod }) => pod === 'one');
      expect(one?.points).toHaveLength(1);
      expect(one?.points[0]?.at).toBe(new Date(startMs + 5 * minuteMs).toISOString());
      expect(one?.points[0]?.cpuCores).toSatisfy(isAbout(1.25));
      expect(one?.points[0]?.memoryBytes).toSatisfy(isAbout(2.5e8));
    });

    it('answers for steps as short as what is measured', async () => {
      const [found] = (await series(10, 60, 5)).filter(({ pod }) => pod === 'one');
      expect(found?.points).toHaveLength(5);
      for (const { cpuCores } of found?.points ?? []) expect(cpuCores).toSatisfy(isAbout(0.5));
    });
  });
}

/** A rate is read from what was counted, which may begin and end within a step. */
const isAbout =
  (expected: number) =>
  (found: number | undefined): boolean =>
    found !== undefined && Math.abs(found - expected) < expected * 0.1;
