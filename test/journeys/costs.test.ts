import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { startModel } from '../../src/emulators/model/start-model.ts';
import { addUsage, noUsage } from '../../src/rules/agents/usage.ts';
import type { AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import type { RunStatus, Usage } from '../../src/rules/changes/kinds.ts';
import {
  createAcmeOrg,
  createProduct,
  waitForRunPhase,
  startChange,
  waitForStepPhase,
} from '../support/platform/acme.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

type Run = { status: RunStatus };
type Report = { total: Usage & { turns: number }; items: ({ key: string; turns: number } & Usage)[] };

let platform: TestPlatform;
let model: Awaited<ReturnType<typeof startModel>>;
const modelRequests: string[] = [];
let api: ApiClient;

beforeAll(async () => {
  model = await startModel({ port: 0, log: (line) => modelRequests.push(line) });
  platform = await TestPlatform.start({ ALLOWED_INSIDE_ADDRESSES: new URL(model.url).host });
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await createProduct(platform, api, { name: 'greeter' });
  const provider = { kind: 'openai-compatible', baseUrl: model.url, model: 'own', apiKey: 'sk-own' };
  await api.put('/v1/orgs/acme/model-provider', provider);
  const price = { model: 'own', inputPerMillion: 3, outputPerMillion: 15, currency: 'USD' };
  await api.put('/v1/orgs/acme/models/prices', { prices: [price] });
});
afterAll(async () => {
  await platform?.remove();
  await model?.close();
});

const readUsage = async (run: string): Promise<{ turns: number; usage: Usage }> => {
  const { status } = await api.get<Run>(`/v1/orgs/acme/agentworkflowruns/${run}`);
  return {
    turns: status.steps.reduce((sum, { turns = 0 }) => sum + turns, 0),
    usage: status.steps.reduce((sum, { usage = noUsage }) => addUsage(sum, usage), noUsage),
  };
};

describe('agent costs', () => {
  it('sums to the exact usage of all steps for every grouping', async () => {
    modelRequests.length = 0;
    const names = await Promise.all(
      ['Greet visitors by name', 'Show the time on the page'].map(
        async (title) => await startChange(api, 'greeter', title),
      ),
    );
    for (const name of names) await waitForRunPhase(api, name, 'WaitingForPerson');
    const runs = await Promise.all(names.map(readUsage));
    const turns = runs.reduce((sum, run) => sum + run.turns, 0);
    const usage = runs.reduce((sum, run) => addUsage(sum, run.usage), noUsage);
    expect(usage.costMicroUsd).toBe(usage.inputTokens * 3 + usage.outputTokens * 15);
    expect(modelRequests).toHaveLength(turns);
    for (const by of ['agentRole', 'model', 'product', 'agentWorkflow', 'day']) {
      const { total, items } = await api.get<Report>(`/v1/orgs/acme/agent-costs?groupBy=${by}&days=2`);
      expect(total).toMatchObject({ turns, ...usage });
      expect(items.reduce((sum, item) => sum + item.turns, 0)).toBe(turns);
      expect(items.reduce((sum, item) => sum + (item.costMicroUsd ?? 0), 0)).toBe(usage.costMicroUsd);
    }
    const { items } = await api.get<Report>('/v1/orgs/acme/agent-costs?groupBy=model');
    expect(items.map(({ key }) => key)).toEqual(['own']);
  });

  it('pauses a run that reached its cost limit, and resumes it after the limit is raised', async () => {
    const path = '/v1/orgs/acme/agentworkflows/change';
    const limit = async (costUsdPerRun: number): Promise<void> => {
      const { spec, resourceVersion } = await api.get<{ spec: AgentWorkflowSpec; resourceVersion: string }>(path);
      await api.put(path, { spec: { ...spec, limits: { costUsdPerRun } }, resourceVersion });
    };
    await limit(0.01);
    const run = await startChange(api, 'greeter', 'Greet visitors by name');
    const stopped = (await waitForStepPhase(api, run, { step: 'implement', phase: 'NeedsGuidance' })) as unknown as Run;
    expect(stopped.status.steps[0]?.waitingFor?.message).toContain('Raise the cost limit per run');
    await limit(100);
    await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/implement/guide`, { text: 'Continue.' });
    await waitForRunPhase(api, run, 'WaitingForPerson');
  });
});
