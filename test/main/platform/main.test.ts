import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ServerRecord } from '../../../src/main/temporal/stop-stale-server.ts';
import { TestPlatform } from '../../support/platform/test-platform.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';
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
