import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { createDecisionActivities } from '../../activities/access/decision-activities.ts';
import type { Activities } from '../../activities/index.ts';
import {
  type DecisionJudge,
  decisionViolation,
  readProof,
  type SignedDecision,
  signDecision,
} from '../../src/rules/access/decisions.ts';
import {
  approveStepUpdate,
  cancelRunUpdate,
  rejectStepUpdate,
  runAgentWorkflowStart,
} from '../../workflows/changes/messages.ts';
import {
  approvePromotionUpdate,
  enqueueSignal,
  freezeZoneUpdate,
  promoteManuallyUpdate,
  rejectPromotionUpdate,
  unfreezeZoneUpdate,
} from '../../workflows/environments/messages.ts';
import { trustingJudge } from '../support/trusting-judge.ts';
import { ChangeFixture, buildChangeInput, buildDecision, startChange } from '../support/workflows/change-fixture.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../support/workflows/with-workflow-harness.ts';
import {
  ZoneFixture,
  buildManualPromotion,
  buildPromotionRequest,
  startZoneWorkflow,
} from '../support/workflows/zone-fixture.ts';

const installation = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const now = (): string => new Date().toISOString();
const judge: DecisionJudge = {
  ...trustingJudge,
  judgeNew: async (proof, expected) =>
    decisionViolation(readProof(installation.publicKey, proof), expected, new Date()),
};
const sign = (decision: Omit<SignedDecision, 'at'>, { privateKey } = installation) =>
  signDecision(privateKey, { ...decision, at: now() });
const guarded = (activities: Partial<Activities>, decisions = judge): Partial<Activities> => ({
  ...activities,
  ...createDecisionActivities({ decisions }),
});
const withProof = <T>(decision: T, proof: string | undefined): [T, string?] =>
  proof === undefined ? [decision] : [decision, proof];
const refused = {
  cause: { type: 'decision-refused', message: expect.stringContaining('Decide again through the API.') },
};

describeWithTemporal('decisions about a run', () => {
  const root = { by: 'root@example.com', role: 'org-admin', headSha: 'head-1' };

  it('are refused and recorded when a Temporal client forges them, and nothing is merged', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(guarded(change.activities), async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const [decision] = buildDecision(change, root);
      const scope = { org: harness.taskQueue, run: change.run };
      const forgeries = [
        undefined,
        'not.signed',
        sign({ action: 'approveStep', scope, decision }, stranger),
        // A person's own decisions elsewhere are of no use here.
        sign({ action: 'rejectStep', scope, decision }),
        sign({ action: 'approveStep', scope: { ...scope, org: 'evil' }, decision }),
        sign({ action: 'approveStep', scope: { ...scope, run: 'change-hello-0' }, decision }),
        sign({ action: 'approveStep', scope, decision: { ...decision, by: 'mallory@example.com' } }),
        sign({ action: 'approveStep', scope, decision: { ...decision, headSha: 'head-0' } }),
      ];
      for (const proof of forgeries)
        await expect(
          handle.executeUpdate(approveStepUpdate, { args: withProof(decision, proof) }),
        ).rejects.toMatchObject(refused);
      await expect(handle.executeUpdate(rejectStepUpdate, { args: [decision] })).rejects.toMatchObject(refused);
      const cancellation = { run: change.run, by: root.by };
      await expect(handle.executeUpdate(cancelRunUpdate, { args: [cancellation] })).rejects.toMatchObject(refused);

      expect(change.phase()).toBe('WaitingForPerson');
      expect(change.status.refusedDecision).toMatchObject({ action: 'cancelRun', by: 'root@example.com' });
      expect(harness.calledActivities()).not.toContain('mergePullRequest');

      const proof = sign({ action: 'approveStep', scope, decision });
      await handle.executeUpdate(approveStepUpdate, { args: [decision, proof] });
      await handle.result();
      expect(change.step('approve-change').decision).toMatchObject({ by: 'root@example.com', proof });
    });
  });

  it('are taken from every Temporal client without the check', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(guarded(change.activities, trustingJudge), async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, root) });
      await handle.result();
      expect(harness.calledActivities()).toContain('mergePullRequest');
    });
  });

  it('do not reopen a failed run when a retry is forged', async () => {
    const change = new ChangeFixture();
    const mergePullRequest: Activities['mergePullRequest'] = async () => ({ outcome: 'refused', message: 'No.' });
    const steps = change.activities;
    await withWorkflowHarness(guarded({ ...steps, mergePullRequest }), async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const [decision] = buildDecision(change, root);
      const scope = { org: harness.taskQueue, run: change.run };
      const proof = sign({ action: 'approveStep', scope, decision });
      await handle.executeUpdate(approveStepUpdate, { args: [decision, proof] });
      await handle.result();
      expect(change.phase()).toBe('Failed');
      const retry = { decision: { run: change.run, step: 'merge', by: root.by } };
      const input = { ...buildChangeInput(harness.taskQueue), resume: { run: change.run, retry } };
      const resumed = await harness.start(runAgentWorkflowStart(input));
      await expect(resumed.result()).rejects.toMatchObject({ cause: { type: 'decision-refused' } });
      expect(change.phase()).toBe('Failed');
      expect(harness.callInputs('mergePullRequest')).toHaveLength(1);
    });
  });
});

