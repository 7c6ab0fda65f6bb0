import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { saveGitopsCredentials } from '../../../activities/codehost/git-credentials.ts';
import { updateDomainClaims } from '../../../activities/domains/update-domain-claims.ts';
import { createOrgActivities } from '../../../activities/orgs/org-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { AppProjectKind } from '../../../src/kinds/argo-cd.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { runPrefix } from '../../../src/rules/agents/transcript-keys.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../../src/rules/changes/kinds.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { orgProjectSpec } from '../../../src/rules/environments/org-project.ts';
import { orgFinalizer, OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { seedOrg } from '../../../src/reconcile/seed-org.ts';
import type { Kind, StoredObject } from '../../../src/rules/resource.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';

const argoCdNamespace = 'argocd';
const system = 'service-system';

async function createHarness({ isDeleting = true, timeoutMs = 0 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'orgs-'));
  const store = openMemoryStore();
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const blobs = directoryBlobs(folder);
  const createOrganization = async (name: string) =>
    await store.create(OrganizationKind, {
      metadata: { namespace: system, name, finalizers: [orgFinalizer] },
      spec: { codehostAccount: name, gitopsRepo: `${name}/gitops` },
    });
  const { metadata } = await createOrganization('acme');
  await createOrganization('other');
  if (isDeleting) await store.delete(OrganizationKind, metadata);
  const activities = createOrgActivities({
    store,
    blobs,
    argoCdNamespace,
    orgDeletionTimeoutsMs: { work: timeoutMs, products: timeoutMs },
  });
  const run = async <In, Out>(activity: (input: In) => Promise<Out>, input: In): Promise<Out> =>
    await new MockActivityEnvironment().run(activity, input);
  const readMessage = async () =>
    (await store.get(OrganizationKind, { namespace: system, name: 'acme' })).status?.deletionMessage;
  return { store, blobs, activities, run, readMessage, createOrganization, ref: { org: 'acme', uid: metadata.uid } };
}
type Harness = Awaited<ReturnType<typeof createHarness>>;

/** Creates everything that an org may have, besides Products and Releases. */
async function fillOrg({ store, blobs }: Harness, org: string): Promise<void> {
  const namespace = `org-${org}`;
  await seedOrg(store, org);
  await store.create(AccessGroupKind, {
    metadata: { namespace, name: 'admins' },
    spec: { name: 'admins', role: 'org-admin', members: [] },
  });
  await store.create(SecretKind, { metadata: { namespace, name: 'codehost-app' }, type: 'Opaque' });
  await store.create(ConfigMapKind, {
    metadata: { namespace: system, name: `zone-${org}-rc` },
    data: { org, product: 'shop' },
  });
  await updateDomainClaims(store, 'example.com', (claims) => ({
    claims: [...claims, { host: `${org}.example.com`, org, claimedAt: '2026-01-01T00:00:00Z', verified: true }],
  }));
  const { metadata } = await createRun(store, org, 'Failed');
  await blobs.put(`${runPrefix(metadata.uid)}implement/0001/response`, Buffer.from('{}'));
  await blobs.put(`logos/${org}/shop/abc`, Buffer.from('logo'));
  await blobs.put(`archives/${org}/abc`, Buffer.from('zip'));
  await blobs.put(`commits/${org}/c0ffee`, Buffer.alloc(0));
  const project = orgProjectSpec(org, { sourceRepos: [], destinations: [], hasGateway: false });
  await store.create(AppProjectKind, { metadata: { namespace: argoCdNamespace, name: namespace }, spec: project });
  const host = {
    createCloneCredentials: async () => ({ url: 'https://code.test/gitops.git', username: 'u', password: 'p' }),
  };
  await saveGitopsCredentials(store, host as unknown as OrgCodehost, { org, repo: `${org}/gitops`, argoCdNamespace });
}

async function createRun(store: Harness['store'], org: string, phase: RunPhase, name = 'change-1') {
  const metadata = {
    namespace: `org-${org}`,
    name,
    annotations: { 'service.delivery/workflow-id': `run-agent-workflow/${org}/change/shop/${name}` },
  };
  const spec = { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps: [], roles: {} };
  await store.create(AgentWorkflowRunKind, { metadata, spec });
  return await store.updateStatus(AgentWorkflowRunKind, metadata, () => ({ phase, steps: [] }) as never);
}

