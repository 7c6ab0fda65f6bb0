import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { catalogAgentWorkflows } from '../../../src/rules/agents/catalog.ts';
import { retryStep } from '../../../workflows/changes/messages.ts';
import { AChange, changeInput, ended, startChange } from '../../support/a-change.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const { steps } = catalogAgentWorkflows['issue-hydration'];
const post = { to: 'acme/hello#7', url: 'http://host/issues/7#1' };

describeWithTemporal('a step that delivers', () => {
  it('ends once its draft is where it belongs', async () => {
    const change = new AChange({ steps, turn: () => ended('done') });
    const deliverDraft = async () => {
      expect(change.step('hydrate')).toMatchObject({ phase: 'Running', verdict: { outcome: 'done' } });
      return [post];
    };
    await onTemporal({ ...change.activities, deliverDraft }, async (world) => {
      await (await startChange(world)).result();
      expect(change.step('hydrate')).toMatchObject({ phase: 'Succeeded', posts: [post] });
      expect(change.phase()).toBe('Succeeded');
      expect(world.calls('deliverDraft')).toEqual([{ org: world.taskQueue, run: change.run, step: 'hydrate' }]);
    });
  });

  it('is delivered at the second try without asking the agent again', async () => {
    const change = new AChange({ steps, turn: () => ended('done') });
    let isLocked = true;
    const deliverDraft = async () => {
      if (isLocked) throw new ServiceError('conflict', 'The issue is locked.');
      return [post];
    };
    await onTemporal({ ...change.activities, deliverDraft }, async (world) => {
      await (await startChange(world)).result();
      expect(change.step('hydrate')).toMatchObject({ phase: 'Failed', failure: { reason: 'The issue is locked.' } });
      isLocked = false;
      const retry = { run: change.run, retry: 'hydrate', by: 'bob' };
      const again = await startChange(world, { ...changeInput(world.taskQueue), resume: retry });
      await again.executeUpdate(retryStep, { args: [{ run: change.run, step: 'hydrate', by: 'bob' }] });
      await eventually(() => change.phase()).toBe('Succeeded');
      expect(change.step('hydrate')).toMatchObject({ posts: [post], verdict: { outcome: 'done' }, turns: 1 });
      expect(world.calls('agentTurn')).toHaveLength(1);
    });
  });

  it('delivers nothing while it needs a person', async () => {
    const change = new AChange({ steps, turn: () => ended('needs-guidance', 'Which page?') });
    await onTemporal(change.activities, async (world) => {
      await startChange(world);
      await eventually(() => change.phase('hydrate')).toBe('NeedsGuidance');
      expect(world.called()).not.toContain('deliverDraft');
    });
  });
});
