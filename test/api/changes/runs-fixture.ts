import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowRunKind, type RunPhase, type StepPhase } from '../../../src/rules/changes/kinds.ts';
import type { Store } from '../../../src/store/store.ts';

type Status = { phase: RunPhase; steps?: Record<string, StepPhase>; mergeCommit?: string };

export async function aRun(store: Store, name: string, status: Status): Promise<void> {
  const ref = { namespace: 'org-acme', name };
  await store.create(AgentWorkflowRunKind, {
    metadata: ref,
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      target: { repo: 'acme/shop', number: 7 },
      startedBy: 'jo',
      steps: changeAgentWorkflow.steps,
      roles: {},
    },
  });
  await setStatus(store, name, status);
}

export async function setStatus(store: Store, name: string, { phase, steps = {}, mergeCommit }: Status): Promise<void> {
  await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name }, () => ({
    phase,
    steps: changeAgentWorkflow.steps.map((step) => ({
      name: step.name,
      phase: steps[step.name] ?? ('Pending' as const),
    })),
    ...(mergeCommit !== undefined && { mergeCommit }),
  }));
}