it('deletes everything of an org, and nothing of another', async () => {
  const harness = await createHarness();
  const { store, blobs, activities, run, ref } = harness;
  for (const org of ['acme', 'other']) await fillOrg(harness, org);
  const kinds: Kind<StoredObject>[] = [
    SecretKind,
    ConfigMapKind,
    AccessGroupKind,
    AgentWorkflowKind,
    AppProjectKind,
    OrganizationKind,
  ];
  const readAll = async (): Promise<string> =>
    JSON.stringify([
      await Promise.all(kinds.map(async (kind) => (await store.list(kind)).items)),
      await blobs.list(''),
      (await store.list(AgentWorkflowRunKind)).items,
    ]);
  const count = (text: string, word: string): number => text.split(word).length - 1;
  const before = await readAll();
  expect(count(before, 'acme')).toBe(count(before, 'other'));
  await run(activities.deleteOrgResources, ref);
  const after = await readAll();
  expect(after).not.toContain('acme');
  // The claims of both orgs are in one object.
  expect(count(after, 'other')).toBe(count(before, 'other'));
});

it('continues an interrupted deletion, and never touches a later org of the name', async () => {
  const harness = await createHarness();
  const { store, blobs, activities, run, ref, createOrganization } = harness;
  await fillOrg(harness, 'acme');
  const broken = {
    ...store,
    deleteNamespace: async () => await Promise.reject(new Error('The store is unavailable.')),
  };
  const interrupted = createOrgActivities({ store: broken, blobs, argoCdNamespace });
  await expect(run(interrupted.deleteOrgResources, ref)).rejects.toThrow('unavailable');
  await run(activities.deleteOrgResources, ref);
  expect(await activities.beginOrgDeletion({ org: 'acme' })).toBeUndefined();

  await createOrganization('acme');
  await fillOrg(harness, 'acme');
  await createProduct(store);
  const repeats = [
    async () => await run(activities.deleteOrgResources, ref),
    async () => await activities.recordOrgDeletion({ ...ref, message: 'Deleting.' }),
    async () => await run(activities.waitForProductDeletions, ref),
    async () => expect(await activities.markProductsDeleting({ ...ref, by: 'ada' })).toEqual([]),
    async () => expect(await activities.listOrgDomains(ref)).toEqual([]),
    async () => expect(await activities.listOrgWork(ref)).toEqual({ schedules: [], workflowIds: [] }),
  ];
  const { resourceVersion } = await store.list(OrganizationKind);
  for (const repeat of repeats) await repeat();
  expect((await store.list(OrganizationKind)).resourceVersion).toBe(resourceVersion);
});

it('begins a deletion only after the API or kubectl asked for it', async () => {
  const { activities, store } = await createHarness({ isDeleting: false });
  await expect(activities.beginOrgDeletion({ org: 'acme' })).rejects.toMatchObject({ reason: 'decision-refused' });
  const { metadata } = await store.get(OrganizationKind, { namespace: system, name: 'acme' });
  await store.delete(OrganizationKind, metadata);
  expect(await activities.beginOrgDeletion({ org: 'acme' })).toEqual({ uid: metadata.uid });
});

const createProduct = async (store: Harness['store']) =>
  await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { repos: [], delivery: { zones: [] } },
  });

it('lists unfinished runs, Releases, schedules and domains', async () => {
  const { store, activities, ref } = await createHarness();
  await createRun(store, 'acme', 'Running', 'running');
  await createRun(store, 'acme', 'Succeeded', 'succeeded');
  const metadata = { namespace: 'org-acme', name: 'shop-v0.1.0' };
  const spec = { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' };
  await store.create(ReleaseKind, { metadata, spec });
  const trigger = { type: 'cron' as const, schedule: '0 9 * * *' };
  await store.create(AgentWorkflowKind, {
    metadata: { namespace: 'org-acme', name: 'upkeep' },
    spec: { enabled: true, triggers: [trigger], steps: [] } as never,
  });
  const onIssue = { type: 'event' as const, event: 'issue.opened' as const };
  await store.create(AgentWorkflowKind, {
    metadata: { namespace: 'org-acme', name: 'on-issue' },
    spec: { enabled: true, triggers: [onIssue], steps: [] } as never,
  });
  const finished = { namespace: 'org-acme', name: 'shop-v0.0.9' };
  await store.create(ReleaseKind, { metadata: finished, spec: { ...spec, version: 'v0.0.9' } });
  await store.updateStatus(ReleaseKind, finished, () => ({ phase: 'Succeeded' as const, zones: [] }));
  await store.create(DomainKind, {
    metadata: { namespace: 'org-acme', name: 'example.com' },
    spec: { name: 'example.com', kind: 'external', shared: false, token: 't' },
  });
  expect(await activities.listOrgWork(ref)).toEqual({
    schedules: ['upkeep'],
    workflowIds: ['run-agent-workflow/acme/change/shop/running', 'promote-release/acme/shop/c1'],
  });
  expect(await activities.listOrgDomains(ref)).toEqual(['example.com']);
  const later = { ...ref, uid: 'of a later org' };
  expect(await activities.listOrgWork(later)).toEqual({ schedules: [], workflowIds: [] });
  expect(await activities.listOrgDomains(later)).toEqual([]);
});

it('lists only workflows of the org, whatever workflow an annotation names', async () => {
  const { store, activities, ref } = await createHarness();
  const planted = [
    'manage-zone/other/shop/shop-prod',
    'run-agent-workflow/other/change/shop/r1',
    'promote-release/other/shop/c1',
  ];
  const namespace = 'org-acme';
  for (const [index, workflowId] of planted.entries()) {
    const annotations = { 'service.delivery/workflow-id': workflowId };
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name: `change-${index}`, annotations },
      spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps: [], roles: {} },
    });
    await store.create(ReleaseKind, {
      metadata: { namespace, name: `shop-v0.${index}.0`, annotations },
      spec: { product: 'shop', repo: 'acme/shop', commit: `c${index}`, version: `v0.${index}.0`, startedBy: 'jo' },
    });
  }
  const { workflowIds } = await activities.listOrgWork(ref);
  expect(workflowIds).toHaveLength(6);
  for (const id of workflowIds) expect(id).toMatch(/^(run-agent-workflow|promote-release)\/acme\//);
});

