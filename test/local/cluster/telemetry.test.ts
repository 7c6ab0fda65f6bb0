import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { LogFile } from '../../../src/local/cluster/app-log.ts';
import { localTelemetry } from '../../../src/local/cluster/telemetry.ts';
import { openUsage } from '../../../src/local/cluster/usage.ts';
import { describeZoneTelemetry } from '../../contracts/zone-telemetry.ts';

const zone = 'hello-rc';
const folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
const usage = openUsage(join(folder, 'usage.sqlite'));
afterAll(async () => {
  usage.close();
  await rm(folder, { recursive: true });
});

describeZoneTelemetry('one machine', async ({ pods, lines, used }) => {
  const logFile = (of: string): LogFile => new LogFile(join(folder, `${of}.log`));
  const written = lines.map(({ pod, restarts = 0, at, text }) => `${at} ${pod}/${restarts} ${text}\n`);
  await logFile(zone).append(written.join(''));
  usage.record(used.map(({ ofAnotherZone, ...sample }) => ({ ...sample, zone: ofAnotherZone ? 'other' : zone })));
  const podsOf = (of: string) => (of === zone ? pods.map(({ name, restarts = 0 }) => ({ name, restarts })) : []);
  return { zone, telemetry: localTelemetry({ logFile, podsOf, usage }) };
});
