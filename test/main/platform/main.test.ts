import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ServerRecord } from '../../../src/main/temporal/stop-stale-server.ts';
import { createPathWith } from '../../support/create-path-with.ts';
import { TestPlatform, withoutBrowser, withoutMetrics } from '../../support/platform/test-platform.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { reservePorts } from '../../support/servers/reserve-ports.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

describeWithTemporal('npm start', () => {
  it('starts again when its Temporal server is killed, and loses nothing', async () => {
    const platform = await TestPlatform.start();
    onTestFinished(async () => await platform.remove());
    const api = await platform.signInAsRoot();
    await api.post('/v1/orgs', { name: 'acme' });
    const readServer = async (): Promise<ServerRecord> =>
      JSON.parse(await readFile(join(platform.dataDir, 'temporal/temporal.pid'), 'utf8')) as ServerRecord;
    const { pid } = await readServer();
    process.kill(pid, 'SIGKILL');
    await waitUntil(
      async () => await readServer().catch(() => undefined),
      (server) => server !== undefined && server.pid !== pid,
    );
    await waitUntil(
      async () => await api.post('/v1/orgs', { name: 'umbrella' }).catch((error: unknown) => error),
      (response) => !(response instanceof Error) || response.message.includes('exists'),
    );
    expect(await api.put('/v1/orgs/umbrella/scheduling', { enabled: true, timeZone: '' })).toMatchObject({
      spec: { scheduling: { enabled: true } },
    });
    const { items } = await api.get<{ items: { name: string }[] }>('/v1/orgs');
    expect(items.map(({ name }) => name)).toEqual(['acme', 'umbrella']);
    expect(await platform.stop()).toBe(0);
  });
});

describeWithTemporal('a platform whose HOST is another address than loopback', () => {
  it.runIf(process.platform === 'linux')('also serves loopback, on which its own parts use it', async () => {
    const platform = await TestPlatform.start({ HOST: '127.0.0.2' });
    onTestFinished(async () => await platform.remove());
    for (const host of ['127.0.0.2', '127.0.0.1'])
      expect((await fetch(`http://${host}:${platform.port}/livez`)).status).toBe(200);
    expect(await platform.stop()).toBe(0);
  });
});

const isRunning = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX]/.test(stat);
};

it.runIf(process.platform === 'linux').each([
  ['platform', [], 0],
  ['demo', ['--yes'], 1],
])(
  '%s ends at a signal while its Temporal server is built, with the programs of the build',
  async (name, args, status) => {
    const folder = await createScratchFolder();
    const pidFile = join(folder, 'pid');
    const builds = `sleep 600 & echo $! > '${pidFile}'; wait`;
    const PATH = `${await createPathWith({ go: builds, bwrap: 'exit 1' })}${delimiter}${process.env['PATH']}`;
    const main = join(import.meta.dirname, '../../../src/main', name, 'main.ts');
    const dataDir = join(folder, 'data');
    const flags = ['--data-dir', dataDir, '--port', String(await reservePorts(10))];
    const child = spawn(process.execPath, [main, ...flags, ...args], {
      stdio: 'ignore',
      env: { ...process.env, ...withoutBrowser, ...withoutMetrics, PATH, XDG_CACHE_HOME: join(folder, 'cache') },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const pid = await waitUntil(
      async () => Number(await readFile(pidFile, 'utf8').catch(() => '0')),
      (found) => found > 0,
    );
    expect(await isRunning(pid)).toBe(true);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([status, null]);
    await waitUntil(
      async () => await isRunning(pid),
      (running) => !running,
    );
    // A directory in which no platform was ready belongs to any port.
    expect(await readdir(dataDir)).not.toContain('platform.json');
  },
);
