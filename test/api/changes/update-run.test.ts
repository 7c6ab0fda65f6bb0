import { expect, it } from 'vitest';
import { toRunInput, workflowIdFor } from '../../../api/changes/update-run.ts';
import { runAgentWorkflowStart, type RunAgentWorkflowInput } from '../../../workflows/changes/messages.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const origin = { org: 'acme', agentWorkflow: 'change', product: 'shop', startedBy: 'jo@example.com' };
const repo = 'acme/shop';

/** Creates the run that a workflow with this input creates, and rebuilds the input from it. */
async function rebuild(input: RunAgentWorkflowInput) {
  const { agentWorkflow, product, startedBy, target, release } = input;
  const { workflowId } = runAgentWorkflowStart(input).options;
  const run = await openTestStore().create(AgentWorkflowRunKind, {
    metadata: { namespace: 'org-acme', name: 'run-1', annotations: { [workflowIdAnnotation]: workflowId } },
    spec: {
      agentWorkflow,
      product,
      startedBy,
      steps: [],
      roles: {},
      ...(target && { target }),
      ...(release && { release: { ...release, repo } }),
    },
  });
  expect(workflowIdFor(run, 'acme')).toBe(workflowId);
  return toRunInput(run, 'acme');
}

it.each<[by: string, input: RunAgentWorkflowInput]>([
  ['an issue', { ...origin, target: { repo, number: 7 } }],
  ['a pull request', { ...origin, target: { repo, number: 8, kind: 'pull-request' } }],
  ['the tag of a Release', { ...origin, release: { name: 'shop-v1.0.0', version: 'v1.0.0' }, requestId: 'uid' }],
  ['instructions', { ...origin, requestId: 'request' }],
])('rebuilds the input of a run that %s started', async (_, input) => {
  expect(await rebuild(input)).toStrictEqual(input);
});
