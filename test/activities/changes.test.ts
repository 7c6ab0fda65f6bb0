import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createChangeActivities } from '../../activities/changes.ts';
import { call, turn as says, write } from '../../src/local/model/example.ts';
import { AgentWorkflowRunKind, type Verdict } from '../../src/rules/changes/kinds.ts';
import { type AgentRun, startAgentRun } from '../support/agent-run.ts';

const ref = { org: 'acme', run: 'change-hello-7' };
const summary = 'All of it. '.repeat(300);

/** An implementer that says much in each of its turns and at their end. */
async function talkative(): Promise<AgentRun> {
  const implementer = [
    says('x'.repeat(100_000), write('README.md', 'y'.repeat(100_000))),
    says('x'.repeat(100_000), call('read_file', { path: 'README.md' })),
    says('x'.repeat(100_000), call('finish', { outcome: 'done', summary })),
  ];
  const run = await startAgentRun({ title: 'Talk' }, [{ name: 'talk', matches: () => true, roles: { implementer } }]);
  onTestFinished(run.close);
  return run;
}

const record = async ({ deps }: AgentRun, verdict: Verdict): Promise<Verdict | undefined> => {
  const { openRun, recordRun } = createChangeActivities({ ...deps, now: () => new Date() });
  const environment = new MockActivityEnvironment();
  const opening = { ...ref, agentWorkflow: 'change', product: 'hello', startedBy: 'ada', workflowId: 'change-7' };
  await environment.run(openRun, opening);
  await environment.run(recordRun, { ...ref, patch: { steps: [{ name: 'implement', verdict }] } });
  const { status } = await deps.store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: ref.run });
  return status?.steps.find(({ name }) => name === 'implement')?.verdict;
};

it('says little to the workflow, however much was said, and the whole verdict to people', async () => {
  const run = await talkative();
  const { outcome } = await run.round('implement', 1);
  expect(JSON.stringify(outcome).length).toBeLessThan(500);
  expect(outcome.verdict && (await record(run, outcome.verdict))).toEqual({ outcome: 'done', summary });
});

it('leaves a verdict as it is that no turn gave', async () => {
  const run = await talkative();
  await run.round('implement', 1);
  const verdict = { outcome: 'needs-guidance' as const, summary: 'The step has taken all of its 3 turns.' };
  expect(await record(run, verdict)).toEqual(verdict);
});
