import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/catalog.ts';
import { ServiceError } from '../../../src/errors.ts';
import { approveStep, guideStep, progress, rejectStep, retryStep } from '../../../workflows/changes/messages.ts';
import { AChange, changeInput, decisionOn, ended, startChange } from '../../support/a-change.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const conflict = (message: string) => ({ cause: { type: 'conflict', message: expect.stringContaining(message) } });

/** The activities of several Changes, each in its org, taking up to a few milliseconds as real ones do. */
function slowly(changes: Map<string, AChange>): Partial<Activities> {
  const names = Object.keys(new AChange().activities) as (keyof Activities)[];
  const entries = names.map((name) => {
    const activity = async (input: { org: string }): Promise<unknown> => {
      await setTimeout(Math.random() * 4);
      return await (changes.get(input.org)!.activities[name] as typeof activity)(input);
    };
    return [name, activity] as const;
  });
  return Object.fromEntries(entries) as Partial<Activities>;
}

describeWithTemporal('listenToPeople', () => {
  it('refuses to approve a head that the run did not show, and shows it', async () => {
    const change = new AChange();
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      change.push('pushed-by-eve');
      const approve = async (headSha: string) =>
        await handle.executeUpdate(approveStep, { args: decisionOn(change, { headSha }) });
      await expect(approve('head-1')).rejects.toMatchObject(conflict('Look at pushed-by-eve and approve that.'));
      expect(change.status.pullRequest?.headSha).toBe('pushed-by-eve');
      expect(change.step('approve-change').phase).toBe('Waiting');

      await expect(approve('head-1')).rejects.toMatchObject(conflict('You approved head-1'));
      await approve('pushed-by-eve');
      await handle.result();
      expect(world.calls('mergePullRequest')).toEqual([expect.objectContaining({ headSha: 'pushed-by-eve' })]);
    });
  });

  it('takes one of two decisions at once', async () => {
    const change = new AChange();
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const answers = await Promise.allSettled([
        handle.executeUpdate(approveStep, { args: decisionOn(change) }),
        handle.executeUpdate(rejectStep, { args: decisionOn(change, { by: 'eve' }) }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      await handle.result();
      const { decision } = change.step('approve-change');
      expect(decision?.outcome).toBe(change.phase() === 'Succeeded' ? 'approved' : 'rejected');
    });
  });

  it('ends a rejected Change as Failed, says who and why, and closes the pull request', async () => {
    const change = new AChange();
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(rejectStep, { args: decisionOn(change, { note: 'We greet nobody.' }) });
      await handle.result();
      expect(change.status).toMatchObject({
        phase: 'Failed',
        failure: { reason: 'bob rejected it: We greet nobody.', fix: expect.any(String) },
      });
      expect(change.step('approve-change')).toMatchObject({
        phase: 'Rejected',
        decision: { by: 'bob', outcome: 'rejected', note: 'We greet nobody.' },
      });
      expect(change.pull.state).toBe('closed');
      expect(world.called()).not.toContain('mergePullRequest');
    });
  });

  it('asks a person after three rounds of review, and goes on with their guidance', async () => {
    const change = new AChange({
      turn: (input) =>
        input.step === 'review-code' && input.turn <= 4 ? ended('changes-requested', 'No.') : change.goodTurn(input),
    });
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('implement')).toMatchObject({
        phase: 'NeedsGuidance',
        turns: 4,
        rounds: 3,
        waitingFor: { role: 'member', what: 'review-code: No.' },
      });
      expect(await handle.query(progress)).toMatchObject({ phase: 'NeedsGuidance', waitingFor: 'member' });

      await handle.executeUpdate(guideStep, { args: [{ run: change.run, step: 'implement', by: 'bob' }] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const turns = world.calls('agentTurn').filter(({ step }) => step === 'implement');
      expect(turns.map(({ opening }) => opening)).toEqual([
        'start',
        ...Array.from({ length: 3 }, () => 'changes-requested'),
        'guidance',
      ]);
      expect(change.step('implement')).toMatchObject({ phase: 'Succeeded', rounds: 0, turns: 5 });
    });
  });

  it('replays, in whatever order the writes of people and of runs end on a busy worker', async () => {
    const steps = changeAgentWorkflow.steps.filter(({ name }) =>
      ['implement', 'approve-change', 'merge'].includes(name),
    );
    const changes = new Map<string, AChange>();
    await onTemporal(slowly(changes), async (world) => {
      const takeOne = async (index: number): Promise<void> => {
        const org = `${world.taskQueue}-${index}`;
        const change = new AChange({ steps });
        changes.set(org, change);
        const handle = await startChange(world, changeInput(org));
        await eventually(() => change.phase()).toBe('WaitingForPerson');
        await handle.executeUpdate(approveStep, { args: decisionOn(change) });
        await handle.result();
      };
      await Promise.all(Array.from({ length: 8 }, async (_, index) => await takeOne(index)));
    });
  });

  it('waits where an agent does not know how to go on, and takes guidance only there', async () => {
    const change = new AChange({
      turn: (input) =>
        input.turn === 1 && input.step === 'implement'
          ? ended('needs-guidance', 'Greet in which language?')
          : change.goodTurn(input),
    });
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('implement').waitingFor).toMatchObject({ role: 'member', what: 'Greet in which language?' });
      const guide = async (step: string) =>
        await handle.executeUpdate(guideStep, { args: [{ run: change.run, step, by: 'bob' }] });
      await expect(guide('review-code')).rejects.toMatchObject(conflict('is Pending, not NeedsGuidance'));
      await guide('implement');
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(world.calls('agentTurn').slice(0, 2)).toEqual([
        expect.objectContaining({ step: 'implement', turn: 1, opening: 'start' }),
        expect.objectContaining({ step: 'implement', turn: 2, opening: 'guidance' }),
      ]);
    });
  });

  it('leaves a refused key to a person, and goes on from there when told to try again', async () => {
    let isRefused = true;
    const change = new AChange({
      turn: (input) => {
        if (isRefused) throw new ServiceError('forbidden', 'The model refused the key. Set another MODEL_API_KEY.');
        return change.goodTurn(input);
      },
    });
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('implement').waitingFor?.what).toBe('The model refused the key. Set another MODEL_API_KEY.');
      isRefused = false;
      await handle.executeUpdate(retryStep, { args: [{ run: change.run, step: 'implement', by: 'bob' }] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('implement')).toMatchObject({ phase: 'Succeeded', turns: 1 });
    });
  });

  it('asks a person when an agent has taken all the turns of its AgentRole', async () => {
    const limits = { responsibilities: ['Do it.'], limits: { turns: 2 } };
    const steps = [{ name: 'report', type: 'agent', role: 'reporter', mode: 'report' }] as const;
    const change = new AChange({
      steps: [...steps],
      roles: { reporter: limits },
      turn: () => ({ done: false, usage: { inputTokens: 1, outputTokens: 1 }, changed: false }),
    });
    await onTemporal(change.activities, async (world) => {
      await startChange(world);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('report')).toMatchObject({ turns: 2, verdict: { outcome: 'needs-guidance' } });
      expect(change.step('report').waitingFor?.what).toContain('all of its 2 turns');
    });
  });
});
