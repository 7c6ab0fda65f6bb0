import { serve } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { createOrg } from '../../support/start-api.ts';
import { acme, alertToken, buildAlert, createShop, startShop } from './shop-with-incidents.ts';

type Shop = Awaited<ReturnType<typeof startShop>>;
const fingerprint = (index: number): string => index.toString(16).padStart(16, '0');

async function receive({ send }: Shop, ...alerts: object[]): Promise<object> {
  const response = await send({ alerts });
  expect(response.status).toBe(200);
  return (await response.json()) as object;
}
const count = (recorded: number, unchanged = 0, ignored = 0): object => ({ recorded, unchanged, ignored });

describe('receiveAlerts', () => {
  it('200: opens one incident for each alert of a group', async () => {
    const shop = await startShop();
    const alerts = [buildAlert(), buildAlert({ fingerprint: fingerprint(1), labels: { slo: 'fast' } })];
    expect(await receive(shop, ...alerts)).toEqual(count(2));
    const incidents = await shop.list();
    expect(incidents.map(({ spec }) => spec.alert?.slo).toSorted()).toEqual(['answered', 'fast']);
    await receive(shop, { ...alerts[0], status: 'resolved', endsAt: '2026-11-24T12:05:00Z' });
    expect((await shop.list()).map(({ status }) => status?.state).toSorted()).toEqual(['Open', 'Resolved']);
  });

  it('200: changes nothing when an alert is sent again, also by another peer at the same time', async () => {
    const shop = await startShop();
    const responses = await Promise.all(Array.from({ length: 6 }, () => receive(shop, buildAlert(), buildAlert())));
    expect(responses).toHaveLength(6);
    const [incident, ...others] = await shop.list();
    expect(others).toEqual([]);
    expect(incident?.status?.timeline).toHaveLength(1);
    expect(await receive(shop, buildAlert())).toEqual(count(0, 1));
    expect((await shop.list())[0]?.metadata.resourceVersion).toBe(incident?.metadata.resourceVersion);
  });

  it('200: reopens the incident when the alert fires again within 15 minutes, and opens another one later', async () => {
    const shop = await startShop();
    await receive(shop, buildAlert());
    await receive(shop, buildAlert({ endsAt: '2026-11-24T12:05:00Z' }));
    const again = buildAlert({ startsAt: '2026-11-24T12:10:00Z' });
    await Promise.all([receive(shop, again), receive(shop, again)]);
    const [reopened, ...none] = await shop.list();
    expect(none).toEqual([]);
    expect(reopened?.status?.timeline.map(({ type }) => type)).toEqual([
      'opened',
      'alert-cleared',
      'resolved',
      'reopened',
    ]);
    await receive(shop, { ...again, status: 'resolved', endsAt: '2026-11-24T12:20:00Z' });
    const later = buildAlert({ startsAt: '2026-11-24T12:35:00Z' });
    await Promise.all([receive(shop, later), receive(shop, later)]);
    expect((await shop.list()).map(({ status }) => status?.state).toSorted()).toEqual(['Open', 'Resolved']);
    expect(await receive(shop, buildAlert())).toEqual(count(0, 1));
  });

  it('200: keeps the Promotion that was healthy last before the incident opened', async () => {
    const shop = await startShop();
    for (const [name, healthyAt] of [
      ['before', '2026-11-24T11:22:00.000Z'],
      ['after', '2026-11-24T12:00:01.000Z'],
    ] as const) {
      const metadata = { ...acme, name };
      const spec = { product: 'shop', zone: 'shop-prod', release: `shop-${name}`, version: 'v1.0.0', commit: 'c1' };
      await shop.store.create(PromotionKind, { metadata, spec: { ...spec, trigger: 'release', startedBy: 'jo' } });
      await shop.store.updateStatus(PromotionKind, metadata, () => ({
        phase: 'Healthy' as const,
        phases: [],
        healthyAt,
      }));
    }
    await Promise.all([receive(shop, buildAlert()), receive(shop, buildAlert())]);
    expect((await shop.list())[0]?.status?.promotion).toMatchObject({ name: 'before', release: 'shop-before' });
  });

  it.each([
    ['an unknown Product', { product: 'till' }],
    ['an unknown zone', { zone: 'shop-rc' }],
    ['an unknown org', { namespace: 'org-none' }],
    ['a namespace of the installation', { namespace: 'service-system' }],
  ])('200: ignores and logs an alert with %s', async (_what, labels) => {
    const lines: object[] = [];
    const log = { debug: () => {}, info: () => {}, error: () => {}, warn: (fields: object) => void lines.push(fields) };
    const shop = await startShop({ log });
    expect(await receive(shop, buildAlert({ labels }))).toEqual(count(0, 0, 1));
    expect(await shop.list()).toEqual([]);
    expect(lines).toEqual([expect.objectContaining(labels)]);
  });

  it('200: opens no incident in another org than that of the receiver', async () => {
    const shop = await startShop();
    await createOrg(shop.store, 'globex');
    await createShop(shop, 'globex');
    const response = await shop.send({ alerts: [buildAlert({ labels: { namespace: 'org-globex' } })] });
    expect(await response.json()).toEqual(count(0, 0, 1));
    expect(await shop.list('org-globex')).toEqual([]);
  });

  it('401: refuses another token, and accepts a new one at once', async () => {
    const shop = await startShop();
    for (const token of ['other', '', alertToken.slice(0, -1)]) {
      const response = await shop.send({ alerts: [buildAlert()], token });
      expect([response.status, await response.json()]).toEqual([
        401,
        expect.objectContaining({ reason: 'alert-token-invalid' }),
      ]);
    }
    const metadata = { namespace: 'service-system', name: 'service-alert-webhook' };
    await shop.store.put(SecretKind, { metadata, data: toSecretData({ token: 'new' }) });
    expect((await shop.send({ alerts: [buildAlert()] })).status).toBe(401);
    expect((await shop.send({ alerts: [buildAlert()], token: 'new' })).status).toBe(200);
    await shop.store.put(SecretKind, { metadata, data: {} });
    expect((await shop.send({ alerts: [buildAlert()], token: '' })).status).toBe(401);
  });

  it('413: refuses a body that is too large', async () => {
    const shop = await startShop();
    const alert = { ...buildAlert(), annotations: { summary: 'x'.repeat(17 * 1024 * 1024) } };
    expect((await shop.send({ alerts: [alert] })).status).toBe(413);
  });

  it('422: refuses another version of the message', async () => {
    const shop = await startShop();
    expect((await shop.send({ alerts: [], version: '3' })).status).toBe(422);
  });

  it('200: opens one incident each for 300 alerts that two peers send one by one over HTTP', async () => {
    const shop = await startShop();
    const server = serve({ fetch: shop.app.fetch, port: 0, hostname: '127.0.0.1' });
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/webhooks/alerts`;
    const post = async (index: number): Promise<number> => {
      const alerts = [buildAlert({ fingerprint: fingerprint(index) })];
      const headers = { Authorization: `Bearer ${alertToken}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ version: '4', receiver: 'org-acme/service-incidents/service', alerts });
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    const statuses = await Promise.all(Array.from({ length: 600 }, (_, index) => post(index % 300)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const incidents = await shop.list();
    expect(new Set(incidents.map(({ spec }) => spec.alert?.fingerprint)).size).toBe(300);
    expect(incidents).toHaveLength(300);
    expect(incidents.every(({ status }) => status?.timeline.length === 1)).toBe(true);
  });
});