describeWithTemporal('decisions about a zone', () => {
  const release = 'hello-v0.1.0';
  const decision = { release, by: 'root@example.com', role: 'org-admin' };

  it('are refused and recorded when a Temporal client forges them, and nothing is promoted', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(guarded(zone.activities), async (harness) => {
      const handle = await startZoneWorkflow(harness, 'hello-prod');
      await handle.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      const scope = { org: harness.taskQueue, product: 'hello', zone: 'hello-prod' };
      const elsewhere = sign({ action: 'approvePromotion', scope: { ...scope, zone: 'hello-rc' }, decision });
      const other = sign({ action: 'approvePromotion', scope, decision: { ...decision, release: 'hello-v0.0.9' } });
      for (const proof of [undefined, elsewhere, other])
        await expect(
          handle.executeUpdate(approvePromotionUpdate, { args: withProof(decision, proof) }),
        ).rejects.toMatchObject(refused);
      await expect(handle.executeUpdate(rejectPromotionUpdate, { args: [decision] })).rejects.toMatchObject(refused);
      await expect(
        handle.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] }),
      ).rejects.toMatchObject(refused);
      const freeze = { reason: 'Sale.', by: 'root@example.com', since: now() };
      await expect(handle.executeUpdate(freezeZoneUpdate, { args: [freeze] })).rejects.toMatchObject(refused);

      expect(zone.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      expect(zone.state.refusedDecision).toMatchObject({ action: 'freezeZone', by: 'root@example.com' });
      expect(zone.state.freeze).toBeUndefined();
      expect(harness.calledActivities()).not.toContain('writePromotion');

      const proof = sign({ action: 'approvePromotion', scope, decision });
      await handle.executeUpdate(approvePromotionUpdate, { args: [decision, proof] });
      await eventually(() => zone.phase('v0.1.0', 'hello-prod')).toBe('Verified');
      expect(zone.findReleaseZone('v0.1.0', 'hello-prod')?.decision).toMatchObject({ proof });
    });
  });

  it('are not applied a second time when a person’s own decision is replayed', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(guarded(zone.activities), async (harness) => {
      const handle = await startZoneWorkflow(harness);
      const scope = { org: harness.taskQueue, product: 'hello', zone: 'hello-rc' };
      const freeze = { reason: 'Sale.', by: 'ada@example.com', since: now() };
      const unfreeze = { by: 'ada@example.com' };
      const unfreezeProof = sign({ action: 'unfreezeZone', scope, decision: unfreeze });
      const refreeze = { ...freeze, reason: 'Sale again.' };
      await handle.executeUpdate(freezeZoneUpdate, {
        args: [freeze, sign({ action: 'freezeZone', scope, decision: freeze })],
      });
      await handle.executeUpdate(unfreezeZoneUpdate, { args: [unfreeze, unfreezeProof] });
      await handle.executeUpdate(freezeZoneUpdate, {
        args: [refreeze, sign({ action: 'freezeZone', scope, decision: refreeze })],
      });
      await expect(handle.executeUpdate(unfreezeZoneUpdate, { args: [unfreeze, unfreezeProof] })).rejects.toMatchObject(
        { cause: { message: expect.stringContaining('was already used') } },
      );
      expect(zone.state.freeze).toMatchObject({ reason: 'Sale again.' });
    });
  });
});
