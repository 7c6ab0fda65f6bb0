import { expect, it } from 'vitest';
import { getAssignment, listAssignedTools } from '../../../activities/agents/assignment.ts';
import type { Codehost, OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import type { OpenNetwork } from '../../../src/integrations/network/egress-proxy.ts';
import { changeAgentWorkflow, defaultRoles } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowRunKind, type RunSpec } from '../../../src/rules/changes/kinds.ts';
import { type AgentLimits, OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const codehost: Codehost = { forOrg: async () => ({}) as OrgCodehost };
const openNetwork: OpenNetwork = async () => await Promise.reject(new Error('Nothing opens it.'));
type Implementer = NonNullable<RunSpec['roles'][string]>;

async function createRun({ role = {}, agents }: { role?: Partial<Implementer>; agents?: AgentLimits } = {}) {
  const store = openTestStore();
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: ['acme/hello'], delivery: { zones: [] } },
  });
  if (agents)
    await store.create(OrganizationKind, {
      metadata: { namespace: 'service-system', name: 'acme' },
      spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', agents },
    });
  const { implementer, 'code-reviewer': _, ...roles } = defaultRoles;
  const { steps } = changeAgentWorkflow;
  const spec = { agentWorkflow: 'change', product: 'hello', startedBy: 'ada', steps };
  await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name: 'change-hello-7' },
    spec: { ...spec, roles: { ...roles, implementer: { ...implementer, ...role } as Implementer } },
  });
  return async (step: string, more: { openNetwork?: OpenNetwork } = { openNetwork }) =>
    await getAssignment({ store, codehost, ...more }, { org: 'acme', run: 'change-hello-7', step });
}

it('reads the step with the copy of its AgentRole in the run', async () => {
  const getStep = await createRun({ role: { instructions: 'As of the start of the run.' } as Partial<Implementer> });
  expect(await getStep('implement')).toMatchObject({
    step: { name: 'implement', role: 'implementer' },
    role: { instructions: 'As of the start of the run.' },
    orgLimits: {},
    repo: 'acme/hello',
  });
});

it.each([
  ['a step of a person', 'approve-change', /has no agent step "approve-change"/],
  ['an unknown step', 'deploy', /has no agent step "deploy"/],
  ['a step without its AgentRole', 'review-code', /no copy of the AgentRole "code-reviewer" of its step "review-code"/],
])('refuses %s', async (_, step, message) => {
  const getStep = await createRun();
  await expect(getStep(step)).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(message) });
});

it.each([
  [true, { openNetwork }, true, true],
  [false, {}, true, true],
  [false, { openNetwork }, false, true],
  [false, { openNetwork }, undefined, true],
  [false, { openNetwork }, true, false],
  [false, { openNetwork }, true, undefined],
])(
  'has a network (%s) with installation %o, org %s and AgentRole %s',
  async (expected, deps, allowNetwork, network) => {
    const agents = { maxRunsPerHour: 3, ...(allowNetwork !== undefined && { allowNetwork }) } as AgentLimits;
    const getStep = await createRun({ role: network === undefined ? {} : { network }, agents });
    const assignment = await getStep('implement', deps);
    expect(assignment).toMatchObject({ hasNetwork: expected, orgLimits: agents });
    const command = listAssignedTools(assignment).find(({ name }) => name === 'run_command');
    expect(command?.description).toContain(expected ? 'It has network access.' : 'It has no network access.');
  },
);
