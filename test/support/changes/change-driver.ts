import { setTimeout as pause } from 'node:timers/promises';
import { AgentWorkflowRunKind, type RunStatus, type StepStatus } from '../../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { runAgentWorkflowId } from '../../../src/rules/changes/run-workflow-id.ts';
import {
  approveStepUpdate,
  cancelRunUpdate,
  guideStepUpdate,
  runAgentWorkflowStart,
  type RunAgentWorkflowInput,
} from '../../../workflows/changes/messages.ts';
import type { WorkflowHarness } from '../workflows/workflow-harness.ts';

type ChangeDriverOptions = { world: WorkflowHarness; store: Store; input: RunAgentWorkflowInput };

/** Reads and controls the newest Change of a Product, as a person does through the API. */
export function createChangeDriver({ world, store, input }: ChangeDriverOptions) {
  const workflowId = runAgentWorkflowId(input);
  const namespace = orgNamespace(input.org);
  const handle = world.client.workflow.getHandle(workflowId);
  const readNewest = async (): Promise<{ name: string; status: RunStatus }> => {
    const { items } = await store.list(AgentWorkflowRunKind, { namespace, fields: { 'spec.product': input.product } });
    const found = items.toSorted((one, other) =>
      one.metadata.creationTimestamp.localeCompare(other.metadata.creationTimestamp),
    );
    const newest = found.at(-1);
    return { name: newest?.metadata.name ?? '', status: newest?.status ?? { phase: 'Pending', steps: [] } };
  };
  const step = async (name: string): Promise<StepStatus | undefined> =>
    (await readNewest()).status.steps.find((one) => one.name === name);
  const until = async (isSo: (status: RunStatus) => boolean): Promise<RunStatus> => {
    for (const deadline = Date.now() + 90_000; ; await pause(20)) {
      const { status } = await readNewest();
      if (isSo(status)) return status;
      if (Date.now() > deadline)
        throw new Error(`The run never reached the expected status: ${JSON.stringify(status, null, 1)}`);
    }
  };
  const isWaiting = (status: RunStatus): boolean =>
    status.phase === 'WaitingForPerson' && status.steps.some(({ phase }) => phase === 'Waiting');
  const toStepRef = async () => ({ run: (await readNewest()).name, by: 'bob' });
  return {
    step,
    until,
    status: async () => (await readNewest()).status,
    waits: async () => await until(isWaiting),
    approve: async (more: { headSha?: string } = {}) => {
      const waiting = (await until(isWaiting)).steps.find(({ phase }) => phase === 'Waiting');
      const decision = { ...(await toStepRef()), step: waiting?.name ?? '', role: 'member', ...more };
      await handle.executeUpdate(approveStepUpdate, { args: [decision] });
    },
    guide: async (name: string) =>
      await handle.executeUpdate(guideStepUpdate, { args: [{ ...(await toStepRef()), step: name }] }),
    cancel: async () => await handle.executeUpdate(cancelRunUpdate, { args: [await toStepRef()] }),
    /** Retries a step of a failed run, as the API does. */
    retry: async (name: string) => {
      const { run: resumed } = await toStepRef();
      await world.start(
        runAgentWorkflowStart({
          ...input,
          resume: { run: resumed, retry: { decision: { run: resumed, step: name, by: 'bob' } } },
        }),
      );
      await until(({ phase }) => phase !== 'Failed');
    },
    /** Approves every waiting step until the run has finished. */
    end: async (times = 10): Promise<RunStatus> => {
      for (let left = times; ; left -= 1) {
        const status = await until(
          (now) => isWaiting(now) || ['Succeeded', 'Failed', 'Cancelled', 'NeedsGuidance'].includes(now.phase),
        );
        if (!isWaiting(status)) return status;
        if (left === 0) throw new Error('The run keeps asking for approval.');
        const name = status.steps.find(({ phase }) => phase === 'Waiting')?.name ?? '';
        // The approval fails when the step was just decided or shows newer commits; the loop reads it again.
        await handle
          .executeUpdate(approveStepUpdate, { args: [{ ...(await toStepRef()), step: name, role: 'member' }] })
          .catch(() => undefined);
      }
    },
  };
}
