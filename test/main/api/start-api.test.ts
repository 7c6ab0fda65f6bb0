import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { startApi } from '../../../src/main/api/start-api.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import type { Connections } from '../../../src/main/wiring/open-connections.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { signBody } from '../../support/platform/deliver-webhook.ts';
import { createOrg, startApi as startTestApi } from '../../support/start-api.ts';

async function startProcess(environment: Record<string, string> = {}) {
  const { store, blobs } = await startTestApi();
  const starts: string[] = [];
  const temporal = {
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    workflow: {
      start: async (_type: string, { workflowId }: { workflowId: string }) => {
        starts.push(workflowId);
        return {};
      },
    },
  };
  const port = await reservePort();
  const config = { ...loadConfig(environment), port, host: '127.0.0.1' };
  const connections = { store, blobs, backups: blobs, temporal } as unknown as Connections;
  const start = async () =>
    await startApi(config, connections, {
      log: pino({ enabled: false }),
      version: 'v1',
      telemetry: {} as never,
      registry: new Registry(),
    });
  return { store, port, starts, start };
}

it('starts the deletion of a Product when an earlier process ended between its mark and its start', async () => {
  const { store, starts, start } = await startProcess();
  const product = { namespace: 'org-acme', name: 'shop' };
  await store.create(ProductKind, { metadata: product, spec: { repos: [], delivery: { zones: [] } } });
  await store.updateStatus(ProductKind, product, () => ({ deletionMessage: 'its zones are being removed' }));
  const api = await start();
  onTestFinished(async () => await api.stop());
  await expect.poll(() => starts, { timeout: 5_000 }).toContain('delete-product/acme/shop');
});

it('serves requests while it stops, although it is not ready any more', async () => {
  const { store, port, start } = await startProcess({ SHUTDOWN_DELAY_SECONDS: '1' });
  await createOrg(store, 'acme');
  const data = toSecretData({ 'webhook-secret': 'secret' });
  await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' }, data });
  const api = await start();
  let stopping: Promise<void> | undefined;
  onTestFinished(async () => await (stopping ?? api.stop()));
  const deliver = async (): Promise<number> => {
    const body = JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: 'acme/shop' } });
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': crypto.randomUUID(),
      'x-hub-signature-256': signBody(body, 'secret'),
    };
    const url = `http://127.0.0.1:${port}/api/v1/webhooks/codehost`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  expect(await deliver()).toBe(202);
  stopping = api.stop();
  expect((await fetch(`http://127.0.0.1:${port}/readyz?exclude=workflows`)).status).toBe(503);
  expect(await deliver()).toBe(202);
  await stopping;
  await expect(deliver()).rejects.toThrow('fetch failed');
});
