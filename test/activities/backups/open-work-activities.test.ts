import { expect, it } from 'vitest';
import { createOpenWorkActivities } from '../../../activities/backups/open-work-activities.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { createdByAnnotation } from '../../../src/rules/products/source.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { at, createInstallation, fill } from './backup-fixture.ts';

const namespace = 'org-acme';

it('lists what is not finished, and the loops of the org', async () => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const spec = { agentWorkflow: 'change', product: 'hello', startedBy: 'ada@example.com', steps: [], roles: {} };
  const annotations = { [workflowIdAnnotation]: 'run-agent-workflow/acme/change/acme/hello#7' };
  const target = { repo: 'acme/hello', number: 7 };
  for (const [name, phase] of [
    ['waiting', 'WaitingForPerson'],
    ['done', 'Succeeded'],
  ] as const) {
    const metadata = { namespace, name, annotations };
    await store.create(AgentWorkflowRunKind, { metadata, spec: { ...spec, target } });
    await store.updateStatus(AgentWorkflowRunKind, metadata, () => ({ phase, steps: [] }));
  }
  const release = { namespace, name: 'hello-v0.1.0' };
  await store.updateStatus(ReleaseKind, release, () => ({ phase: 'Promoting' as const, startedBy: 'bob', zones: [] }));
  const { listOpenWork, listRestoredOrgs } = createOpenWorkActivities({ store });
  expect(await listRestoredOrgs()).toEqual(['acme']);
  expect(await listOpenWork({ org: 'acme' })).toMatchObject({
    isDeleting: false,
    hasCodehost: true,
    hasSlos: false,
    zones: [{ product: 'hello', zone: 'hello-rc', newestVersion: 'v0.1.0' }],
    releases: [{ product: 'hello', commit: 'abc', startedBy: 'bob', resume: { release: 'hello-v0.1.0' } }],
    runs: [{ run: 'change-hello-1' }, { run: 'waiting', target, workflowId: annotations[workflowIdAnnotation] }],
    schedules: [],
  });
  await store.updateStatus(ReleaseKind, release, () => ({ phase: 'Succeeded' as const, zones: [] }));
  expect((await listOpenWork({ org: 'acme' })).releases).toEqual([]);
});

it('continues what a Product was created from, unless that has ended', async () => {
  const { store } = await createInstallation();
  const add = async (name: string, phase?: 'CommittingFiles' | 'Succeeded' | 'Failed', annotations = {}) => {
    const source = { repo: `acme/${name}`, template: 'node-service' as const };
    const { metadata } = await store.create(ProductKind, {
      metadata: { namespace, name, annotations },
      spec: { repos: [], delivery: { zones: [] }, ...(name !== 'plain' && { source }) },
    });
    const scaffold = { phase, message: 'm', startedAt: at };
    if (phase) await store.updateStatus(ProductKind, metadata, () => ({ scaffold }) as never);
    return metadata.uid;
  };
  const uids = [await add('begun', undefined, { [createdByAnnotation]: 'ada' }), await add('half', 'CommittingFiles')];
  await add('done', 'Succeeded');
  await add('failed', 'Failed');
  await add('plain');
  const { scaffolds } = await createOpenWorkActivities({ store }).listOpenWork({ org: 'acme' });
  expect(scaffolds).toEqual([
    { product: 'begun', uid: uids[0], by: 'ada' },
    { product: 'half', uid: uids[1], by: 'kubectl' },
  ]);
});

