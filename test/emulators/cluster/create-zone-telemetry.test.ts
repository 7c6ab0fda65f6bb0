import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createZoneTelemetry } from '../../../src/emulators/cluster/create-zone-telemetry.ts';
import { LogFile } from '../../../src/emulators/cluster/log-file.ts';
import { openUsageStore } from '../../../src/emulators/cluster/usage-store.ts';
import { describeZoneTelemetryContract } from '../../contracts/zone-telemetry.ts';

const zone = 'hello-rc';
const folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
const usageStore = openUsageStore(join(folder, 'usage.sqlite'));
afterAll(async () => {
  usageStore.close();
  await rm(folder, { recursive: true });
});

describeZoneTelemetryContract('one machine', async ({ pods, lines, usage }) => {
  const logFile = (name: string): LogFile => new LogFile(join(folder, `${name}.log`));
  const written = lines.map(({ pod, restarts = 0, at, text }) => `${at} ${pod}/${restarts} ${text}\n`);
  await logFile(zone).append(written.join(''));
  usageStore.record(usage.map(({ ofAnotherZone, ...sample }) => ({ ...sample, zone: ofAnotherZone ? 'other' : zone })));
  const listPods = (name: string) =>
    name === zone ? pods.map((pod) => ({ name: pod.name, restartCount: pod.restarts ?? 0 })) : [];
  return { zone, telemetry: createZoneTelemetry({ logFile, listPods, usage: usageStore }) };
});
