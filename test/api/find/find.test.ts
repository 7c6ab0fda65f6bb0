import { describe, expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { createIncident } from '../../../src/store/record-alert.ts';
import type { Store } from '../../../src/store/store.ts';
import { createOrg, startApi, type CallerRole } from '../../support/start-api.ts';

const commit = '4f9c2ab1d0e5b6a7c8d9e0f1a2b3c4d5e6f70819';

async function createShop(store: Store, org: string): Promise<void> {
  const namespace = `org-${org}`;
  const zones = [{ name: `${org}-shop-prod`, addresses: [{ domain: 'ferry.test', name: 'book' }] }];
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { description: 'Tickets and timetables', repos: [`${org}/shop`], delivery: { zones } },
  });
  const run = { namespace, name: 'change-shop-418' };
  await store.create(AgentWorkflowRunKind, {
    metadata: run,
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      target: { repo: `${org}/shop`, number: 418 },
      startedBy: 'jo@example.com',
      steps: [],
      roles: {},
    },
  });
  await store.updateStatus(AgentWorkflowRunKind, run, () => ({
    phase: 'Running' as const,
    issue: { title: 'Hold the fare', url: `http://code.test/${org}/shop/issues/418` },
    pullRequest: { number: 431, url: `http://code.test/${org}/shop/pulls/431`, headSha: commit },
    steps: [],
  }));
  await store.create(ReleaseKind, {
    metadata: { namespace, name: 'shop-v1.2.0' },
    spec: {
      product: 'shop',
      repo: `${org}/shop`,
      commit: commit.replace('4f', 'aa'),
      version: 'v1.2.0',
      startedBy: 'jo',
    },
  });
  await store.create(DomainKind, {
    metadata: { namespace, name: `${org}.example.org` },
    spec: { name: `${org}.example.org`, kind: 'external', shared: false, token: 't' },
  });
}

async function startWithShops(role: CallerRole) {
  const api = await startApi({ role });
  await createOrg(api.store, 'other');
  for (const org of ['acme', 'other']) await createShop(api.store, org);
  const find = async (q: string, more = ''): Promise<string[]> => {
    const response = await api.request(`/v1/find?q=${encodeURIComponent(q)}${more}`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { items: { path: string }[] }).items.map(({ path }) => path);
  };
  return { ...api, find };
}

