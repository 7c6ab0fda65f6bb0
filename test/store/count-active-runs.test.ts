import { expect, it } from 'vitest';
import { AgentWorkflowRunKind, type RunPhase } from '../../src/rules/changes/kinds.ts';
import { countActiveRuns } from '../../src/store/count-active-runs.ts';
import { openTestStore } from '../support/open-test-store.ts';

it('counts the runs of the org that use workers', async () => {
  const store = openTestStore();
  const phases: RunPhase[] = ['Pending', 'Running', 'Running', 'WaitingForPerson', 'Succeeded'];
  const create = async (namespace: string, phase: RunPhase, index: number): Promise<void> => {
    const metadata = { namespace, name: `run-${index}` };
    await store.create(AgentWorkflowRunKind, { metadata, spec: {} as never });
    await store.updateStatus(AgentWorkflowRunKind, metadata, () => ({ phase, steps: [] }));
  };
  for (const [index, phase] of phases.entries()) await create('org-acme', phase, index);
  await create('org-other', 'Running', 0);
  expect(await countActiveRuns(store, 'acme')).toBe(3);
});
