import { describe, expect, it } from 'vitest';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { announceClosedPull } from '../../../api/intake/announce-closed-pull.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../../src/rules/changes/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const url = 'https://codehost.example/acme/hello/pull/8';

/** Creates runs of pull requests, and records the signals to them. */
async function createHarness({ completed = [] as string[], error }: { completed?: string[]; error?: Error } = {}) {
  const store = openTestStore();
  const addRun = async (name: string, phase: RunPhase, pull = url, org = 'acme'): Promise<void> => {
    const ref = { namespace: `org-${org}`, name };
    const target = { repo: 'acme/hello', number: Number(name.split('-').at(-1)) };
    const spec = { agentWorkflow: 'change', product: 'hello', target, startedBy: 'ada', steps: [], roles: {} };
    await store.create(AgentWorkflowRunKind, { metadata: ref, spec });
    const pullRequest = { number: 8, url: pull, headSha: 'c1' };
    await store.updateStatus(AgentWorkflowRunKind, ref, () => ({ phase, steps: [], pullRequest }));
  };
  const signals: unknown[] = [];
  const getHandle = (workflowId: string) => ({
    signal: async (signal: { name: string }, input: unknown): Promise<void> => {
      signals.push([workflowId, signal.name, input]);
      if (error) throw error;
      if (completed.includes(workflowId)) throw new WorkflowNotFoundError('It has completed.', workflowId, undefined);
    },
  });
  const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
  const temporal = { workflow: { getHandle }, withDeadline } as unknown as Client;
  const announce = async () => await announceClosedPull({ store, temporal }, { org: 'acme', url, timeoutMs: 1000 });
  return { addRun, announce, signals };
}

describe('announceClosedPull', () => {
  it('signals the runs of the pull request that have not finished, also after one has completed', async () => {
    const workflowId = 'run-agent-workflow/acme/change/acme/hello#1';
    const { addRun, announce, signals } = await createHarness({ completed: [workflowId] });
    await addRun('waits-1', 'WaitingForPerson');
    await addRun('runs-2', 'Running');
    await addRun('asks-3', 'NeedsGuidance');
    await addRun('finished-4', 'Failed');
    await addRun('other-5', 'WaitingForPerson', `${url}0`);
    await addRun('foreign-6', 'WaitingForPerson', url, 'other');
    await announce();
    expect(signals.toSorted()).toEqual([
      [workflowId, 'pullRequestClosed', { run: 'waits-1' }],
      ['run-agent-workflow/acme/change/acme/hello#2', 'pullRequestClosed', { run: 'runs-2' }],
      ['run-agent-workflow/acme/change/acme/hello#3', 'pullRequestClosed', { run: 'asks-3' }],
    ]);
  });

  it('fails when a run cannot be reached, so that the code host sends the event again', async () => {
    const { addRun, announce } = await createHarness({ error: new Error('The connection was lost.') });
    await addRun('waits-1', 'WaitingForPerson');
    await expect(announce()).rejects.toThrow('The connection was lost.');
  });
});
