import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRun, type OpenRunInput } from '../../../activities/changes/create-run.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { changeAgentWorkflow, defaultRoles } from '../../../src/rules/agents/default-workflows.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { resolveRunRepo } from '../../../src/rules/changes/resolve-run-repo.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const namespace = 'org-acme';
const input: OpenRunInput = {
  org: 'acme',
  run: 'change-1',
  agentWorkflow: 'change',
  product: 'hello',
  startedBy: 'ada',
  workflowId: 'w1',
};

async function createHarness({ repos = ['acme/hello'], skipRole = '' } = {}) {
  const store = openTestStore();
  const blobs = directoryBlobs(join(await createScratchFolder(), 'blobs'));
  const product = await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos, delivery: { zones: [] } },
  });
  for (const org of ['acme', 'other'])
    await store.create(OrganizationKind, {
      metadata: { namespace: 'service-system', name: org },
      spec: { codehostAccount: org, gitopsRepo: `${org}/gitops` },
    });
  const workflow = await store.create(AgentWorkflowKind, {
    metadata: { namespace, name: 'change' },
    spec: changeAgentWorkflow,
  });
  for (const [name, spec] of Object.entries(defaultRoles))
    if (name !== skipRole) await store.create(AgentRoleKind, { metadata: { namespace, name }, spec });
  const create = async (more: Partial<OpenRunInput> = {}) => await createRun({ ...input, ...more }, { store, blobs });
  return { store, blobs, product, workflow, create };
}

it('copies the steps and their AgentRoles, which later edits do not change', async () => {
  const { store, create, product, workflow } = await createHarness();
  const run = await create();
  expect(run.metadata).toMatchObject({
    annotations: { [workflowIdAnnotation]: 'w1' },
    ownerReferences: [{ uid: product.metadata.uid }],
  });
  const { steps } = changeAgentWorkflow;
  const names = new Set(steps.flatMap((step) => (step.type === 'agent' ? [step.role] : [])));
  expect(Object.keys(run.spec.roles).toSorted()).toEqual([...names].toSorted());
  expect(run.spec).toEqual({
    agentWorkflow: 'change',
    product: 'hello',
    repo: 'acme/hello',
    startedBy: 'ada',
    steps,
    roles: Object.fromEntries([...names].map((name) => [name, defaultRoles[name as keyof typeof defaultRoles]])),
    ...(changeAgentWorkflow.limits && { limits: changeAgentWorkflow.limits }),
  });
  await store.replace(AgentWorkflowKind, { ...workflow, spec: { ...workflow.spec, steps: steps.slice(0, 1) } });
  expect(await create({ startedBy: 'eve' })).toEqual(run);
});

it('works on the repo that was the first of its Product, although the Product is changed', async () => {
  const { store, create, product } = await createHarness({ repos: ['acme/hello', 'acme/more'] });
  const run = await create();
  const reordered = { ...product.spec, repos: ['acme/more', 'acme/hello'] };
  expect(resolveRunRepo(run, await store.replace(ProductKind, { ...product, spec: reordered }))).toBe('acme/hello');
});

it('records what started it, with the instructions from the blob', async () => {
  const { create, blobs, store } = await createHarness();
  await blobs.put('instructions/1', Buffer.from('Grüße mit Namen.'));
  const release = { product: 'hello', repo: 'acme/hello', commit: 'c1', version: 'v1.0.0', startedBy: 'ada' };
  await store.create(ReleaseKind, { metadata: { namespace, name: 'hello-v1.0.0' }, spec: release });
  const target = { repo: 'acme/hello', number: 7 };
  const cause = { event: 'issues.opened', delivery: 'd1', sender: 'ada' } as unknown as NonNullable<
    OpenRunInput['cause']
  >;
  const { spec } = await create({ target, cause, instructionsKey: 'instructions/1', release: 'hello-v1.0.0' });
  expect(spec).toMatchObject({
    target,
    cause,
    instructions: 'Grüße mit Namen.',
    release: { name: 'hello-v1.0.0', version: 'v1.0.0', repo: 'acme/hello' },
  });
  expect((await create({ run: 'change-2', instructionsKey: 'instructions/gone' })).spec).not.toHaveProperty(
    'instructions',
  );
});

it.each([
  ['the Product has the gitops repo of its org', ['acme/hello', 'acme/gitops'], {}, 'acme/gitops'],
  ['the Product has the gitops repo of another org', ['Other/Gitops'], {}, 'Other/Gitops'],
  ['its issue is in a gitops repo', ['acme/hello'], { target: { repo: 'acme/gitops', number: 1 } }, 'acme/gitops'],
])('refuses a run when %s', async (_, repos, more, named) => {
  const { store, create } = await createHarness({ repos });
  await expect(create(more)).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(`The repo ${named} is the gitops repo of an org`),
  });
  const { items } = await store.list(AgentWorkflowKind, { namespace });
  expect(items).toHaveLength(1);
});

it('refuses a run on a Product that is being deleted', async () => {
  const { store, create } = await createHarness();
  await store.updateStatus(ProductKind, { namespace, name: 'hello' }, () => ({ deletionMessage: 'by ada' }));
  await expect(create()).rejects.toMatchObject({ reason: 'product-deleting' });
  expect((await store.list(AgentWorkflowRunKind)).items).toEqual([]);
});

it('looks only at the repo of its issue', async () => {
  const { create } = await createHarness({ repos: ['acme/gitops'] });
  expect((await create({ target: { repo: 'acme/hello', number: 7 } })).metadata.name).toBe('change-1');
});

it.each([
  ['AgentRole', { skipRole: 'implementer' }, {}],
  ['Product', {}, { product: 'gone' }],
  ['AgentWorkflow', {}, { agentWorkflow: 'gone' }],
  ['Release', {}, { release: 'gone' }],
])('refuses a run whose %s is gone', async (_, options, more) => {
  const { create } = await createHarness(options);
  await expect(create(more)).rejects.toMatchObject({ code: 'not-found' });
});
