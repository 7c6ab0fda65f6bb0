import { expect, it } from 'vitest';
import { findLastChange } from '../../../api/products/last-changes.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('finds the run on one issue of one repo of the org', async () => {
  const store = openTestStore();
  const create = async (namespace: string, name: string, repo: string, number: number) =>
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name },
      spec: {
        agentWorkflow: 'change',
        product: 'shop',
        target: { repo, number },
        startedBy: 'jo',
        steps: changeAgentWorkflow.steps,
        roles: {},
      },
    });
  await create('org-acme', 'wanted', 'acme/shop', 7);
  await create('org-acme', 'other-issue', 'acme/shop', 8);
  await create('org-acme', 'other-repo', 'acme/till', 7);
  await create('org-umbrella', 'other-org', 'acme/shop', 7);
  const find = async (number: number) =>
    (await findLastChange(store, 'acme', { repo: 'acme/shop', number }))?.metadata.name;
  expect([await find(7), await find(8), await find(9)]).toEqual(['wanted', 'other-issue', undefined]);
});
