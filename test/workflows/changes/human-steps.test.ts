import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { type Reason, ServiceError } from '../../../src/errors.ts';
import {
  approveStepUpdate,
  guideStepUpdate,
  rejectStepUpdate,
  retryStepUpdate,
} from '../../../workflows/changes/messages.ts';
import {
  ChangeFixture,
  buildChangeInput,
  buildDecision,
  buildTurnOutcome,
  startChange,
} from '../../support/workflows/change-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const conflict = (type: Reason, message: string) => ({ cause: { type, message: expect.stringContaining(message) } });

/** Combines the activities of several Changes, and delays each call by some milliseconds like a busy worker. */
function withDelays(changes: Map<string, ChangeFixture>): Partial<Activities> {
  const names = Object.keys(new ChangeFixture().activities) as (keyof Activities)[];
  const entries = names.map((name) => {
    const activity = async (input: { org: string }): Promise<unknown> => {
      await setTimeout(Math.random() * 4);
      return await (changes.get(input.org)!.activities[name] as typeof activity)(input);
    };
    return [name, activity] as const;
  });
  return Object.fromEntries(entries) as Partial<Activities>;
}

describeWithTemporal('registerHumanStepHandlers', () => {
  it('rejects the approval of a head that the run did not show, and shows the new head', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const shown = change.status.pullRequest?.headSha;
      expect(harness.callInputs('recordCommitters').map(({ headSha }) => headSha)).toEqual([shown]);
      change.push('pushed-by-eve');
      const approve = async (headSha: string) =>
        await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { headSha }) });
      await expect(approve('head-1')).rejects.toMatchObject(
        conflict('unreviewed-commits', 'Review pushed-by-eve, then approve it.'),
      );
      expect(change.status).toMatchObject({
        pullRequest: { headSha: 'pushed-by-eve' },
        committers: { headSha: 'pushed-by-eve' },
      });
      expect(change.step('approve-change').phase).toBe('Waiting');

      await expect(approve('head-1')).rejects.toMatchObject(conflict('unreviewed-commits', 'You reviewed head-1'));
      await approve('pushed-by-eve');
      await handle.result();
      expect(harness.callInputs('mergePullRequest')).toEqual([expect.objectContaining({ headSha: 'pushed-by-eve' })]);
    });
  });

  it.each<[what: string, move: (change: ChangeFixture) => void, message: string]>([
    ['new commits', (change) => void change.push('pushed-by-eve'), 'Review pushed-by-eve, then approve it.'],
    [
      'another base',
      (change) => void (change.pullRequest = { ...change.pullRequest, baseBranch: 'hotfix' }),
      'merges into "hotfix" now, not into "main". Review it, then approve it.',
    ],
  ])('asks everyone who approved before %s again', async (_, move, message) => {
    const [implement, approve, merge] = changeAgentWorkflow.steps.filter(({ name }) =>
      ['implement', 'approve-change', 'merge'].includes(name),
    );
    const steps = [implement!, approve!, { ...approve!, name: 'approve-again' }, merge!];
    const change = new ChangeFixture({ steps });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      const approveStep = async (step: string): Promise<void> => {
        await eventually(() => change.phase(step)).toBe('Waiting');
        const { headSha } = change.pullRequest;
        await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { step, headSha }) });
      };
      await approveStep('approve-change');
      await eventually(() => change.phase('approve-again')).toBe('Waiting');
      move(change);
      await expect(approveStep('approve-again')).rejects.toMatchObject(conflict('unreviewed-commits', message));
      expect(change.step('approve-change').phase).toBe('Pending');
      expect(change.step('approve-change')).not.toHaveProperty('decision');
      expect(harness.callInputs('recordCommitters')).toHaveLength(2);
      await approveStep('approve-again');
      await approveStep('approve-change');
      await handle.result();
      const { headSha, baseBranch } = change.pullRequest;
      expect(harness.callInputs('mergePullRequest')).toEqual([expect.objectContaining({ headSha, baseBranch })]);
    });
  });

  it('refuses the approval of a pull request of whose closing it was not told', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      change.pullRequest = { ...change.pullRequest, state: 'closed', isMerged: false };
      await expect(handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) })).rejects.toMatchObject(
        conflict('pull-request-closed', 'Pull request #8 was closed without a merge.'),
      );
      await handle.result();
      expect(change.step('approve-change')).toMatchObject({
        phase: 'Failed',
        failure: { reason: 'pull-request-closed' },
      });
    });
  });

  it('shows the pull request of the commits that the run made after a person merged its earlier one', async () => {
    const change = new ChangeFixture();
    const markPullRequestReady = async () =>
      (change.pullRequest = { ...change.pullRequest, number: 9, url: 'pulls/9' });
    await withWorkflowHarness({ ...change.activities, markPullRequestReady }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const { headSha } = change.pullRequest;
      expect(change.status.pullRequest).toEqual({ number: 9, url: 'pulls/9', headSha });
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { headSha }) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
    });
  });

  it('accepts one of two concurrent decisions', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const results = await Promise.allSettled([
        handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) }),
        handle.executeUpdate(rejectStepUpdate, { args: buildDecision(change, { by: 'eve' }) }),
      ]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      await handle.result();
      const { decision } = change.step('approve-change');
      expect(decision?.outcome).toBe(change.phase() === 'Succeeded' ? 'approved' : 'rejected');
    });
  });

  it('fails a rejected Change with the person and the note, and closes its pull request', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(rejectStepUpdate, { args: buildDecision(change, { note: 'No greetings.' }) });
      await handle.result();
      expect(change.status).toMatchObject({
        phase: 'Failed',
        failure: { message: 'bob rejected it: No greetings.', fix: expect.any(String) },
      });
      expect(change.step('approve-change')).toMatchObject({
        phase: 'Rejected',
        decision: { by: 'bob', outcome: 'rejected', note: 'No greetings.' },
      });
      expect(change.pullRequest.state).toBe('closed');
      expect(harness.calledActivities()).not.toContain('mergePullRequest');
    });
  });

  it('rejects no head other than the one that the run shows', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const headSha = change.status.pullRequest?.headSha ?? '';
      const reject = async (head: string) =>
        await handle.executeUpdate(rejectStepUpdate, { args: buildDecision(change, { headSha: head }) });
      await expect(reject('an-older-head')).rejects.toMatchObject(
        conflict('unreviewed-commits', `the head of pull request #8 is ${headSha}`),
      );
      expect(change.step('approve-change').phase).toBe('Waiting');
      expect(change.pullRequest.state).toBe('open');
      await reject(headSha);
      await handle.result();
      expect(change.step('approve-change').phase).toBe('Rejected');
    });
  });

  it('replays for any order in which the writes of handlers and of the main loop finish', async () => {
    const steps = changeAgentWorkflow.steps.filter(({ name }) =>
      ['implement', 'approve-change', 'merge'].includes(name),
    );
    const changes = new Map<string, ChangeFixture>();
    await withWorkflowHarness(withDelays(changes), async (harness) => {
      const runChange = async (index: number): Promise<void> => {
        const org = `${harness.taskQueue}-${index}`;
        const change = new ChangeFixture({ steps });
        changes.set(org, change);
        const handle = await startChange(harness, buildChangeInput(org));
        await eventually(() => change.phase()).toBe('WaitingForPerson');
        await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
        await handle.result();
      };
      await Promise.all(Array.from({ length: 8 }, async (_, index) => await runChange(index)));
    });
  });

  it('waits for guidance when an agent asks for it, and accepts guidance only for that step', async () => {
    const change = new ChangeFixture({
      turn: (input) =>
        input.turn === 1 && input.step === 'implement'
          ? buildTurnOutcome('needs-guidance', 'Greet in which language?')
          : change.successfulTurn(input),
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('implement').waitingFor).toMatchObject({
        role: 'member',
        message: 'Greet in which language?',
      });
      const guide = async (step: string) =>
        await handle.executeUpdate(guideStepUpdate, { args: [{ run: change.run, step, by: 'bob' }] });
      await expect(guide('review-code')).rejects.toMatchObject(
        conflict('step-not-waiting', 'is Pending, not NeedsGuidance'),
      );
      await guide('implement');
      const at = expect.any(String) as string;
      expect(change.step('implement').guidance).toEqual({ by: 'bob', outcome: 'guided', at });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(harness.callInputs('runAgentTurn').slice(0, 2)).toEqual([
        expect.objectContaining({ step: 'implement', turn: 1, trigger: 'start' }),
        expect.objectContaining({ step: 'implement', turn: 2, trigger: 'guidance' }),
      ]);
    });
  });

  it('asks a person to replace a rejected API key, and continues on a retry', async () => {
    let isKeyRejected = true;
    const change = new ChangeFixture({
      turn: (input) => {
        if (isKeyRejected)
          throw new ServiceError('forbidden', 'The model rejected the key. Set another MODEL_API_KEY.');
        return change.successfulTurn(input);
      },
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('implement').waitingFor?.message).toBe(
        'The model rejected the key. Set another MODEL_API_KEY.',
      );
      isKeyRejected = false;
      await handle.executeUpdate(retryStepUpdate, { args: [{ run: change.run, step: 'implement', by: 'bob' }] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('implement')).toMatchObject({
        phase: 'Succeeded',
        turns: 1,
        guidance: { by: 'bob', outcome: 'retried' },
      });
    });
  });

  it('lets an agent start over instead of continuing its conversation', async () => {
    const change = new ChangeFixture({
      turn: (input) =>
        input.turn === 1 && input.step === 'implement'
          ? buildTurnOutcome('needs-guidance', 'Greet in which language?')
          : change.successfulTurn(input),
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      const decision = { run: change.run, step: 'implement', by: 'bob', startOver: true };
      await handle.executeUpdate(retryStepUpdate, { args: [decision] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(harness.callInputs('runAgentTurn').slice(0, 2)).toEqual([
        expect.objectContaining({ step: 'implement', turn: 1, trigger: 'start' }),
        expect.objectContaining({ step: 'implement', turn: 2, trigger: 'restart' }),
      ]);
      expect(harness.callInputs('verifyDecision')).toEqual([
        { action: 'retryStep', scope: { org: harness.taskQueue, run: change.run }, decision },
      ]);
    });
  });

  it('asks a person when an agent has used all turns of its AgentRole', async () => {
    const reporter = { responsibilities: ['Do it.'], limits: { turns: 2 } };
    const steps = [{ name: 'report', type: 'agent', role: 'reporter', mode: 'report' }] as const;
    const change = new ChangeFixture({
      steps: [...steps],
      roles: { reporter },
      turn: () => ({ done: false, usage: { inputTokens: 1, outputTokens: 1 }, changed: false }),
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await startChange(harness);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('report')).toMatchObject({ turns: 2, verdict: { outcome: 'needs-guidance' } });
      expect(change.step('report').waitingFor?.message).toContain('all of its 2 turns');
    });
  });
});
