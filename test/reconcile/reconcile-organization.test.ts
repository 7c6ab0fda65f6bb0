import { expect, it } from 'vitest';
import { reconcileOrganization } from '../../src/reconcile/reconcile-organization.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { isReconciled } from '../../src/rules/conditions.ts';
import { orgFinalizer, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { scheduleStartTimeAnnotation } from '../../src/rules/scheduling/judge-schedule.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const spec = { codehostAccount: 'umbrella', gitopsRepo: 'umbrella/gitops' };

async function apply(namespace: string, name: string, spoiled: object = {}, config: object = {}) {
  const { deps, store } = await createReconcileDeps();
  await reconcileOrganization(
    { ...deps, config: { ...deps.config, ...config } },
    await store.create(OrganizationKind, { metadata: { namespace, name }, spec: { ...spec, ...spoiled } }),
  );
  const organization = await store.get(OrganizationKind, { namespace, name });
  return { store, organization, condition: organization.status?.conditions?.[0] };
}

it('gives an Organization the default AgentRoles and AgentWorkflows, none of which needs a schedule to be started', async () => {
  const { store, organization, condition } = await apply('service-system', 'umbrella');
  expect(isReconciled(organization)).toBe(true);
  expect(condition).toMatchObject({ type: 'Accepted', status: 'True' });
  const namespace = 'org-umbrella';
  const workflows = (await store.list(AgentWorkflowKind, { namespace })).items;
  expect(workflows.map(({ metadata }) => metadata.name)).toContain('change');
  expect(workflows.every(isReconciled)).toBe(true);
  expect(workflows.some(({ spec: { triggers } }) => triggers.some(({ type }) => type === 'cron'))).toBe(false);
  expect((await store.list(AgentRoleKind, { namespace })).items.length).toBeGreaterThan(0);
});

it('accepts a time zone of a manifest without the space at its ends, with which no schedule could be read', async () => {
  const scheduling = { enabled: true, timeZone: 'Europe/Berlin\n' };
  const { organization, condition } = await apply('service-system', 'umbrella', { scheduling });
  expect(organization.spec.scheduling).toEqual({ enabled: true, timeZone: 'Europe/Berlin' });
  expect(isReconciled(organization)).toBe(true);
  expect(condition).toMatchObject({ status: 'True', observedGeneration: organization.metadata.generation });
});

it('keeps a deleted Organization until everything of the org is deleted', async () => {
  const { deps, store, calls } = await createReconcileDeps();
  const ref = { namespace: 'service-system', name: 'umbrella' };
  await reconcileOrganization(deps, await store.create(OrganizationKind, { metadata: ref, spec }));
  expect((await store.get(OrganizationKind, ref)).metadata.finalizers).toEqual([orgFinalizer]);
  await store.delete(OrganizationKind, ref);
  calls.length = 0;
  await reconcileOrganization(deps, await store.get(OrganizationKind, ref));
  expect((await store.get(OrganizationKind, ref)).status?.deletionMessage).toBe(
    'The deletion was requested by kubectl.',
  );
  expect(calls).toEqual([{ type: 'deleteOrg', workflowId: 'delete-org/umbrella', by: 'kubectl' }]);
});

it('leaves an org alone that was created under the name of a deleted one, which an old event still describes', async () => {
  const { deps, store, calls } = await createReconcileDeps();
  const ref = { namespace: 'service-system', name: 'umbrella' };
  const first = await store.create(OrganizationKind, { metadata: { ...ref, finalizers: [orgFinalizer] }, spec });
  await store.delete(OrganizationKind, ref);
  const deleted = await store.get(OrganizationKind, ref);
  await store.replace(OrganizationKind, { ...deleted, metadata: { ...deleted.metadata, finalizers: [] } });
  await reconcileOrganization(deps, deleted);
  const later = await store.create(OrganizationKind, { metadata: { ...ref, finalizers: [orgFinalizer] }, spec });
  expect(later.metadata.uid).not.toBe(first.metadata.uid);
  await reconcileOrganization(deps, deleted);
  expect(await store.get(OrganizationKind, ref)).toEqual(later);
  expect(calls).toEqual([]);
});

it('wakes the schedules of an org whose scheduling is changed, and skips what was due before', async () => {
  const { deps, store, calls } = await createReconcileDeps();
  const ref = { namespace: 'service-system', name: 'umbrella' };
  const trigger = { type: 'cron' as const, schedule: '0 9 * * *' };
  await store.create(AgentWorkflowKind, {
    metadata: { namespace: 'org-umbrella', name: 'upkeep' },
    spec: { enabled: true, triggers: [trigger], steps: [] } as never,
  });
  const scheduling = { enabled: true, timeZone: 'Europe/Berlin' };
  await store.create(OrganizationKind, { metadata: ref, spec: { ...spec, scheduling } });
  const reconcile = async () => await reconcileOrganization(deps, await store.get(OrganizationKind, ref));
  const readAnnotations = async () => (await store.get(OrganizationKind, ref)).metadata.annotations;
  await reconcile();
  const wake = { type: 'runSchedule', workflowId: 'run-schedule/umbrella/upkeep', signal: 'scheduleChanged' };
  expect(calls).toEqual([wake]);
  const first = { 'service.delivery/scheduling-first-enabled': '2027-01-01T00:00:00.000Z' };
  expect(await readAnnotations()).toMatchObject(first);
  expect(await readAnnotations()).not.toHaveProperty([scheduleStartTimeAnnotation]);
  const current = await store.get(OrganizationKind, ref);
  await store.replace(OrganizationKind, { ...current, spec: { ...spec, scheduling: { ...scheduling, timeZone: '' } } });
  await reconcile();
  expect(calls).toEqual([wake, wake]);
  expect(await readAnnotations()).toMatchObject({
    ...first,
    [scheduleStartTimeAnnotation]: '2027-01-01T00:00:00.000Z',
  });
});

it.each([
  ['in another namespace', 'org-acme', 'umbrella', {}, 'belongs in the namespace "service-system"'],
  ['with a name that is no label', 'service-system', 'umbrella.corp', {}, 'The name "umbrella.corp"'],
  ['with an unknown field', 'service-system', 'umbrella', { teams: [] }, 'Unrecognized key'],
])('says why it rejects an Organization %s, and creates nothing', async (_, namespace, name, spoiled, message) => {
  const { store, organization, condition } = await apply(namespace, name, spoiled);
  expect(isReconciled(organization)).toBe(false);
  expect(condition).toMatchObject({ status: 'False', message: expect.stringContaining(message) });
  expect((await store.list(AgentWorkflowKind)).items).toEqual([]);
});

it('rejects a network for agents where the installation gives them none, instead of ignoring it', async () => {
  const allowNetwork = { agents: { allowNetwork: true } };
  const { condition } = await apply('service-system', 'umbrella', allowNetwork, { agentNetwork: 'never' });
  expect(condition).toMatchObject({ status: 'False', message: expect.stringContaining('(AGENT_NETWORK=never)') });
  const offered = await apply('service-system', 'umbrella', allowNetwork);
  expect(offered.condition).toMatchObject({ status: 'True' });
});
