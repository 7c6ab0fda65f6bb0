import { describe, expect, it } from 'vitest';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { toProgressStages } from '../../../src/rules/changes/progress-stages.ts';
import type { AgentWorkflowRun, RunStatus, StepPhase } from '../../../src/rules/changes/kinds.ts';
import { zonePhases, type Release, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';

type Phases = Partial<Record<string, StepPhase>>;

function aRun(phases: Phases, status: Partial<RunStatus> = {}): AgentWorkflowRun {
  const steps = changeAgentWorkflow.steps.map(({ name }) => ({ name, phase: phases[name] ?? ('Pending' as const) }));
  const spec = {
    agentWorkflow: 'change',
    product: 'shop',
    target: { repo: 'acme/shop', number: 7 },
    startedBy: 'jo',
    steps: changeAgentWorkflow.steps,
    roles: {},
  };
  return { spec, status: { phase: 'Running', steps, ...status } } as unknown as AgentWorkflowRun;
}

function aRelease(status: Partial<ReleaseStatus>): Release {
  return { spec: { version: 'v1.2.3' }, status: { phase: 'Promoting', zones: [], ...status } } as unknown as Release;
}

const colours = (...args: Parameters<typeof toProgressStages>): string =>
  toProgressStages(...args)
    .map(({ label, colour }) => `${label}: ${colour}`)
    .join(', ');

const built: Phases = { implement: 'Succeeded', 'review-code': 'Succeeded', 'review-tests': 'Succeeded' };
const issue = { title: 'A button', url: 'http://host/7' };
const pullRequest = { number: 8, url: 'http://host/8', headSha: 'a' };
const screenshot = {
  artifact: 'artifact:shot',
  name: 'shop-rc.png',
  type: 'image/png',
  sizeBytes: 1,
  at: '2026-01-02T03:04:05Z',
};
const zones = ['shop-rc', 'shop-prod'];

it('starts with the pull request of the run', () => {
  const run = aRun({}, { issue, pullRequest });
  const target = { repo: 'acme/shop', number: 8, kind: 'pull-request' as const };
  const steps = run.spec.steps.filter(({ type }) => type === 'human');
  const stages = toProgressStages({ ...run, spec: { ...run.spec, target, steps } });
  expect(stages.map(({ label, colour }) => `${label}: ${colour}`)).toEqual([
    'Pull request #8: green',
    'Pull request #8: green',
    'Your approval: grey',
  ]);
});

it('shows why a step is retried', () => {
  const run = aRun({}, { issue });
  const retrying = { message: 'The model cannot be reached.', attempt: 2, nextAt: '2026-01-01T00:00:00Z' };
  const [implement, ...others] = run.status?.steps ?? [];
  const steps = [{ ...implement!, phase: 'Running' as const, retrying }, ...others];
  const stages = toProgressStages({ ...run, status: { ...run.status!, steps } });
  expect(stages.find(({ stage }) => stage === 'review')?.detail).toBe(
    'implement: Retrying after 2 attempts: The model cannot be reached.',
  );
});

describe('the progress of a Change', () => {
  it.each<[string, AgentWorkflowRun, string]>([
    [
      'starts with the issue',
      aRun({}),
      'Issue #7: blue, AgentRoles review: grey, Pull request: grey, Your approval: grey, Merged: grey, Release: grey',
    ],
    [
      'is blue while agents work',
      aRun({ implement: 'Running' }, { issue }),
      'Issue #7: green, AgentRoles review: blue, Pull request: grey, Your approval: grey, Merged: grey, Release: grey',
    ],
    [
      'turns amber when an agent needs guidance',
      aRun({ ...built, 'review-code': 'NeedsGuidance', 'review-tests': 'Running' }, { issue, pullRequest }),
      'Issue #7: green, AgentRoles review: amber, Pull request #8: green, Your approval: grey, Merged: grey, Release: grey',
    ],
    [
      'is amber while the human step waits',
      aRun({ ...built, 'approve-change': 'Waiting' }, { issue, pullRequest }),
      'Issue #7: green, AgentRoles review: green, Pull request #8: green, Your approval: amber, Merged: grey, Release: grey',
    ],
    [
      'is red when a person rejected',
      aRun({ ...built, 'approve-change': 'Rejected' }, { issue, pullRequest, phase: 'Failed' }),
      'Issue #7: green, AgentRoles review: green, Pull request #8: green, Your approval: red, Merged: grey, Release: grey',
    ],
    [
      'is red when the merge failed',
      aRun({ ...built, 'approve-change': 'Succeeded', merge: 'Failed' }, { issue, pullRequest, phase: 'Failed' }),
      'Issue #7: green, AgentRoles review: green, Pull request #8: green, Your approval: green, Merged: red, Release: grey',
    ],
    [
      'is green when the pull request is merged',
      aRun({ ...built, 'approve-change': 'Succeeded', merge: 'Succeeded' }, { issue, pullRequest, mergeCommit: 'c' }),
      'Issue #7: green, AgentRoles review: green, Pull request #8: green, Your approval: green, Merged: green, Release: grey',
    ],
    [
      'shows no active stage after a cancellation',
      aRun({ implement: 'Succeeded', 'review-code': 'Cancelled' }, { issue, phase: 'Cancelled' }),
      'Issue #7: green, AgentRoles review: grey, Pull request: grey, Your approval: grey, Merged: grey, Release: grey',
    ],
  ])('%s', (_, run, expected) => {
    expect(colours(run)).toBe(expected);
  });

  it.each<[Partial<ReleaseStatus>, string]>([
    [{ phase: 'Building' }, 'Release v1.2.3: blue'],
    [{ phase: 'Failed' }, 'Release v1.2.3: red'],
    [{ phase: 'Promoting', taggedAt: 'now' }, 'Release v1.2.3: green'],
    [{ phase: 'Failed', taggedAt: 'now' }, 'Release v1.2.3: green'],
    [{ phase: 'Superseded' }, 'Release v1.2.3: grey'],
  ])('shows a Release that is %j', (status, expected) => {
    expect(colours(aRun({}, { mergeCommit: 'c' }), aRelease(status))).toContain(expected);
  });

  it('names the future zones of a Release, then shows their phases', () => {
    expect(colours(aRun({}), undefined, zones)).toContain('shop-rc: grey, shop-prod: grey');
    const release = aRelease({
      zones: [
        { name: 'shop-rc', phase: 'Verified', address: 'http://rc', screenshot },
        { name: 'shop-prod', phase: 'WaitingForApproval' },
      ],
    });
    expect(toProgressStages(aRun({}), release, zones).slice(-2)).toEqual([
      {
        stage: 'zone',
        label: 'shop-rc',
        zone: 'shop-rc',
        colour: 'green',
        detail: 'Verified',
        url: 'http://rc',
        screenshot,
      },
      { stage: 'zone', label: 'shop-prod', zone: 'shop-prod', colour: 'amber', detail: 'WaitingForApproval' },
    ]);
  });

  it('maps every phase of a zone to a colour', () => {
    const release = aRelease({ zones: zonePhases.map((phase) => ({ name: phase, phase })) });
    const byColour = Object.groupBy(
      toProgressStages(aRun({}), release).filter(({ stage }) => stage === 'zone'),
      ({ colour }) => colour,
    );
    expect(
      Object.fromEntries(
        Object.entries(byColour).map(([colour, stages]) => [colour, stages.map(({ label }) => label)]),
      ),
    ).toEqual({
      grey: ['Pending', 'Superseded', 'Cancelled'],
      amber: ['WaitingForApproval'],
      blue: ['Promoting', 'Deploying', 'Healthy', 'Verifying'],
      green: ['Verified'],
      red: ['Failed', 'Rejected'],
    });
  });

  it('omits stages that the AgentWorkflow does not have', () => {
    const run = aRun({ implement: 'Running' }, { issue });
    const report = {
      ...run,
      spec: {
        ...run.spec,
        steps: [{ name: 'implement', type: 'agent' as const, role: 'writer', mode: 'report' as const }],
      },
    };
    expect(colours(report, undefined, zones)).toBe('Issue #7: green, AgentRoles review: blue');
  });
});

it('links the Release only once its tag has a page', () => {
  const find = (status: Partial<ReleaseStatus>) =>
    toProgressStages(aRun({}, { mergeCommit: 'c' }), aRelease(status)).find(({ stage }) => stage === 'release');
  const label = 'Release v1.2.3';
  const tagged = { stage: 'release', label, colour: 'green' };
  expect(find({ taggedAt: 'now', url: 'http://host/v1' })).toEqual({ ...tagged, url: 'http://host/v1' });
  expect(find({ taggedAt: 'now' })).toEqual(tagged);
});

it('shows what a run without an issue starts from', () => {
  const run = aRun({});
  const label = (spec: object) =>
    toProgressStages({ ...run, spec: { ...run.spec, target: undefined, ...spec } } as unknown as AgentWorkflowRun)[0];
  expect(label({})).toEqual({ stage: 'issue', label: 'Schedule', colour: 'green' });
  expect(label({ instructions: 'Do.' })).toMatchObject({ label: 'Instructions' });
  expect(label({ instructions: 'Do.', release: { version: 'v1' } })).toMatchObject({ label: 'Release v1' });
});

it('names who approved, and the step that is urgent with its reason', () => {
  const status = { issue, pullRequest };
  const run = aRun({ ...built, 'approve-change': 'Succeeded' }, status);
  const steps = (run.status?.steps ?? []).map((step) =>
    step.name === 'approve-change' ? { ...step, decision: { by: 'ada' } } : step,
  );
  const approved = { ...run, status: { ...run.status, steps } } as unknown as AgentWorkflowRun;
  expect(toProgressStages(approved).find(({ stage }) => stage === 'approval')).toMatchObject({
    colour: 'green',
    detail: 'Approved by ada',
  });
  const waiting = toProgressStages(aRun({ ...built, 'approve-change': 'Waiting' }, status));
  expect(waiting.find(({ stage }) => stage === 'approval')?.detail).toBe('approve-change: Waiting');
});

it.each([
  [{ failure: { type: 'x', message: 'It broke.' }, phase: 'Failed' }, 'implement: It broke.'],
  [{ waitingFor: { message: 'Waits for ada.', role: 'member' }, phase: 'Waiting' }, 'implement: Waits for ada.'],
  [
    { phase: 'Running', retrying: { attempt: 3, message: 'The model is away.' } },
    'Retrying after 3 attempts: The model',
  ],
  [
    { phase: 'Running', retrying: { attempt: 1, message: 'The model is away.' } },
    'Retrying after 1 attempt: The model',
  ],
  [{ phase: 'Running' }, 'implement: Running'],
])('describes the step %j', (step, detail) => {
  const run = aRun({}, { issue, steps: [{ name: 'implement', ...step }] } as unknown as Partial<RunStatus>);
  expect(JSON.stringify(toProgressStages(run))).toContain(detail);
});
