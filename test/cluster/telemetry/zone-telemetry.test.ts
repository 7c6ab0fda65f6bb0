import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClusterTelemetry } from '../../../src/main/wiring/telemetry/cluster-telemetry.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { describeZoneTelemetryContract } from '../../contracts/zone-telemetry.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { loadKubeConfigFile } from '../open-cluster-store.ts';
import { createTelemetryZone } from './create-telemetry-zone.ts';

const cluster = inject('cluster');
// The fake kubelet is on loopback, so only an API server of this machine can read logs from it.
const isLocal = ['127.0.0.1', 'localhost'].includes(new URL(cluster.server).hostname);
const reason = `${cluster.server} is not on this machine, so the telemetry of its zones cannot be tested`;
if (!isLocal && process.env['CI']) throw new Error(reason);
if (!isLocal) process.stderr.write(`SKIPPED: ${reason}\n`);
type TelemetryZone = Awaited<ReturnType<typeof createTelemetryZone>>;

describe.skipIf(!isLocal)('on an API server', () => {
  const closes: (() => Promise<void>)[] = [];
  afterAll(async () => await Promise.all(closes.map((close) => close())));
  const open = async (...args: Parameters<typeof createTelemetryZone>): Promise<TelemetryZone> => {
    const opened = await createTelemetryZone(...args);
    closes.push(opened.close);
    return opened;
  };

  describeZoneTelemetryContract('a cluster', async (fixture) => await open(cluster, fixture));

  describe('a zone with large logs', () => {
    let opened: TelemetryZone;
    const sizes = { lines: 12_000, bytes: 2_000 };
    beforeAll(async () => {
      const pods = [{ name: 'flood' }, { name: 'one-line' }, { name: 'calm' }];
      const at = '2026-11-21T12:00:00.000Z';
      opened = await open(cluster, { pods, lines: [{ pod: 'calm', at, text: 'calm' }], usage: [] });
      const flood = createWriteStream(join(opened.folder, 'flood-now.log'));
      const padding = 'x'.repeat(sizes.bytes);
      for (let line = 0; line < sizes.lines; line += 1)
        flood.write(`${at} stdout F ${line} ${line === 3 ? 'long ago' : padding}\n`);
      flood.end();
      const oneLine = createWriteStream(join(opened.folder, 'one-line-now.log'));
      for (let part = 0; part < 4_000; part += 1) oneLine.write(`${at} stdout P ${padding}${padding}\n`);
      oneLine.end(`${at} stdout F end\n`);
      await Promise.all([once(flood, 'close'), once(oneLine, 'close')]);
    });

    it('reads a large log from its end, and only a few megabytes of it', async () => {
      const logs = await opened.telemetry.queryLogs(opened.zone, { tailLines: 2_000, pod: 'flood' });
      const lines = logs[0]?.lines ?? [];
      expect(lines.at(-1)?.text).toMatch(/^11999 x/);
      expect(lines).toHaveLength(2_000);
      const found = await opened.telemetry.queryLogs(opened.zone, { tailLines: 2_000, contains: ' x' });
      const flooded = found.find(({ pod }) => pod === 'flood')?.lines ?? [];
      expect(flooded.at(-1)?.text).toMatch(/^11999 x/);
      expect(flooded.length).toBeGreaterThan(100);
      expect(flooded.length).toBeLessThan(2_000);
      expect(
        await opened.telemetry.queryLogs(opened.zone, { tailLines: 1, pod: 'flood', contains: 'long ago' }),
      ).toEqual([{ pod: 'flood', lines: [], matches: { count: 0, isComplete: false } }]);
    });

    it('returns the end of a line of many megabytes, and the lines of other pods', async () => {
      const [calm, , oneLine] = await opened.telemetry.queryLogs(opened.zone, { tailLines: 2_000 });
      expect(calm?.lines).toEqual([{ at: '2026-11-21T12:00:00.000Z', text: 'calm' }]);
      expect(oneLine?.lines).toHaveLength(1);
      expect(oneLine?.lines[0]?.text).toMatch(/xxend$/);
      expect(oneLine?.lines[0]?.text.length).toBeGreaterThan(500_000);
      expect(oneLine?.lines[0]?.text.length).toBeLessThan(4 * 2 ** 20);
    });

    it('requires permission to list pods and to get their logs, and names a missing one', async () => {
      const [run, named] = [(...args: string[]) => kubectl(cluster, args), `--namespace=${opened.zone}`];
      const queryLogs = async (): Promise<unknown> => {
        const query = { tailLines: 10, pod: 'calm' };
        return await telemetry.queryLogs(opened.zone, query).catch((error: unknown) => error);
      };
      const allow = async (name: string, verb: string, resource: string): Promise<void> => {
        await run('create', 'role', name, `--verb=${verb}`, `--resource=${resource}`, named);
        await run('create', 'rolebinding', name, `--role=${name}`, `--serviceaccount=${opened.zone}:default`, named);
      };
      const token = (await run('create', 'token', 'default', named)).trim();
      const kubeConfig = loadKubeConfigFile(cluster);
      kubeConfig.users = kubeConfig.users.map(({ name }) => ({ name, token }));
      const telemetry = createClusterTelemetry({ kubeConfig, prometheus: undefined });
      const missingPermission = {
        code: 'unavailable',
        message: expect.stringContaining('"get" on pods/log in that namespace'),
      };
      expect(await queryLogs()).toMatchObject(missingPermission);
      await allow('lister', 'list', 'pods');
      const canList = () => run(`--token=${token}`, 'auth', 'can-i', 'list', 'pods', named).catch(() => 'no');
      await expect.poll(canList).toContain('yes');
      expect(await queryLogs()).toMatchObject(missingPermission);
      await allow('reader', 'get', 'pods/log');
      await expect.poll(queryLogs).toMatchObject([{ pod: 'calm', lines: [{ text: 'calm' }] }]);
      await telemetry.close();
    });
  });

  it('unavailable: says that the API server is unavailable without its address', async () => {
    const kubeConfig = new KubeConfig();
    const server = `https://127.0.0.1:${await reservePort()}`;
    kubeConfig.loadFromClusterAndUser({ name: 'away', server, skipTLSVerify: true }, { name: 'no-user' });
    const telemetry = createClusterTelemetry({ kubeConfig, prometheus: undefined });
    const failure: unknown = await telemetry.queryLogs('hello-rc', { tailLines: 1 }).catch((error: unknown) => error);
    await telemetry.close();
    expect(failure).toMatchObject({
      code: 'unavailable',
      message:
        'The logs of zone "hello-rc" cannot be read: the cluster’s API server is unavailable. Retry in a moment.',
    });
  });

  it('unavailable: names the setting that is missing without Prometheus', async () => {
    const telemetry = createClusterTelemetry({ kubeConfig: loadKubeConfigFile(cluster), prometheus: undefined });
    const range = { from: new Date(0), to: new Date(60_000), stepSeconds: 15 };
    await expect(telemetry.querySeries('hello-rc', range)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('PROMETHEUS_URL'),
    });
    await telemetry.close();
  });
});
