import { defaultAgentWorkflows, defaultRoles } from '../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowRunKind, type RunStatus } from '../../src/rules/changes/kinds.ts';
import type { Store } from '../../src/store/store.ts';

const { change } = defaultAgentWorkflows;
const timestamp = '2026-11-21T12:00:00.000Z';
const maxConcurrentWrites = 48;

/** Fills a namespace with finished Changes of a realistic size. */
export async function seedRuns(
  store: Store,
  { namespace, count, logProgress }: { namespace: string; count: number; logProgress: (message: string) => void },
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      if (index % 2_000 === 0) logProgress(`Creating runs: ${index} of ${count}`);
      await createRun(store, namespace, index);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentWrites }, work));
}

async function createRun(store: Store, namespace: string, index: number): Promise<void> {
  const number = 100_000 + index;
  const product = `product-${index % 20}`;
  const ref = { namespace, name: `change-${product}-${number}-${number.toString(16)}` };
  const roles = new Set(change.steps.flatMap((step) => (step.type === 'agent' ? [step.role] : [])));
  const spec = {
    agentWorkflow: 'change',
    product,
    target: { repo: `acme/${product}`, number },
    startedBy: 'ada@example.com',
    steps: change.steps,
    roles: Object.fromEntries([...roles].map((role) => [role, defaultRoles[role] ?? { responsibilities: ['?'] }])),
  };
  await store.create(AgentWorkflowRunKind, { metadata: ref, spec });
  await store.updateStatus(AgentWorkflowRunKind, ref, () => buildRunStatus(ref.name, number));
}

const buildRunStatus = (name: string, number: number): RunStatus => ({
  phase: 'Succeeded',
  startedAt: timestamp,
  finishedAt: timestamp,
  branch: `service/${name}`,
  baseBranch: 'main',
  issue: {
    title: `Greet visitors by name (${number})`,
    url: `https://codehost.example/acme/hello/issues/${number}`,
    author: 'ada',
  },
  pullRequest: {
    number,
    url: `https://codehost.example/acme/hello/pull/${number}`,
    headSha: 'c0ffee'.repeat(7).slice(2),
  },
  steps: change.steps.map((step) => ({
    name: step.name,
    phase: 'Succeeded',
    startedAt: timestamp,
    finishedAt: timestamp,
    ...(step.type === 'agent' && {
      turns: 7,
      verdict: {
        outcome: 'done',
        summary:
          'The greeting takes the visitor’s name from the query, trims it to 40 characters and escapes it; without one it greets as before. Tests cover both, and the README names the parameter.',
      },
      usage: { inputTokens: 48_211, outputTokens: 3_120, cachedInputTokens: 40_100, costMicroUsd: 71_000 },
    }),
  })),
});
