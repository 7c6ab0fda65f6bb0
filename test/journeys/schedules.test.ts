import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import type { RunView } from '../../src/clients/demo/views.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createAcmeOrg, createProduct, waitForRunPhase } from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

let platform: TestPlatform;
let api: ApiClient;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await createProduct(platform, api, { name: 'garden' });
});
afterAll(async () => await platform?.remove());

const spec = {
  enabled: true,
  triggers: [{ type: 'cron' as const, schedule: '0 0 29 2 *' }],
  steps: [
    { name: 'tidy', type: 'agent' as const, role: 'implementer', mode: 'change' as const },
    { name: 'approve-change', type: 'human' as const },
  ],
};
const implementer = '/v1/orgs/acme/agentroles/implementer';
type WorkflowView = { status?: { schedule?: string; nextScheduledAt?: string } };
const waitForStatus = async (
  name: string,
  matches: (status: WorkflowView['status']) => boolean,
): Promise<WorkflowView['status']> => {
  const read = async () => (await api.get<WorkflowView>(`/v1/orgs/acme/agentworkflows/${name}`)).status;
  return await waitUntil(read, matches);
};

it('shows the schedule of an AgentWorkflow, and starts it manually without an issue', async () => {
  await api.post('/v1/orgs/acme/agentworkflows', { name: 'upkeep', spec });
  const off = await waitForStatus('upkeep', (status) => status?.schedule !== undefined);
  expect(off).toEqual({ schedule: '0 0 29 2 * (UTC); scheduling is off in this org' });
  await api.put('/v1/orgs/acme/scheduling', { enabled: true, timeZone: 'Australia/Lord_Howe' });
  const on = await waitForStatus('upkeep', (status) => status?.nextScheduledAt !== undefined);
  expect(on?.schedule).toBe('0 0 29 2 * (Australia/Lord_Howe)');
  expect(on?.nextScheduledAt).toMatch(/-02-28T13:00:00.000Z$/);

  // The role carries the title of a scenario, because a scheduled run has no issue to match.
  const { resourceVersion } = await api.get<{ resourceVersion: string }>(implementer);
  const role = { responsibilities: ['Each time:\nGreet visitors by name\n'] };
  await api.put(implementer, { spec: role, resourceVersion });
  const { name } = await api.post<RunView>('/v1/orgs/acme/agentworkflowruns', {
    agentWorkflow: 'upkeep',
    product: 'garden',
  });
  const { status } = await waitForRunPhase(api, name, 'WaitingForPerson');
  const pull = await new CodehostReader(platform).get(`/repos/acme/garden/pulls/${status.pullRequest?.number}`);
  expect(pull).toMatchObject({ title: 'chore: upkeep', head: { ref: `service/${name}` } });
});

it('runs a schedule that was written to the store while the platform was stopped', async () => {
  await platform.killTree();
  const store = openSqliteStore({ file: join(platform.dataDir, 'store.sqlite') });
  await store.create(AgentWorkflowKind, { metadata: { namespace: 'org-acme', name: 'offline' }, spec });
  await store.close();
  await platform.start();
  await waitForStatus('offline', (status) => status?.nextScheduledAt !== undefined);
});
