import { setTimeout as pause } from 'node:timers/promises';
import { AgentWorkflowRunKind, type RunStatus, type StepStatus } from '../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import {
  approveStep,
  cancelRun,
  guideStep,
  runAgentWorkflowId,
  type RunAgentWorkflowInput,
} from '../../workflows/changes/messages.ts';
import type { WorkflowWorld } from './workflow-world.ts';

type Running = { world: WorkflowWorld; store: Store; input: RunAgentWorkflowInput };

/** What a person can see and do of the newest Change of a Product. */
export function aRealChange({ world, store, input }: Running) {
  const workflowId = runAgentWorkflowId(input);
  const namespace = orgNamespace(input.org);
  const handle = world.client.workflow.getHandle(workflowId);
  const look = async (): Promise<{ name: string; status: RunStatus }> => {
    const { items } = await store.list(AgentWorkflowRunKind, { namespace, fields: { 'spec.product': input.product } });
    const found = items.toSorted((one, other) =>
      one.metadata.creationTimestamp.localeCompare(other.metadata.creationTimestamp),
    );
    const newest = found.at(-1);
    return { name: newest?.metadata.name ?? '', status: newest?.status ?? { phase: 'Pending', steps: [] } };
  };
  const step = async (name: string): Promise<StepStatus | undefined> =>
    (await look()).status.steps.find((one) => one.name === name);
  const until = async (isSo: (status: RunStatus) => boolean): Promise<RunStatus> => {
    for (const giveUpAt = Date.now() + 90_000; ; await pause(20)) {
      const { status } = await look();
      if (isSo(status)) return status;
      if (Date.now() > giveUpAt) throw new Error(`Never as wanted: ${JSON.stringify(status, null, 1)}`);
    }
  };
  const isWaiting = (status: RunStatus): boolean =>
    status.phase === 'WaitingForPerson' && status.steps.some(({ phase }) => phase === 'Waiting');
  const tell = async () => ({ run: (await look()).name, by: 'bob' });
  return {
    step,
    until,
    status: async () => (await look()).status,
    waits: async () => await until(isWaiting),
    approve: async (more: { headSha?: string } = {}) => {
      const waiting = (await until(isWaiting)).steps.find(({ phase }) => phase === 'Waiting');
      const decision = { ...(await tell()), step: waiting?.name ?? '', role: 'member', ...more };
      await handle.executeUpdate(approveStep, { args: [decision] });
    },
    guide: async (name: string) => await handle.executeUpdate(guideStep, { args: [{ ...(await tell()), step: name }] }),
    cancel: async () => await handle.executeUpdate(cancelRun, { args: [await tell()] }),
    /** Sets a run that has failed going again, as the API does. */
    retry: async (name: string) => {
      const { run: resumed } = await tell();
      await world.start('runAgentWorkflow', { ...input, resume: { run: resumed, retry: name } }, { workflowId });
      await until(({ phase }) => phase !== 'Failed');
    },
    /** Approves whatever waits until the run has ended. */
    end: async (times = 10): Promise<RunStatus> => {
      for (let left = times; ; left -= 1) {
        const status = await until(
          (now) => isWaiting(now) || ['Succeeded', 'Failed', 'Cancelled', 'NeedsGuidance'].includes(now.phase),
        );
        if (!isWaiting(status)) return status;
        if (left === 0) throw new Error('It asks for approval again and again.');
        const name = status.steps.find(({ phase }) => phase === 'Waiting')?.name ?? '';
        // Refused where it has just been decided or shows newer commits now: it is looked at again.
        await handle
          .executeUpdate(approveStep, { args: [{ ...(await tell()), step: name, role: 'member' }] })
          .catch(() => undefined);
      }
    },
  };
}