it('lists what an org without a connection has, and that it is being deleted', async () => {
  const { store } = await createInstallation();
  const org = { namespace: systemNamespace, name: 'acme', finalizers: ['test/keep'] };
  await store.create(OrganizationKind, { metadata: org, spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' } });
  const { listOpenWork } = createOpenWorkActivities({ store });
  const nothing = {
    isDeleting: false,
    hasCodehost: false,
    hasSlos: false,
    zones: [],
    releases: [],
    runs: [],
    scaffolds: [],
    deletedProducts: [],
    schedules: [],
  };
  expect(await listOpenWork({ org: 'acme' })).toEqual(nothing);
  expect(await listOpenWork({ org: 'gone' })).toEqual(nothing);
  await store.delete(OrganizationKind, org);
  expect(await listOpenWork({ org: 'acme' })).toEqual({ ...nothing, isDeleting: true });
});

it('lists schedules, objectives, removed zones and Products that are being deleted', async () => {
  const { store } = await createInstallation();
  const step = { name: 'approve', type: 'human' as const };
  for (const [name, trigger] of [
    ['nightly', { type: 'cron' as const, schedule: '0 0 * * *' }],
    ['on-issue', { type: 'event' as const, event: 'issue.opened' as const }],
  ] as const) {
    const spec = { enabled: true, triggers: [trigger], steps: [step] };
    await store.create(AgentWorkflowKind, { metadata: { namespace, name }, spec });
  }
  const shop = { namespace, name: 'shop' };
  const zone = { name: 'shop-prod', promotionPolicy: 'automatic' as const };
  await store.create(ProductKind, {
    metadata: shop,
    spec: { repos: [], delivery: { zones: [zone] }, slos: [buildSlo({ zones: ['shop-prod'] })] },
  });
  const { listOpenWork } = createOpenWorkActivities({ store });
  expect(await listOpenWork({ org: 'acme' })).toMatchObject({
    hasSlos: true,
    schedules: ['nightly'],
    deletedProducts: [],
    zones: [{ zone: 'shop-prod' }],
  });
  const product = await store.get(ProductKind, shop);
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [] } });
  expect((await listOpenWork({ org: 'acme' })).hasSlos).toBe(false);
  const observability = { phase: 'Pending' as const, message: 'm', checkedAt: at };
  await store.updateStatus(ProductKind, shop, () => ({
    observability,
    deletionMessage: 'by ada',
    zones: [{ name: 'shop-prod' }, { name: 'shop-old' }],
  }));
  expect(await listOpenWork({ org: 'acme' })).toMatchObject({
    hasSlos: true,
    deletedProducts: ['shop'],
    zones: [{ zone: 'shop-prod' }, { zone: 'shop-old' }],
  });
});

it('starts the runs and Releases that are open as they were started', async () => {
  const { store } = await createInstallation();
  const cause = { event: 'issue.opened', labels: [], at };
  const release = { name: 'shop-v0.1.0', version: 'v0.1.0', repo: 'acme/shop' };
  const plain = { agentWorkflow: 'change', product: 'shop', startedBy: 'ada' };
  const more = { cause, target: { repo: 'acme/shop', number: 7 } };
  for (const [name, spec] of [
    ['on-release', { ...plain, release }],
    ['plain', plain],
    ['with-cause', { ...plain, ...more }],
  ] as const)
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name },
      spec: { ...spec, steps: [], roles: {} },
    });
  const made = { product: 'shop', repo: 'acme/shop', startedBy: 'ada' };
  for (const [version, run] of [
    ['v0.1.0', { run: 'change-shop-1' }],
    ['v0.2.0', {}],
  ] as const) {
    const spec = { ...made, version, commit: version, ...run };
    await store.create(ReleaseKind, { metadata: { namespace, name: `shop-${version}` }, spec });
  }
  const { runs, releases } = await createOpenWorkActivities({ store }).listOpenWork({ org: 'acme' });
  expect(runs).toStrictEqual([
    { run: 'on-release', workflowId: '', ...plain, release: { name: 'shop-v0.1.0', version: 'v0.1.0' } },
    { run: 'plain', workflowId: '', ...plain },
    { run: 'with-cause', workflowId: '', ...plain, ...more },
  ]);
  expect(releases).toStrictEqual([
    { ...made, commit: 'v0.1.0', run: 'change-shop-1' },
    { ...made, commit: 'v0.2.0' },
  ]);
});

it('lists each domain once, with all orgs that claim it', async () => {
  const { store } = await createInstallation();
  for (const org of ['acme', 'other'])
    await store.create(DomainKind, {
      metadata: { namespace: `org-${org}`, name: 'shop.example.com' },
      spec: { name: 'shop.example.com', kind: 'external', shared: false, token: 't' },
    });
  expect(await createOpenWorkActivities({ store }).listClaimedDomains()).toEqual([
    { domain: 'shop.example.com', orgs: ['acme', 'other'] },
  ]);
});
