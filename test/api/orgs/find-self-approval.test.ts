import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { startApi } from '../../support/start-api.ts';

type Action = { name: string; allowed: boolean; reason?: string; message?: string };
type Body = { actions?: Action[]; items?: { actions: Action[] }[] };

const namespace = 'org-acme';
const zone = 'shop-prod';
const starter = 'org-admin@example.com';
const waiting = { name: zone, phase: 'WaitingForApproval' as const };
const views = [
  'releases/shop-v1.0.0',
  'releases',
  'agentworkflowruns/run-1',
  'agentworkflowruns',
  `products/shop/zones/${zone}`,
  'products/shop/zones',
];

/** Creates a Release and a run that an org admin has started, both of which wait for an approval. */
async function startWaitingApi() {
  const api = await startApi();
  const { store } = api;
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones: [{ name: zone, promotionPolicy: 'after-approval' }] } },
  });
  const currentPromotion = { release: 'shop-v1.0.0', version: 'v1.0.0', phase: waiting.phase };
  await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({
    zones: [{ name: zone, currentPromotion }],
  }));
  const release = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: starter };
  await store.create(ReleaseKind, { metadata: { namespace, name: 'shop-v1.0.0' }, spec: release });
  await store.updateStatus(ReleaseKind, { namespace, name: 'shop-v1.0.0' }, () => ({
    phase: 'Promoting' as const,
    zones: [waiting],
  }));
  const run = { agentWorkflow: 'change', product: 'shop', startedBy: starter, steps: [], roles: {} };
  await store.create(AgentWorkflowRunKind, { metadata: { namespace, name: 'run-1' }, spec: run });
  await store.updateStatus(AgentWorkflowRunKind, { namespace, name: 'run-1' }, () => ({
    phase: 'WaitingForPerson' as const,
    steps: [{ name: 'approve-change', phase: 'Waiting' as const }],
  }));
  const readApprovals = async (role: 'org-admin' | 'platform-admin' | 'viewer') =>
    await Promise.all(
      views.map(async (path) => {
        const body = (await (await api.request(`/v1/orgs/acme/${path}`, { role })).json()) as Body;
        const actions = body.actions ?? body.items?.[0]?.actions ?? [];
        return actions.find(({ name }) => name === 'approvePromotion' || name === 'approveStep');
      }),
    );
  return { ...api, readApprovals };
}

it('allows in every view what the call allows: nothing of one’s own in an org that prevents it', async () => {
  const { request, readApprovals } = await startWaitingApi();
  const allowed = views.map(() => expect.objectContaining({ allowed: true }));
  expect(await readApprovals('org-admin')).toEqual(allowed);
  await request('/v1/orgs/acme/approvals', { method: 'PUT', body: { preventSelfApproval: true } });
  const refused = await request(`/v1/orgs/acme/releases/shop-v1.0.0/zones/${zone}/approve`, {
    method: 'POST',
    role: 'org-admin',
  });
  const { reason, detail } = (await refused.json()) as { reason: string; detail: string };
  expect(reason).toBe('self-approval');
  const own = expect.objectContaining({ allowed: false, reason, message: detail });
  expect(await readApprovals('org-admin')).toEqual(views.map(() => own));
  // Another person with the same role gets another response, and each of them gets theirs again.
  expect(await readApprovals('platform-admin')).toEqual(allowed);
  expect(await readApprovals('org-admin')).toEqual(views.map(() => own));
  const viewer = expect.objectContaining({ allowed: false, reason: 'role-insufficient' });
  expect(await readApprovals('viewer')).toEqual(views.map(() => viewer));
});
