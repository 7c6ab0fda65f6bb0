import { condition, patched, proxyActivities, setHandler } from '@temporalio/workflow';
import type { PullRequestFacts } from '../../activities/changes/change-activities.ts';
import type { Activities } from '../../activities/index.ts';
import type { DecisionProof } from '../../src/rules/access/decisions.ts';
import type { StepPatch } from '../../src/rules/changes/run-patch.ts';
import { externalApiOptions } from '../activity-options.ts';
import { conflictFailure } from '../failures.ts';
import { toRecordedProof } from '../decision-guard.ts';
import { timestamp } from '../timestamp.ts';
import {
  type StepDecision,
  type StepRef,
  approveStepUpdate,
  guideStepUpdate,
  pullRequestClosedSignal,
  rejectStepUpdate,
} from './messages.ts';
import type { RunState } from './run-state.ts';
import { showPull } from './pull-request.ts';
import { recordClosure } from './record-closure.ts';

const { markPullRequestReady, readPullRequest } = proxyActivities<Activities>(externalApiOptions);

/** Registers the updates by which people decide on steps; each returns once its decision is in the store. */
export function registerHumanStepHandlers(getState: () => RunState | undefined): void {
  const getStateInPhase = (
    phase: 'Waiting' | 'NeedsGuidance',
    { run, step }: { run: string; step: string },
  ): RunState => {
    const state = getState();
    if (state?.ref.run !== run)
      throw conflictFailure('run-not-active', `The run "${run}" is not in progress. Start a new run.`);
    const status = state.getStep(step);
    if (status.phase !== phase)
      throw conflictFailure('step-not-waiting', `The step "${step}" of run "${run}" is ${status.phase}, not ${phase}.`);
    return state;
  };
  const assertWaiting = (decision: StepDecision, _proof?: DecisionProof): void =>
    void getStateInPhase('Waiting', decision);

  setHandler(
    approveStepUpdate,
    async (decision, proof) => {
      await getStateInPhase('Waiting', decision).assertAuthentic('approveStep', decision, proof);
      const headSha = await verifyHead(getStateInPhase('Waiting', decision), decision);
      const { by, role, note, step } = decision;
      await getStateInPhase('Waiting', decision).recordStep(step, {
        phase: 'Succeeded',
        decision: {
          by,
          role,
          outcome: 'approved',
          at: timestamp(),
          ...(note ? { note } : {}),
          ...(headSha ? { headSha } : {}),
          ...toRecordedProof(proof),
        },
        waitingFor: null,
        finishedAt: timestamp(),
      });
    },
    { validator: assertWaiting },
  );

  setHandler(
    rejectStepUpdate,
    async (decision, proof) => {
      const { by, role, note, step } = decision;
      await getStateInPhase('Waiting', decision).assertAuthentic('rejectStep', decision, proof);
      const state = getStateInPhase('Waiting', decision);
      await state.recordStep(step, {
        phase: 'Rejected',
        decision: {
          by,
          role,
          outcome: 'rejected',
          at: timestamp(),
          ...(note ? { note } : {}),
          ...toRecordedProof(proof),
        },
        failure: state.toFailure(step, {
          reason: 'rejected',
          message: `${by} rejected it${note ? `: ${note}` : '.'}`,
          fix: 'Change the issue and start a new run.',
        }),
        waitingFor: null,
        finishedAt: timestamp(),
      });
    },
    {
      validator: (decision: StepDecision, _proof?: DecisionProof) => {
        const shown = getStateInPhase('Waiting', decision).status.pullRequest;
        if (shown) assertNamesHead(decision, shown);
      },
    },
  );

  setHandler(
    guideStepUpdate,
    async (ref, proof) => {
      await getStateInPhase('NeedsGuidance', ref).assertAuthentic('guideStep', ref, proof);
      const state = getStateInPhase('NeedsGuidance', ref);
      state.guidedSteps.add(ref.step);
      const guidedBy = [...new Set([...(state.status.guidedBy ?? []), ref.by])];
      const guidance = { by: ref.by, outcome: 'guided', at: timestamp() } as const;
      await state.record({ guidedBy, steps: [{ name: ref.step, phase: 'Running', waitingFor: null, guidance }] });
    },
    { validator: (ref: StepRef, _proof?: DecisionProof) => void getStateInPhase('NeedsGuidance', ref) },
  );

  setHandler(pullRequestClosedSignal, ({ run }) => {
    const state = getState();
    if (state?.ref.run === run && state.status.pullRequest && patched('closed-pull-requests')) state.closures += 1;
  });
}

