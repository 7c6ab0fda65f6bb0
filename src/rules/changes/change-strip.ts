import type { StepSpec } from '../agents/kinds.ts';
import type { Release, ReleaseZone, ZonePhase } from '../releases/kinds.ts';
import type { AgentWorkflowRun, StepPhase, StepStatus } from './kinds.ts';
import { givenPullRequest } from './run-names.ts';

/** Done, working, waiting on a person, failed, not started. */
type StripColour = 'green' | 'blue' | 'amber' | 'red' | 'grey';
export type StripStage = {
  stage: 'issue' | 'review' | 'pull-request' | 'approval' | 'merged' | 'release' | 'zone';
  label: string;
  colour: StripColour;
  detail?: string;
  url?: string;
  zone?: string;
};

/** How far a Change has come, from its issue to production; `zones` names those a Release will go to once there is one. */
export function changeStrip(run: AgentWorkflowRun, release?: Release, zones: readonly string[] = []): StripStage[] {
  const has = (test: (step: StepSpec) => boolean): boolean => run.spec.steps.some(test);
  const strip = [origin(run)];
  if (has((step) => step.type === 'agent')) strip.push(review(run));
  if (has((step) => step.type === 'agent' && step.mode === 'change') || isGiven(run)) strip.push(pullRequest(run));
  if (has((step) => step.type === 'human')) strip.push(approval(run));
  if (!has((step) => step.type === 'merge')) return strip;
  return [...strip, merged(run), released(release), ...zoneStages(release, zones)];
}

function origin({ spec, status }: AgentWorkflowRun): StripStage {
  const kind = isGiven({ spec }) ? 'Pull request' : 'Issue';
  const typed = spec.instructions ? 'Instructions' : 'Schedule';
  const started = spec.release ? `Release ${spec.release.version}` : typed;
  const label = spec.target ? `${kind} #${spec.target.number}` : started;
  const colour = status?.issue || !spec.target ? 'green' : stillGoing(status?.phase) ? 'blue' : 'grey';
  if (!status?.issue) return { stage: 'issue', label, colour };
  return { stage: 'issue', label, colour, detail: status.issue.title, url: status.issue.url };
}

const isGiven = ({ spec }: Pick<AgentWorkflowRun, 'spec'>): boolean => givenPullRequest(spec.target) !== undefined;

const stillGoing = (phase: string | undefined): boolean => phase === 'Pending' || phase === 'Running';

/** All the work of agents; a conditional step counts only once it has something to say. */
function review(run: AgentWorkflowRun): StripStage {
  const label = 'AgentRoles review';
  const steps = stepsOf(run, (step) => step.type === 'agent');
  const usual = stepsOf(run, (step) => step.type === 'agent' && !step.when);
  const worst = speaking(steps);
  if (worst) return { stage: 'review', label, ...worst };
  const finished = usual.filter(isDone);
  if (usual.length > 0 && finished.length === usual.length) return { stage: 'review', label, colour: 'green' };
  const begun = finished.length > 0 && stillGoing(run.status?.phase);
  return { stage: 'review', label, colour: begun ? 'blue' : 'grey' };
}

function pullRequest({ status }: AgentWorkflowRun): StripStage {
  const pull = status?.pullRequest;
  if (!pull) return { stage: 'pull-request', label: 'Pull request', colour: 'grey' };
  return { stage: 'pull-request', label: `Pull request #${pull.number}`, colour: 'green', url: pull.url };
}

function approval(run: AgentWorkflowRun): StripStage {
  const label = 'Your approval';
  const steps = stepsOf(run, (step) => step.type === 'human');
  const worst = speaking(steps);
  if (worst) return { stage: 'approval', label, ...worst };
  const by = steps.findLast((step) => step.decision)?.decision?.by;
  const colour = steps.length > 0 && steps.every(isDone) ? 'green' : 'grey';
  return { stage: 'approval', label, colour, ...(by && { detail: `Approved by ${by}` }) };
}

function merged(run: AgentWorkflowRun): StripStage {
  if (run.status?.mergeCommit)
    return { stage: 'merged', label: 'Merged', colour: 'green', detail: run.status.mergeCommit };
  const worst = speaking(stepsOf(run, (step) => step.type === 'merge'));
  return { stage: 'merged', label: 'Merged', ...(worst ?? { colour: 'grey' }) };
}

/** Build and tag; what the zones make of it is theirs to show. */
function released(release: Release | undefined): StripStage {
  if (!release) return { stage: 'release', label: 'Release', colour: 'grey' };
  const { phase = 'Building', taggedAt, failure, url } = release.status ?? {};
  const label = `Release ${release.spec.version}`;
  if (taggedAt) return { stage: 'release', label, colour: 'green', ...(url && { url }) };
  if (phase === 'Failed') return { stage: 'release', label, colour: 'red', ...(failure && { detail: failure.reason }) };
  if (phase === 'Superseded' || phase === 'Cancelled')
    return { stage: 'release', label, colour: 'grey', detail: phase };
  return { stage: 'release', label, colour: 'blue', detail: phase };
}

function zoneStages(release: Release | undefined, names: readonly string[]): StripStage[] {
  if (release?.status) return release.status.zones.map(zoneStage);
  return names.map((zone) => ({ stage: 'zone', label: zone, zone, colour: 'grey' }));
}

const zoneColours: Record<ZonePhase, StripColour> = {
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

function zoneStage({ name, phase, failure, address }: ReleaseZone): StripStage {
  const detail = failure ? `${phase}: ${failure.reason}` : phase;
  return {
    stage: 'zone',
    label: name,
    zone: name,
    colour: zoneColours[phase],
    detail,
    ...(address && { url: address }),
  };
}

function stepsOf(run: AgentWorkflowRun, test: (step: StepSpec) => boolean): StepStatus[] {
  const names = new Set(run.spec.steps.filter(test).map((step) => step.name));
  return (run.status?.steps ?? []).filter((step) => names.has(step.name));
}

const isDone = ({ phase }: StepStatus): boolean => phase === 'Succeeded' || phase === 'Skipped';

const speakingColours: Partial<Record<StepPhase, StripColour>> = {
  Failed: 'red',
  Rejected: 'red',
  NeedsGuidance: 'amber',
  Waiting: 'amber',
  Running: 'blue',
};

/** What the most pressing of those steps has to say: failed before waiting before working. */
function speaking(steps: readonly StepStatus[]): { colour: StripColour; detail: string } | undefined {
  for (const colour of ['red', 'amber', 'blue'] as const) {
    const step = steps.find(({ phase }) => speakingColours[phase] === colour);
    if (step) return { colour, detail: `${step.name}: ${step.failure?.reason ?? step.waitingFor?.what ?? step.phase}` };
  }
  return undefined;
}
