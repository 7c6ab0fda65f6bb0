import { expect, it, onTestFinished } from 'vitest';
import { createReleaseActivities } from '../../activities/releases.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { catalogAgentWorkflows } from '../../src/rules/agents/catalog.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

const namespace = 'org-acme';
const commit = 'c0ffee';
const of = { org: 'acme', release: 'hello-v0.1.0' };
const cutRun = { agentWorkflow: 'go-to-market', run: 'go-to-market-hello-1a2b3c4d' };
const input = { org: 'acme', product: 'hello', repo: 'acme/hello', commit, startedBy: 'ada', workflowId: 'w' };

async function aRelease() {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: ['acme/hello'], delivery: { zones: [] } },
  });
  const { startedBy, product, repo } = input;
  await store.create(ReleaseKind, {
    metadata: { namespace, name: of.release },
    spec: { product, repo, commit, startedBy, version: 'v0.1.0' },
  });
  const market = { ...catalogAgentWorkflows['go-to-market'], enabled: true };
  const add = async (name: string, spec = market, org = namespace): Promise<unknown> =>
    await store.create(AgentWorkflowKind, { metadata: { namespace: org, name }, spec });
  await add('go-to-market');
  await add('notes');
  await add('off', { ...market, enabled: false });
  await add('change', { ...catalogAgentWorkflows.change });
  await add('theirs', market, 'org-other');
  const activities = createReleaseActivities({
    store,
    codehost: {} as Codehost,
    imageRepository: () => '',
    now: () => new Date(0),
  });
  const cutRuns = async () => (await store.get(ReleaseKind, { namespace, name: of.release })).status?.cutRuns;
  return { activities, cutRuns };
}

it('starts what the org has enabled for the tag of a Release, and nothing that was started before', async () => {
  const { activities } = await aRelease();
  await activities.openRelease(input);
  expect(await activities.matchReleaseCut(of)).toEqual(['go-to-market', 'notes']);
  await activities.recordCutRun({ ...of, cutRun });
  expect(await activities.matchReleaseCut(of)).toEqual(['notes']);
});

it('shows each run once, also when the Release of the version is tried again', async () => {
  const { activities, cutRuns } = await aRelease();
  await activities.openRelease(input);
  await activities.recordCutRun({ ...of, cutRun });
  await activities.recordCutRun({ ...of, cutRun });
  expect(await cutRuns()).toEqual([cutRun]);
  await activities.openRelease(input);
  expect(await cutRuns()).toEqual([cutRun]);
});
