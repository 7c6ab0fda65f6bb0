import { expect, it } from 'vitest';
import { defaultRoles } from '../../../src/rules/agents/default-workflows.ts';
import { type ResolveConflictsInput, resolveConflictsStart } from '../../../workflows/changes/messages.ts';
import { ChangeFixture, buildTurnOutcome } from '../../support/workflows/change-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';

async function resolve({ start, taskQueue: org }: WorkflowHarness, more: Partial<ResolveConflictsInput> = {}) {
  const role = defaultRoles['conflict-resolver']!;
  const run = { org, product: 'hello', run: 'change-hello-7-1a2b3c4d', step: 'resolve-conflicts', role, round: 1 };
  const input = { ...run, previousTurns: 2, hasGuidance: false, reviewedSha: 'head-1', ...more };
  return await (await start(resolveConflictsStart(input))).result();
}

describeWithTemporal('resolveConflicts', () => {
  it('returns the merged head without a turn when git merges the base', async () => {
    const mergeBaseBranch = async () =>
      ({ outcome: 'merged', headSha: 'with-base', hasUnreviewedCommits: true }) as const;
    await withWorkflowHarness({ mergeBaseBranch }, async (harness) => {
      expect(await resolve(harness)).toMatchObject({
        headSha: 'with-base',
        resolvedByAgent: false,
        hasUnreviewedCommits: true,
        turns: 2,
      });
      expect(harness.callInputs('mergeBaseBranch')).toMatchObject([{ reviewedSha: 'head-1' }]);
      expect(harness.calledActivities()).toEqual(['mergeBaseBranch']);
    });
  });

  it.each([
    ['done', false, 'conflicts', 'resolved'],
    ['needs-guidance', true, 'guidance', undefined],
  ] as const)('returns the agent’s verdict %s for a conflict', async (outcome, hasGuidance, trigger, headSha) => {
    const mergeBaseBranch = async () => ({ outcome: 'conflicts' as const, headSha: 'head-1', files: ['server.js'] });
    const { activities } = new ChangeFixture({ turn: () => ({ ...buildTurnOutcome(outcome), headSha: 'resolved' }) });
    await withWorkflowHarness({ ...activities, mergeBaseBranch }, async (harness) => {
      const result = await resolve(harness, { hasGuidance });
      expect(result).toMatchObject({ resolvedByAgent: true, turns: 3, verdict: { outcome } });
      expect(result.headSha).toBe(headSha);
      expect(harness.callInputs('runAgentTurn')).toMatchObject([{ turn: 3, trigger }]);
    });
  });
});