/** An approval is for one exact difference: the code host must have the head and the base that the run shows. */
async function verifyHead(state: RunState, decision: StepDecision): Promise<string | undefined> {
  if (!state.status.pullRequest) return undefined;
  const current = await readPullRequest(state.ref);
  const { number, headSha, baseBranch } = current;
  if (current.isMerged === false && current.state === 'closed' && patched('closed-pull-requests')) {
    state.closures += 1;
    throw conflictFailure(
      'pull-request-closed',
      `Pull request #${number} was closed without a merge. Reopen it on the code host, then retry the step.`,
    );
  }
  // Another decision may have shown a newer head meanwhile.
  const { pullRequest: shown = current, baseBranch: shownBase = baseBranch } = state.status;
  if (headSha !== shown.headSha) {
    const outdated = listHeadApprovals(state);
    const steps = outdated.length > 0 && patched('outdated-approvals') ? { steps: outdated } : {};
    await state.record({ ...showPull(current), ...steps });
    throw conflictFailure(
      'unreviewed-commits',
      `Pull request #${number} has new commits that "${decision.step}" did not show. Review ${headSha}, then approve it.`,
    );
  }
  if (baseBranch !== undefined && baseBranch !== shownBase) {
    await state.record({ ...showPull(current), steps: listHeadApprovals(state) });
    throw conflictFailure(
      'unreviewed-commits',
      `Pull request #${number} merges into "${baseBranch}" now, not into "${shownBase}". Review it, then approve it.`,
    );
  }
  assertNamesHead(decision, current);
  return headSha;
}

/** Shows another pull request, or another base. What people approved for the earlier one they have to approve again. */
async function recordPull(state: RunState, pull: PullRequestFacts): Promise<void> {
  const { baseBranch } = pull;
  const { baseBranch: shown, pullRequest } = state.status;
  // A person has merged the one that is shown, and the commits since then have one of their own.
  if (pull.number !== pullRequest?.number && patched('closed-pull-requests'))
    return await state.record({ ...showPull(pull), steps: listHeadApprovals(state) });
  if (baseBranch === undefined || baseBranch === shown) return;
  await state.record({ baseBranch, ...(shown === undefined ? {} : { steps: listHeadApprovals(state) }) });
}

/** Lists the patches that ask again for the approvals of a head. An approval before the first commit is for no head. */
const listHeadApprovals = ({ steps, status }: RunState): StepPatch[] =>
  status.steps
    .filter(({ name, phase, decision }) => {
      const isHuman = steps.some((step) => step.name === name && step.type === 'human');
      return isHuman && phase === 'Succeeded' && decision?.headSha !== undefined;
    })
    .map(({ name }) => ({ name, phase: 'Pending', decision: null }));

function assertNamesHead({ headSha }: StepDecision, current: { number: number; headSha: string }): void {
  if (headSha === undefined || headSha === current.headSha) return;
  throw conflictFailure(
    'unreviewed-commits',
    `You reviewed ${headSha}, but the head of pull request #${current.number} is ${current.headSha}. Review it, then decide.`,
  );
}

/** Waits until a person has approved or rejected the Change. */
export async function runHumanStep(state: RunState, step: string): Promise<void> {
  let seenClosures = state.closures;
  // The code host does not merge drafts, so the pull request leaves the draft state before a person can approve it.
  let pull = state.status.pullRequest && (await markPullRequestReady(state.ref));
  if (pull) await recordPull(state, pull);
  await state.recordCommitters();
  const waitingFor = { role: 'member', since: timestamp(), message: 'approve or reject the Change' };
  await state.recordStep(step, {
    phase: 'Waiting',
    startedAt: timestamp(),
    waitingFor,
    failure: null,
    finishedAt: null,
  });
  const isDecided = (): boolean => state.getStep(step).phase !== 'Waiting';
  for (;;) {
    if (pull) await recordClosure(state, step, pull);
    await condition(() => isDecided() || state.closures > seenClosures);
    if (isDecided()) return;
    seenClosures = state.closures;
    pull = await readPullRequest(state.ref);
  }
}

/** Marks a step as waiting for guidance, and returns once a person has given it. */
export async function waitForGuidance(state: RunState, step: string, message: string): Promise<void> {
  state.guidedSteps.delete(step);
  const waitingFor = { role: 'member', since: timestamp(), message };
  await state.recordStep(step, { phase: 'NeedsGuidance', waitingFor, guidance: null });
  await condition(() => state.guidedSteps.has(step));
}
