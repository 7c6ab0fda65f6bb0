import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import type { RunView } from '../../src/clients/demo/views.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { CodehostFacts, createAcme, createProduct, runIs, until } from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let api: Api;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  await createAcme(api);
  await createProduct(platform, api, { name: 'kept' });
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
type Shown = { status?: { schedule?: string; nextScheduledAt?: string } };
const shown = async (name: string, isWanted: (status: Shown['status']) => boolean): Promise<Shown['status']> => {
  const read = async () => (await api.get<Shown>(`/v1/orgs/acme/agentworkflows/${name}`)).status;
  return await until(read, isWanted);
};

it('an AgentWorkflow shows its schedule, and is started by hand without an issue', async () => {
  await api.post('/v1/orgs/acme/agentworkflows', { name: 'upkeep', spec });
  const off = await shown('upkeep', (status) => status?.schedule !== undefined);
  expect(off).toEqual({ schedule: '0 0 29 2 * (UTC); scheduling is off in this org' });
  await api.put('/v1/orgs/acme/scheduling', { enabled: true, timeZone: 'Australia/Lord_Howe' });
  const on = await shown('upkeep', (status) => status?.nextScheduledAt !== undefined);
  expect(on?.schedule).toBe('0 0 29 2 * (Australia/Lord_Howe)');
  expect(on?.nextScheduledAt).toMatch(/-02-28T13:00:00.000Z$/);

  // What the rehearsing model knows how to do, said by the only one who says anything here.
  const { resourceVersion } = await api.get<{ resourceVersion: string }>(implementer);
  const role = { responsibilities: ['Each time:\nGreet visitors by name\n'] };
  await api.put(implementer, { spec: role, resourceVersion });
  const { name } = await api.post<RunView>('/v1/orgs/acme/agentworkflowruns', {
    agentWorkflow: 'upkeep',
    product: 'kept',
  });
  const { status } = await runIs(api, name, 'WaitingForPerson');
  const pull = await new CodehostFacts(platform).get(`/repos/acme/kept/pulls/${status.pullRequest?.number}`);
  expect(pull).toMatchObject({ title: 'chore: upkeep', head: { ref: `service/${name}` } });
});

it('a schedule that was written while nobody could be told is kept from the next start on', async () => {
  await platform.killTree();
  const store = openSqliteStore({ file: join(platform.dataDir, 'store.sqlite') });
  await store.create(AgentWorkflowKind, { metadata: { namespace: 'org-acme', name: 'unheard' }, spec });
  await store.close();
  await platform.start();
  await shown('unheard', (status) => status?.nextScheduledAt !== undefined);
});
