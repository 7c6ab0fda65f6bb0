import type { StepSpec } from '../agents/kinds.ts';
import type { Release, ReleaseZone, Screenshot, ZonePhase } from '../releases/kinds.ts';
import { defined } from '../../defined.ts';
import type { AgentWorkflowRun, StepPhase, StepStatus } from './kinds.ts';
import { findTargetPullRequest } from './run-names.ts';

/** Green is done, blue is in progress, amber waits for a person, red has failed, grey has not started. */
type StageColour = 'green' | 'blue' | 'amber' | 'red' | 'grey';
export type ProgressStage = {
  stage: 'issue' | 'review' | 'pull-request' | 'approval' | 'merged' | 'release' | 'zone';
  label: string;
  colour: StageColour;
  detail?: string;
  url?: string;
  zone?: string;
  screenshot?: Screenshot;
};

/** Shows the progress of a Change from its issue to production. Before the Release exists, `zones` names its future zones. */
export function toProgressStages(
  run: AgentWorkflowRun,
  release?: Release,
  zones: readonly string[] = [],
): ProgressStage[] {
  const has = (test: (step: StepSpec) => boolean): boolean => run.spec.steps.some(test);
  const stages = [originStage(run)];
  if (has((step) => step.type === 'agent')) stages.push(reviewStage(run));
  if (has((step) => step.type === 'agent' && step.mode === 'change') || hasTargetPullRequest(run))
    stages.push(pullRequestStage(run));
  if (has((step) => step.type === 'human')) stages.push(approvalStage(run));
  if (!has((step) => step.type === 'merge')) return stages;
  return [...stages, mergeStage(run), releaseStage(release), ...zoneStages(release, zones)];
}

function originStage({ spec, status }: AgentWorkflowRun): ProgressStage {
  const kind = hasTargetPullRequest({ spec }) ? 'Pull request' : 'Issue';
  const withoutRelease = spec.instructions ? 'Instructions' : 'Schedule';
  const withoutTarget = spec.release ? `Release ${spec.release.version}` : withoutRelease;
  const label = spec.target ? `${kind} #${spec.target.number}` : withoutTarget;
  const colour = status?.issue || !spec.target ? 'green' : isInProgress(status?.phase) ? 'blue' : 'grey';
  if (!status?.issue) return { stage: 'issue', label, colour };
  return { stage: 'issue', label, colour, detail: status.issue.title, url: status.issue.url };
}

const hasTargetPullRequest = ({ spec }: Pick<AgentWorkflowRun, 'spec'>): boolean =>
  findTargetPullRequest(spec.target) !== undefined;

const isInProgress = (phase: string | undefined): boolean => phase === 'Pending' || phase === 'Running';

/** Covers all agent steps; a conditional step counts only while it is active or has failed. */
function reviewStage(run: AgentWorkflowRun): ProgressStage {
  const label = 'AgentRoles review';
  const steps = listSteps(run, (step) => step.type === 'agent');
  const unconditional = listSteps(run, (step) => step.type === 'agent' && !step.when);
  const urgent = findMostUrgent(steps);
  if (urgent) return { stage: 'review', label, ...urgent };
  const finished = unconditional.filter(isDone);
  if (unconditional.length > 0 && finished.length === unconditional.length)
    return { stage: 'review', label, colour: 'green' };
  const isStarted = finished.length > 0 && isInProgress(run.status?.phase);
  return { stage: 'review', label, colour: isStarted ? 'blue' : 'grey' };
}

function pullRequestStage({ status }: AgentWorkflowRun): ProgressStage {
  const pull = status?.pullRequest;
  if (!pull) return { stage: 'pull-request', label: 'Pull request', colour: 'grey' };
  return { stage: 'pull-request', label: `Pull request #${pull.number}`, colour: 'green', url: pull.url };
}

