import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { DeliveryKind } from '../../../src/rules/intake/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { aRun } from '../changes/runs-fixture.ts';

const namespace = 'org-acme';
const at = '2026-01-01T00:00:00.000Z';
type Item = { state: string; rule: string; fix?: string; links: { url: string }[] };

async function anOrg() {
  const { store, request } = await startApi({ role: 'viewer', now: () => new Date('2026-03-02T10:30:00.000Z') });
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] } },
  });
  const explain = async (about: string): Promise<Response> =>
    await request(`/v1/orgs/acme/explain?about=${encodeURIComponent(about)}`);
  return {
    store,
    request,
    explain,
    items: async (about: string): Promise<Item[]> => {
      const response = await explain(about);
      if (!response.ok) throw new Error(await response.text());
      return ((await response.json()) as { items: Item[] }).items;
    },
  };
}

describe('explain', () => {
  it('200: explains the events of an issue and the newest run on it', async () => {
    const { store, items } = await anOrg();
    expect(await items('issue:acme/shop#7')).toMatchObject([{ state: 'nothing', rule: 'no-event' }]);
    const deliver = async (name: string, extra: object) => {
      const spec = { agentWorkflow: 'change', event: 'issue.opened', repo: 'acme/shop', number: 7, at, ...extra };
      await store.create(DeliveryKind, { metadata: { namespace, name }, spec: { deliveryId: name, ...spec } });
    };
    await deliver('d-1', { reason: 'label-mismatch', repo: 'Acme/Shop' });
    await deliver('d-2', { run: 'change-shop-7-a', at: '2026-01-02T00:00:00.000Z' });
    await deliver('d-3', { number: 8, reason: 'event-by-bot' });
    await aRun(store, 'change-shop-7-0', { phase: 'Failed' });
    const older = await store.get(AgentWorkflowRunKind, { namespace, name: 'change-shop-7-0' });
    while (new Date().toISOString() <= older.metadata.creationTimestamp) await setImmediate();
    await aRun(store, 'change-shop-7-a', { phase: 'Running', steps: { implement: 'Running' } });
    await store.updateStatus(AgentWorkflowRunKind, { namespace, name: 'change-shop-7-a' }, ({ status }) => ({
      ...status!,
      issue: { title: 'Sell tickets', url: 'http://code.test/7' },
      pullRequest: { number: 9, url: 'http://code.test/9', headSha: 'c' },
    }));
    expect(await items('issue:Acme/Shop#7')).toMatchObject([
      {
        state: 'running',
        rule: 'step-running',
        links: [{ url: '/acme/changes/change-shop-7-a' }, { url: 'http://code.test/7' }, { url: 'http://code.test/9' }],
      },
      { state: 'done', rule: 'run-started', links: [{ url: '/acme/changes/change-shop-7-a' }] },
      { state: 'nothing', rule: 'label-mismatch', fix: expect.any(String), links: [] },
    ]);
    expect(await items('issue:acme/shop#8')).toMatchObject([{ rule: 'event-by-bot' }]);
    expect(await items('issue:acme/till#7')).toMatchObject([{ rule: 'no-event' }]);
    expect(await items('delivery:d-3')).toMatchObject([{ rule: 'event-by-bot' }]);
    expect(await items('run:change-shop-7-a')).toMatchObject([{ rule: 'step-running' }]);
  });

  it('200: explains a schedule and a domain', async () => {
    const { store, items } = await anOrg();
    const triggers = [{ type: 'cron' as const, schedule: '0 9 * * *' }];
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name: 'report' },
      spec: { enabled: true, triggers, steps: [] },
    });
    expect(await items('schedule:report')).toMatchObject([
      { state: 'nothing', rule: 'scheduling-off', fix: expect.stringContaining('Settings, Scheduling') },
    ]);
    const name = 'shop.example.com';
    const spec = { name, kind: 'external' as const, shared: false, token: 'secret' };
    await store.create(DomainKind, { metadata: { namespace, name }, spec });
    expect(await items('domain:Shop.Example.com')).toMatchObject([
      { state: 'waiting', rule: 'ownership-unchecked', links: [{ url: `/acme/domains/${name}` }] },
    ]);
  });

  it('200: explains what a zone waits for, by the promotion that is in progress', async () => {
    const { store, items, explain } = await anOrg();
    expect(await items('zone:shop/shop-prod')).toMatchObject([
      { state: 'nothing', rule: 'nothing-promoted', fix: 'Start a Release on the Releases page.' },
    ]);
    const name = 'shop-v1.0.0';
    const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' };
    await store.create(ReleaseKind, { metadata: { namespace, name }, spec });
    const waitingFor = { role: 'member', since: at, message: 'approve v1.0.0 for shop-rc' };
    await store.updateStatus(ReleaseKind, { namespace, name }, () => ({
      phase: 'Promoting' as const,
      digest: 'sha256:1',
      zones: [{ name: 'shop-rc', phase: 'WaitingForApproval' as const, waitingFor }],
    }));
    const currentPromotion = { release: name, version: 'v1.0.0', phase: 'WaitingForApproval' };
    const zones = [{ name: 'shop-rc', currentPromotion }];
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones }));
    expect(await items('zone:shop/shop-rc')).toMatchObject([
      {
        state: 'waiting',
        rule: 'approval',
        message: waitingFor.message,
        links: [{ url: `/acme/releases/${name}` }, { url: '/acme/products/shop/zones/shop-rc' }],
      },
    ]);
    expect(await items(`promotion:${name}/shop-prod`)).toMatchObject([{ rule: 'release-not-eligible' }]);
    expect((await explain(`promotion:${name}/shop-none`)).status).toBe(404);
  });

  it('200: explains a zone that runs a Release, one that could, and one that is being removed', async () => {
    const { store, items } = await anOrg();
    const name = 'shop-v1.0.0';
    const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' };
    await store.create(ReleaseKind, { metadata: { namespace, name }, spec });
    const pullRequest = { number: 3, url: 'http://code.test/gitops/3' };
    const verified = { name: 'shop-rc', phase: 'Verified' as const, verifiedAt: at, pullRequest };
    await store.updateStatus(ReleaseKind, { namespace, name }, () => ({
      phase: 'Promoting' as const,
      digest: 'sha256:1',
      zones: [verified],
    }));
    const removal = { by: 'jo@example.com', since: at, message: 'Deletes the volumes.', remaining: [] };
    const zones = [
      { name: 'shop-rc', release: name },
      { name: 'shop-old', removal },
    ];
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones }));
    const [running] = await items('zone:shop/shop-rc');
    expect(running?.links.map(({ url }) => url)).toEqual([
      `/acme/releases/${name}`,
      '/acme/products/shop/zones/shop-rc',
      pullRequest.url,
    ]);
    expect(await items('zone:shop/shop-prod')).toMatchObject([
      { rule: 'nothing-promoted', fix: 'Promote v1.0.0 manually on the Product page.' },
    ]);
    expect(await items('zone:shop/shop-old')).toMatchObject([
      { state: 'running', rule: 'zone-removing', message: removal.message },
    ]);
  });

  it('404: names what does not exist; 422: names the forms', async () => {
    const { explain, request } = await anOrg();
    for (const about of [
      'delivery:x',
      'schedule:x',
      'domain:x.example.com',
      'run:x',
      'zone:x/shop-rc',
      'zone:shop/x',
      'promotion:x/shop-rc',
    ])
      expect([about, (await explain(about)).status]).toEqual([about, 404]);
    for (const about of [
      'x',
      'secret:x',
      'issue:shop#7',
      'issue:acme/shop',
      'zone:shop',
      'run:../x',
      'zone:shop/a/b',
    ]) {
      const response = await explain(about);
      expect([about, response.status]).toEqual([about, 422]);
      expect(await response.json()).toMatchObject({ errors: [{ pointer: '?about' }] });
    }
    expect((await request('/v1/orgs/acme/explain')).status).toBe(422);
    expect((await request('/v1/orgs/other/explain?about=run:x')).status).toBe(403);
  });
});