describe('find', () => {
  it.each([
    ['hold fare', '/acme/changes/change-shop-418'],
    ['#418', '/acme/changes/change-shop-418'],
    ['431', '/acme/changes/change-shop-418'],
    ['4f9c2ab', '/acme/changes/change-shop-418'],
    ['http://code.test/acme/shop/pulls/431', '/acme/changes/change-shop-418'],
    ['http://localhost:8080/acme/releases/shop-v1.2.0', '/acme/releases/shop-v1.2.0'],
    ['v1.2.0', '/acme/releases/shop-v1.2.0'],
    ['https://book.ferry.test/cart', '/acme/products/shop/zones/acme-shop-prod'],
    ['timetables', '/acme/products/shop'],
    ['acme.example.org', '/acme/domains/acme.example.org'],
  ])('200: finds "%s"', async (q, path) => {
    const { find } = await startWithShops('viewer');
    expect(await find(q)).toEqual([path]);
  });

  it('200: searches the orgs of the caller only, or one of them, and at most as many as asked for', async () => {
    const viewer = await startWithShops('viewer');
    expect(await viewer.find('other')).toEqual([]);
    expect(await viewer.find('shop', '&org=other')).toEqual([]);
    expect(await viewer.find('shop', '&limit=1')).toEqual(['/acme/products/shop']);
    const admin = await startWithShops('platform-admin');
    expect(await admin.find('#418')).toHaveLength(2);
    expect(await admin.find('#418', '&org=other')).toEqual(['/other/changes/change-shop-418']);
  });

  it('200: shows the state of what it finds, and finds it by each of its addresses', async () => {
    const { store, request } = await startWithShops('viewer');
    const namespace = 'org-acme';
    const running = { name: 'acme-shop-prod', version: 'v1.1.0', address: 'https://tickets.test:8443' };
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones: [{ name: 'other' }, running] }));
    await store.updateStatus(ReleaseKind, { namespace, name: 'shop-v1.2.0' }, () => ({
      phase: 'Failed' as const,
      digest: 'sha256:bee',
      zones: [],
    }));
    const till = [{ name: 'till-rc', addresses: [{ domain: 'till.test', name: '' }] }];
    await store.create(ProductKind, {
      metadata: { namespace, name: 'till' },
      spec: { displayName: 'Harbour', repos: ['acme/till'], delivery: { zones: till } },
    });
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name: 'upkeep-till-1' },
      spec: { agentWorkflow: 'upkeep', product: 'till', startedBy: 'schedule', steps: [], roles: {} },
    });
    await store.updateStatus(DomainKind, { namespace, name: 'acme.example.org' }, () => ({
      state: 'Verified' as const,
      claimedAt: '2026-01-01T00:00:00Z',
    }));
    const show = async (q: string): Promise<object[]> =>
      ((await (await request(`/v1/find?q=${encodeURIComponent(q)}`)).json()) as { items: object[] }).items;
    const zone = { kind: 'zone', org: 'acme', product: 'shop', name: running.name, title: running.name };
    const path = '/acme/products/shop/zones/acme-shop-prod';
    expect(await show('https://tickets.test:8443/cart')).toEqual([{ ...zone, note: 'v1.1.0', path }]);
    expect(await show('till.test')).toMatchObject([{ name: 'till-rc' }]);
    const [tillZone] = await show('till-rc.localhost');
    expect(tillZone).toEqual({
      kind: 'zone',
      org: 'acme',
      product: 'till',
      name: 'till-rc',
      title: 'till-rc',
      path: '/acme/products/till/zones/till-rc',
    });
    expect(await show('harbour')).toMatchObject([{ kind: 'product', name: 'till', title: 'Harbour' }]);
    expect(await show('#418')).toMatchObject([{ title: 'Hold the fare', note: 'acme/shop#418', phase: 'Running' }]);
    expect(await show('sha256:bee')).toMatchObject([{ kind: 'release', title: 'shop v1.2.0', phase: 'Failed' }]);
    const incident = { namespace, name: 'acme-shop-prod-1124-1200-0a1b2c3d' };
    await createIncident(store, {
      metadata: incident,
      spec: {
        product: 'shop',
        zone: running.name,
        severity: 'critical',
        title: 'Payments fail',
        openedBy: 'alert',
        alert: { name: 'ServiceFastBurn', fingerprint: 'abc', startsAt: '2026-11-24T12:00:00.000Z', slo: 'answered' },
      },
      at: '2026-11-24T12:00:00.000Z',
    });
    expect(await show('payments servicefastburn')).toEqual([
      {
        kind: 'incident',
        org: 'acme',
        product: 'shop',
        name: incident.name,
        title: 'Payments fail',
        note: running.name,
        phase: 'Open',
        path: `/acme/incidents/${incident.name}`,
      },
    ]);
    expect(await show('acme.example.org')).toMatchObject([{ kind: 'domain', phase: 'Verified' }]);
    const [bare] = await show('upkeep');
    expect(bare).toEqual({
      kind: 'run',
      org: 'acme',
      product: 'till',
      name: 'upkeep-till-1',
      title: 'upkeep',
      path: '/acme/changes/upkeep-till-1',
    });
  });

  it('200: finds what was changed since the last request', async () => {
    const { store, find } = await startWithShops('viewer');
    expect(await find('cabin')).toEqual([]);
    await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'change-shop-418' }, (run) => ({
      ...run.status!,
      issue: { title: 'Cabin upgrade', url: '' },
    }));
    expect(await find('cabin')).toEqual(['/acme/changes/change-shop-418']);
  });

  it('200: finds among many orgs with one index', async () => {
    const { store, find } = await startWithShops('platform-admin');
    for (let index = 0; index < 25; index += 1) await createOrg(store, `org-${index}`);
    expect(await find('#418')).toHaveLength(2);
  });
});