function approvalStage(run: AgentWorkflowRun): ProgressStage {
  const label = 'Your approval';
  const steps = listSteps(run, (step) => step.type === 'human');
  const urgent = findMostUrgent(steps);
  if (urgent) return { stage: 'approval', label, ...urgent };
  const approver = steps.findLast((step) => step.decision)?.decision?.by;
  const colour = steps.length > 0 && steps.every(isDone) ? 'green' : 'grey';
  return defined({ stage: 'approval', label, colour, detail: approver && `Approved by ${approver}` });
}

function mergeStage(run: AgentWorkflowRun): ProgressStage {
  if (run.status?.mergeCommit)
    return { stage: 'merged', label: 'Merged', colour: 'green', detail: run.status.mergeCommit };
  const urgent = findMostUrgent(listSteps(run, (step) => step.type === 'merge'));
  return { stage: 'merged', label: 'Merged', ...(urgent ?? { colour: 'grey' }) };
}

/** Covers the build and the tag; each zone has its own stage. */
function releaseStage(release: Release | undefined): ProgressStage {
  if (!release) return { stage: 'release', label: 'Release', colour: 'grey' };
  const { phase = 'Building', taggedAt, failure, url } = release.status ?? {};
  const label = `Release ${release.spec.version}`;
  if (taggedAt) return defined({ stage: 'release', label, colour: 'green', url });
  if (phase === 'Failed') return defined({ stage: 'release', label, colour: 'red', detail: failure?.message });
  if (phase === 'Superseded' || phase === 'Cancelled')
    return { stage: 'release', label, colour: 'grey', detail: phase };
  return { stage: 'release', label, colour: 'blue', detail: phase };
}

function zoneStages(release: Release | undefined, names: readonly string[]): ProgressStage[] {
  if (release?.status) return release.status.zones.map(zoneStage);
  return names.map((zone) => ({ stage: 'zone', label: zone, zone, colour: 'grey' }));
}

const zoneColours: Record<ZonePhase, StageColour> = {
  Pending: 'grey',
  WaitingForApproval: 'amber',
  Promoting: 'blue',
  Deploying: 'blue',
  Healthy: 'blue',
  Verifying: 'blue',
  Verified: 'green',
  Failed: 'red',
  Rejected: 'red',
  Superseded: 'grey',
  Cancelled: 'grey',
};

function zoneStage({ name, phase, failure, address, screenshot }: ReleaseZone): ProgressStage {
  const detail = failure ? `${phase}: ${failure.message}` : phase;
  return defined({
    stage: 'zone',
    label: name,
    zone: name,
    colour: zoneColours[phase],
    detail,
    url: address,
    screenshot,
  });
}

function listSteps(run: AgentWorkflowRun, test: (step: StepSpec) => boolean): StepStatus[] {
  const names = new Set(run.spec.steps.filter(test).map((step) => step.name));
  return (run.status?.steps ?? []).filter((step) => names.has(step.name));
}

const isDone = ({ phase }: StepStatus): boolean => phase === 'Succeeded' || phase === 'Skipped';

const urgentColours: Partial<Record<StepPhase, StageColour>> = {
  Failed: 'red',
  Rejected: 'red',
  NeedsGuidance: 'amber',
  Waiting: 'amber',
  Running: 'blue',
};

/** A merge that is running may wait for people too: for a review on the code host, for example. */
const toUrgentColour = ({ phase, waitingFor }: StepStatus): StageColour | undefined =>
  phase === 'Running' && waitingFor?.role === 'member' ? 'amber' : urgentColours[phase];

/** Describes the most urgent step: a failed one before a waiting one before a running one. */
function findMostUrgent(steps: readonly StepStatus[]): { colour: StageColour; detail: string } | undefined {
  for (const colour of ['red', 'amber', 'blue'] as const) {
    const step = steps.find((candidate) => toUrgentColour(candidate) === colour);
    if (step) return { colour, detail: `${step.name}: ${describeStep(step)}` };
  }
  return undefined;
}

const describeStep = ({ failure, waitingFor, retrying, phase }: StepStatus): string =>
  failure?.message ??
  waitingFor?.message ??
  (retrying
    ? `Retrying after ${retrying.attempt} attempt${retrying.attempt === 1 ? '' : 's'}: ${retrying.message}`
    : phase);
