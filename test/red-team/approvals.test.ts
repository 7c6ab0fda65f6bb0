import { listRunContributors } from '../../src/rules/access/contributors.ts';
import { selfApprovalViolation } from '../../src/rules/access/self-approval-violation.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { buildSquashMessage } from '../../src/rules/changes/build-squash-message.ts';
import { workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import type { Organization } from '../../src/rules/orgs/kinds.ts';
import { nextVersion } from '../../src/rules/releases/next-version.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { testAttacks } from './attacks.ts';
import { findWorkflowId } from './temporal-access.ts';
import type { World } from './world.ts';

const stranger = { title: 'feat!: Hello', url: '' };
const run = {
  metadata: { name: 'change-1' },
  spec: { agentWorkflow: 'change', target: { repo: 'acme/shop', number: 7 } },
  status: { issue: stranger, steps: [] },
} as unknown as AgentWorkflowRun;

/** A run that alice started by labeling an issue at the code host. */
const labeled = {
  spec: {
    startedBy: 'code host',
    cause: { event: 'issue.labeled', labels: [], people: ['alice-dev'], at: '2026-01-01T00:00:00Z' },
  },
  status: { steps: [] },
} as unknown as AgentWorkflowRun;
const mayApprove = (preventSelfApproval: boolean, logins: { email: string; login: string }[]): boolean => {
  const org = { spec: { approvals: { preventSelfApproval, codehostLogins: logins } } } as unknown as Organization;
  return selfApprovalViolation(org, listRunContributors(labeled), 'alice@example.com') === undefined;
};

testAttacks('approvals', [
  {
    name: 'mallory approves the own run where the org demands a second person',
    attempt: async (world) => await approvesOwnRun(world, true),
    counter: async (world) => await approvesOwnRun(world, false),
  },
  {
    name: 'a member approves what the member started at the code host',
    attempt: async () => mayApprove(true, [{ email: 'alice@example.com', login: 'alice-dev' }]),
    counter: async () => mayApprove(false, [{ email: 'alice@example.com', login: 'alice-dev' }]),
  },
  {
    name: 'a member whose account is unknown approves what the code host started',
    attempt: async () => mayApprove(true, []),
    counter: async () => mayApprove(false, []),
  },
  {
    name: 'the title of an issue of a stranger makes a major version',
    attempt: async () => nextVersion(['v1.0.0'], [buildSquashMessage(run).title]) === 'v2.0.0',
    counter: async () => nextVersion(['v1.0.0'], [stranger.title]) === 'v2.0.0',
  },
  {
    name: 'mallory names the workflow of acme in an annotation of a run of evil',
    attempt: async (world) => await approvesByAnnotation(world, 'evil', 'mallory'),
    counter: async (world) => await approvesByAnnotation(world, 'acme', 'alice'),
  },
]);

/** Mallory starts a run of evil and approves its step. */
async function approvesOwnRun(world: World, preventSelfApproval: boolean): Promise<boolean> {
  const evil = '/v1/orgs/evil';
  await world.write('PUT', `${evil}/approvals`, 'root', { preventSelfApproval });
  const name = `own-${preventSelfApproval}`;
  const spec = { enabled: true, triggers: [], steps: [{ name: 'decide', type: 'human' }] };
  await world.write('POST', `${evil}/agentworkflows`, 'mallory', { name, spec });
  const start = { agentWorkflow: name, product: 'app', instructions: 'Ask a person.' };
  const started = await world.write<{ name: string }>('POST', `${evil}/agentworkflowruns`, 'mallory', start);
  const path = `${evil}/agentworkflowruns/${started.name}`;
  await waitUntil(
    async () => await world.read<{ status: { steps: { phase: string }[] } }>(path),
    ({ status }) => status.steps.some(({ phase }) => phase === 'Waiting'),
  );
  return (await world.call('POST', `${path}/steps/decide/approve`, { as: 'mallory', body: {} })).ok;
}

/** Approves a run of an org whose annotation names the workflow of a run of acme. Returns whether acme's was approved. */
async function approvesByAnnotation(world: World, org: 'acme' | 'evil', person: 'alice' | 'mallory'): Promise<boolean> {
  const victim = await world.startWaitingRun();
  const workflowId = await findWorkflowId(world, victim);
  const named = org === 'acme' ? victim : 'change-app-1';
  if (org === 'evil')
    await world.withStore(async (store) => {
      const { spec, status } = await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: victim });
      const metadata = { namespace: 'org-evil', name: named, annotations: { [workflowIdAnnotation]: workflowId } };
      await store.create(AgentWorkflowRunKind, { metadata, spec: { ...spec, product: 'app' } });
      await store.updateStatus(AgentWorkflowRunKind, metadata, () => status);
    });
  await world.call('POST', `/v1/orgs/${org}/agentworkflowruns/${named}/steps/decide/approve`, { as: person, body: {} });
  const { status } = await world.read<{ status: { steps: { phase: string }[] } }>(
    `/v1/orgs/acme/agentworkflowruns/${victim}`,
  );
  return status.steps.every(({ phase }) => phase !== 'Waiting');
}
