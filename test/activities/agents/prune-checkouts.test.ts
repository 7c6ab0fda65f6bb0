import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pruneCheckouts } from '../../../activities/agents/prune-checkouts.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../../src/rules/changes/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('removes the checkouts of finished runs only', async () => {
  const checkoutsDir = await createScratchFolder();
  const store = openMemoryStore();
  const phases: Record<string, RunPhase> = { done: 'Succeeded', broken: 'Failed', waiting: 'WaitingForPerson' };
  for (const [name, phase] of Object.entries(phases)) {
    const spec = { agentWorkflow: 'change', product: 'shop', startedBy: 'ada', steps: [], roles: {} };
    await store.create(AgentWorkflowRunKind, { metadata: { namespace: 'org-acme', name }, spec });
    await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name }, () => ({ phase, steps: [] }));
  }
  for (const name of [...Object.keys(phases), 'deleted'])
    await mkdir(join(checkoutsDir, 'acme', name, 'implement', '.git'), { recursive: true });
  await pruneCheckouts({ store, checkoutsDir });
  expect(await readdir(join(checkoutsDir, 'acme'))).toEqual(['waiting']);
});

it('does nothing before the first checkout', async () => {
  const store = openMemoryStore();
  await pruneCheckouts({ store, checkoutsDir: '/nonexistent' });
});
