import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Sample, type UsageRecord, openUsage } from '../../../src/local/cluster/usage.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 1);

async function aRecord(): Promise<UsageRecord> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-'));
  const usage = openUsage(join(folder, 'usage.sqlite'));
  onTestFinished(async () => {
    usage.close();
    await rm(folder, { recursive: true });
  });
  return usage;
}

const sample = (atMs: number, given: Partial<Sample> = {}): Sample => ({
  zone: 'hello-rc',
  pod: 'one',
  atMs,
  cpuCores: 0.5,
  memoryBytes: 1_000,
  receivedBytesPerSecond: 10,
  sentBytesPerSecond: 20,
  ...given,
});
const range = (fromMs: number, toMs: number, stepSeconds: number) => ({
  from: new Date(fromMs),
  to: new Date(toMs),
  stepSeconds,
});

it('keeps a week in few rows, with the means that it had', async () => {
  const usage = await aRecord();
  const endMs = start + 8 * 24 * hourMs;
  // Between zero and one core by turns, with an hour in which nothing was measured.
  for (let atMs = start + 1; atMs <= endMs; atMs += 60_000)
    if (Math.floor((atMs - start) / hourMs) !== 100)
      usage.record([sample(atMs, { cpuCores: Math.floor((atMs - start) / 60_000) % 2 })]);
  const week = usage.series('hello-rc', range(start, endMs + 1, 2_520))[0]?.points ?? [];
  expect(week[0]?.at.slice(0, 10)).toMatch(/2026-01-0[12]/);
  for (const { cpuCores = -1 } of week) expect(Math.abs(cpuCores - 0.5)).toBeLessThan(0.15);
  const rows = usage.series('hello-rc', range(start, endMs + 1, 1))[0]?.points ?? [];
  expect(rows.length).toBeLessThan(7 * 24 * 12 + 8 * 60);
  expect(rows.length).toBeGreaterThan(7 * 24 * 12 - 24);
});

it('forgets a zone', async () => {
  const usage = await aRecord();
  usage.record([sample(start), sample(start, { zone: 'other' })]);
  usage.forget('hello-rc');
  expect(usage.series('hello-rc', range(start, start + 1, 15))).toEqual([]);
  expect(usage.series('other', range(start, start + 1, 15))).toHaveLength(1);
});
