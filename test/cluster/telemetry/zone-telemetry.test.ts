import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { clusterTelemetry } from '../../../src/main/cluster-telemetry.ts';
import { freePort } from '../../../src/main/ports.ts';
import { describeZoneTelemetry } from '../../contracts/zone-telemetry.ts';
import { kubectl } from '../install-kinds.ts';
import { kubeConfigIn, openZone } from './open-zone.ts';

const cluster = inject('cluster');
// Logs come from a kubelet that this process plays, which only an API server of this machine can reach.
const isHere = ['127.0.0.1', 'localhost'].includes(new URL(cluster.server).hostname);
const why = `${cluster.server} is not of this machine: what is told of zones by its pods cannot be tested`;
if (!isHere && process.env['CI']) throw new Error(why);
if (!isHere) process.stderr.write(`SKIPPED: ${why}\n`);
type OpenZone = Awaited<ReturnType<typeof openZone>>;

describe.skipIf(!isHere)('on an API server', () => {
  const closes: (() => Promise<void>)[] = [];
  afterAll(async () => await Promise.all(closes.map((close) => close())));
  const open = async (...given: Parameters<typeof openZone>): Promise<OpenZone> => {
    const opened = await openZone(...given);
    closes.push(opened.close);
    return opened;
  };

  describeZoneTelemetry('a cluster', async (given) => await open(cluster, given));

  describe('a zone of its own', () => {
    let opened: OpenZone;
    const sizes = { lines: 12_000, bytes: 2_000 };
    beforeAll(async () => {
      const pods = [{ name: 'flood' }, { name: 'one-line' }, { name: 'calm' }];
      const at = '2026-11-21T12:00:00.000Z';
      opened = await open(cluster, { pods, lines: [{ pod: 'calm', at, text: 'calm' }], used: [] });
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

    it('a pod that floods its output is read from its end, and no further back than a few megabytes', async () => {
      const logs = await opened.telemetry.logs(opened.zone, { tailLines: 2_000, pod: 'flood' });
      const lines = logs[0]?.lines ?? [];
      expect(lines.at(-1)?.text).toMatch(/^11999 x/);
      expect(lines).toHaveLength(2_000);
      const found = await opened.telemetry.logs(opened.zone, { tailLines: 2_000, contains: ' x' });
      const flooded = found.find(({ pod }) => pod === 'flood')?.lines ?? [];
      expect(flooded.at(-1)?.text).toMatch(/^11999 x/);
      expect(flooded.length).toBeGreaterThan(100);
      expect(flooded.length).toBeLessThan(2_000);
      expect(await opened.telemetry.logs(opened.zone, { tailLines: 1, pod: 'flood', contains: 'long ago' })).toEqual([
        { pod: 'flood', lines: [] },
      ]);
    });

    it('of a line of many megabytes the end is told, and the lines of other pods are too', async () => {
      const [calm, , oneLine] = await opened.telemetry.logs(opened.zone, { tailLines: 2_000 });
      expect(calm?.lines).toEqual([{ at: '2026-11-21T12:00:00.000Z', text: 'calm' }]);
      expect(oneLine?.lines).toHaveLength(1);
      expect(oneLine?.lines[0]?.text).toMatch(/xxend$/);
      expect(oneLine?.lines[0]?.text.length).toBeGreaterThan(500_000);
      expect(oneLine?.lines[0]?.text.length).toBeLessThan(4 * 2 ** 20);
    });

    it('takes the right to list pods and to get their logs, and says so where one is missing', async () => {
      const [run, named] = [(...args: string[]) => kubectl(cluster, args), `--namespace=${opened.zone}`];
      const ask = async (): Promise<unknown> => {
        const asked = { tailLines: 10, pod: 'calm' };
        return await telemetry.logs(opened.zone, asked).catch((error: unknown) => error);
      };
      const allow = async (name: string, verb: string, resource: string): Promise<void> => {
        await run('create', 'role', name, `--verb=${verb}`, `--resource=${resource}`, named);
        await run('create', 'rolebinding', name, `--role=${name}`, `--serviceaccount=${opened.zone}:default`, named);
      };
      const token = (await run('create', 'token', 'default', named)).trim();
      const kubeConfig = kubeConfigIn(cluster.kubeconfig);
      kubeConfig.users = kubeConfig.users.map(({ name }) => ({ name, token }));
      const telemetry = clusterTelemetry({ kubeConfig, prometheus: undefined });
      const lacking = { code: 'unavailable', message: expect.stringContaining('"get" of pods/log in that namespace') };
      expect(await ask()).toMatchObject(lacking);
      await allow('lister', 'list', 'pods');
      const mayList = () => run(`--token=${token}`, 'auth', 'can-i', 'list', 'pods', named).catch(() => 'no');
      await expect.poll(mayList).toContain('yes');
      expect(await ask()).toMatchObject(lacking);
      await allow('reader', 'get', 'pods/log');
      await expect.poll(ask).toMatchObject([{ pod: 'calm', lines: [{ text: 'calm' }] }]);
      await telemetry.close();
    });
  });

  it('unavailable: says that the API server is away, and not where', async () => {
    const kubeConfig = new KubeConfig();
    const server = `https://127.0.0.1:${await freePort()}`;
    kubeConfig.loadFromClusterAndUser({ name: 'away', server, skipTLSVerify: true }, { name: 'nobody' });
    const telemetry = clusterTelemetry({ kubeConfig, prometheus: undefined });
    const refusal: unknown = await telemetry.logs('hello-rc', { tailLines: 1 }).catch((error: unknown) => error);
    await telemetry.close();
    expect(refusal).toMatchObject({
      code: 'unavailable',
      message:
        'What the pods of "hello-rc" write cannot be read: the cluster’s API server does not answer as it should. Try again in a moment.',
    });
  });

  it('unavailable: says which setting is missing where nothing measures', async () => {
    const telemetry = clusterTelemetry({ kubeConfig: kubeConfigIn(cluster.kubeconfig), prometheus: undefined });
    const range = { from: new Date(0), to: new Date(60_000), stepSeconds: 15 };
    await expect(telemetry.series('hello-rc', range)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('PROMETHEUS_URL'),
    });
    await telemetry.close();
  });
});
