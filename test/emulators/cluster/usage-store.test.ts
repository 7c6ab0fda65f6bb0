import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type UsageSample, type UsageStore, openUsageStore } from '../../../src/emulators/cluster/usage-store.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 1);

async function openTestUsageStore(): Promise<UsageStore> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-'));
  const usage = openUsageStore(join(folder, 'usage.sqlite'));
  onTestFinished(async () => {
    usage.close();
    await rm(folder, { recursive: true });
  });
  return usage;
}

const sample = (atMs: number, overrides: Partial<UsageSample> = {}): UsageSample => ({
  zone: 'hello-rc',
  pod: 'one',
  atMs,
  cpuCores: 0.5,
  memoryBytes: 1_000,
  receivedBytesPerSecond: 10,
  sentBytesPerSecond: 20,
  ...overrides,
});
const range = (fromMs: number, toMs: number, stepSeconds: number) => ({
  from: new Date(fromMs),
  to: new Date(toMs),
  stepSeconds,
});

it('stores a week in few rows with correct means', async () => {
  const usage = await openTestUsageStore();
  const endMs = start + 8 * 24 * hourMs;
  // The usage alternates between zero and one core, with one hour without samples.
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

it('deletes the samples of a zone', async () => {
  const usage = await openTestUsageStore();
  usage.record([sample(start), sample(start, { zone: 'other' })]);
  usage.deleteZone('hello-rc');
  expect(usage.series('hello-rc', range(start, start + 1, 15))).toEqual([]);
  expect(usage.series('other', range(start, start + 1, 15))).toHaveLength(1);
});
