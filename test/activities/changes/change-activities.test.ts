import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createChangeActivities } from '../../../activities/changes/change-activities.ts';
import { call, turn as says, write } from '../../../src/emulators/model/scenario.ts';
import { AgentWorkflowRunKind, type Verdict } from '../../../src/rules/changes/kinds.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';
import { type AgentRunHarness, startAgentRunHarness } from '../../support/changes/agent-run-harness.ts';

const ref = { org: 'acme', run: 'change-hello-7' };
const summary = 'All of it. '.repeat(300);

/** Starts a run whose implementer writes long texts in each turn. */
async function startVerboseRun(): Promise<AgentRunHarness> {
  const implementer = [
    says('x'.repeat(100_000), write('README.md', 'y'.repeat(100_000))),
    says('x'.repeat(100_000), call('read_file', { path: 'README.md' })),
    says('x'.repeat(100_000), call('finish', { outcome: 'done', summary })),
  ];
  const run = await startAgentRunHarness({ title: 'Talk' }, [
    { name: 'talk', matches: () => true, roles: { implementer } },
  ]);
  onTestFinished(run.close);
  return run;
}

const record = async ({ deps }: AgentRunHarness, verdict: Verdict): Promise<Verdict | undefined> => {
  const { openRun, recordRun } = createChangeActivities({ ...deps, decisions: trustingJudge, now: () => new Date() });
  const environment = new MockActivityEnvironment();
  const input = { ...ref, agentWorkflow: 'change', product: 'hello', startedBy: 'ada', workflowId: 'change-7' };
  await environment.run(openRun, input);
  await environment.run(recordRun, { ...ref, patch: { steps: [{ name: 'implement', verdict }] } });
  const { status } = await deps.store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: ref.run });
  return status?.steps.find(({ name }) => name === 'implement')?.verdict;
};

it('records the full verdict although the workflow holds a truncated one', async () => {
  const run = await startVerboseRun();
  const { outcome } = await run.runRound('implement', 1);
  expect(JSON.stringify(outcome).length).toBeLessThan(500);
  expect(outcome.verdict && (await record(run, outcome.verdict))).toEqual({ outcome: 'done', summary });
});

it('records a verdict of the workflow unchanged', async () => {
  const run = await startVerboseRun();
  await run.runRound('implement', 1);
  const verdict = { outcome: 'needs-guidance' as const, summary: 'The step has taken all of its 3 turns.' };
  expect(await record(run, verdict)).toEqual(verdict);
});