it('marks Products for their workflows, and says what their deletion waits for', async () => {
  const { store, activities, run, ref, readMessage } = await createHarness();
  await createProduct(store);
  expect(await activities.markProductsDeleting({ ...ref, by: 'ada' })).toEqual(['shop']);
  const product = { namespace: 'org-acme', name: 'shop' };
  expect((await store.get(ProductKind, product)).status).toMatchObject({
    deletionMessage: 'its zones are being removed',
    deletedBy: 'ada',
  });
  await store.updateStatus(ProductKind, product, ({ status }) => ({
    ...status,
    zones: [
      { name: 'shop-rc', removal: { by: 'ada', since: '2026-01-01T00:00:00Z', message: 'stuck', remaining: [] } },
    ],
  }));
  await expect(run(activities.waitForProductDeletions, ref)).rejects.toThrow(
    'Waiting for the deletion of the Product "shop" (zone shop-rc: stuck).',
  );
  await store.delete(ProductKind, product);
  await run(activities.waitForProductDeletions, ref);
  expect(await readMessage()).toBe('The Products and their zones are being deleted.');
});

it('keeps why a Product is deleted, and says so while no zone is removed', async () => {
  const { store, activities, run, ref } = await createHarness();
  await createProduct(store);
  const product = { namespace: 'org-acme', name: 'shop' };
  await store.updateStatus(ProductKind, product, () => ({
    deletionMessage: 'by ada',
    zones: [
      { name: 'shop-rc', removal: { by: 'a', since: '', message: 'stuck', remaining: [] } },
      { name: 'shop-prod' },
    ],
  }));
  await activities.markProductsDeleting({ ...ref, by: 'ada' });
  await expect(run(activities.waitForProductDeletions, ref)).rejects.toThrow('(zone shop-rc: stuck).');
  await store.updateStatus(ProductKind, product, ({ status }) => ({ ...status, zones: [] }));
  await expect(run(activities.waitForProductDeletions, ref)).rejects.toMatchObject({
    reason: 'product-deleting',
    message: 'Waiting for the deletion of the Product "shop" (by ada).',
  });
});

it('names the person who deleted the org, whom the workflow does not know after a restore', async () => {
  const { store, activities, ref } = await createHarness();
  await createProduct(store);
  const deletedBy = 'grace@example.com';
  await store.updateStatus(OrganizationKind, { namespace: system, name: 'acme' }, () => ({ deletedBy }));
  await activities.markProductsDeleting({ ...ref, by: 'restore' });
  expect((await store.get(ProductKind, { namespace: 'org-acme', name: 'shop' })).status).toMatchObject({ deletedBy });
});

it('says which runs do not stop, once it takes long', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { store, activities, run, ref, readMessage } = await createHarness({ timeoutMs: 600_000 });
  await createRun(store, 'acme', 'Running');
  const waiting = run(activities.waitForOrgWork, ref);
  await expect.poll(readMessage).toBe('The runs and Releases are being cancelled.');
  vi.setSystemTime(Date.now() + 6_000);
  await expect.poll(readMessage).toBe('Waiting until these stop: change-1.');
  const metadata = { namespace: 'org-acme', name: 'change-1' };
  await store.updateStatus(AgentWorkflowRunKind, metadata, () => ({ phase: 'Cancelled', steps: [] }) as never);
  await waiting;
});

it('records the progress of a deletion', async () => {
  const { activities, ref, readMessage } = await createHarness();
  await activities.recordOrgDeletion({ ...ref, message: 'The domains are being released.' });
  expect(await readMessage()).toBe('The domains are being released.');
});

it('does not wait forever for a run that cannot stop', async () => {
  const { store, activities, run, ref, readMessage } = await createHarness();
  await createRun(store, 'acme', 'Running');
  await run(activities.waitForOrgWork, ref);
  expect(await readMessage()).toBe('The runs and Releases are being cancelled.');
});
