import { describe, expect, it } from 'vitest';
import { decisionsMax, roundsMax } from '../../../src/rules/changes/append-records.ts';
import type { RunStatus, StepStatus } from '../../../src/rules/changes/kinds.ts';
import type { RunPatch, StepPatch } from '../../../src/rules/changes/run-patch.ts';
import { createRunStatus, patchRunStatus } from '../../../src/rules/changes/run-status.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const created = createRunStatus(
  [
    { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
    { name: 'approve-change', type: 'human' },
  ],
  at(0),
);
const pull = (headSha: string): RunPatch => ({ pullRequest: { number: 9, url: '', headSha } });
const implement = (patch: Omit<StepPatch, 'name'>): RunPatch => ({ steps: [{ name: 'implement', ...patch }] });
const approve = (patch: Omit<StepPatch, 'name'>): RunPatch => ({ steps: [{ name: 'approve-change', ...patch }] });
const approval = (by: string, minute: number, headSha: string) =>
  ({ by, role: 'member', outcome: 'approved', headSha, at: at(minute) }) as const;

/** Applies each patch twice, as a repeated activity does. */
const apply = (patches: RunPatch[], status: RunStatus = created): RunStatus =>
  patches.reduce<RunStatus>((current, patch) => patchRunStatus(patchRunStatus(current, patch), patch), status);
const findRounds = (status: RunStatus, name: string): StepStatus['rounds'] =>
  status.steps.find((step) => step.name === name)?.rounds;

describe('the rounds of a step', () => {
  it('keep the result of each start, with the head commit at the result', () => {
    const status = apply([
      implement({ phase: 'Running', startedAt: at(1), verdict: null }),
      {
        ...pull('c1'),
        ...implement({ phase: 'Succeeded', verdict: { outcome: 'done', summary: 'A' }, finishedAt: at(2) }),
      },
      implement({ phase: 'Pending', reviewRounds: 1 }),
      implement({ phase: 'Running', startedAt: at(3), finishedAt: null, verdict: null }),
      implement({ phase: 'NeedsGuidance', verdict: { outcome: 'needs-guidance', summary: 'Which?' } }),
      {
        ...pull('c2'),
        ...implement({ phase: 'Succeeded', verdict: { outcome: 'done', summary: 'B' }, finishedAt: at(5) }),
      },
    ]);
    expect(findRounds(status, 'implement')).toEqual([
      { number: 1, startedAt: at(1), finishedAt: at(2), outcome: 'done', summary: 'A', headSha: 'c1' },
      { number: 2, startedAt: at(3), finishedAt: at(5), outcome: 'done', summary: 'B', headSha: 'c2' },
    ]);
  });

  it('keep a failure, a rejection, and a round that was cancelled without a result', () => {
    const failure = {
      reason: 'activity-failed',
      message: 'x'.repeat(1_001),
      resource: '',
      fix: '',
      at: at(2),
    } as const;
    const status = apply([
      implement({ phase: 'Running', startedAt: at(1) }),
      implement({ phase: 'Failed', failure, finishedAt: at(2) }),
      implement({ phase: 'Running', startedAt: at(3), failure: null, finishedAt: null }),
      implement({ phase: 'Cancelled', finishedAt: at(4) }),
      approve({ phase: 'Waiting', startedAt: at(5) }),
      approve({
        phase: 'Rejected',
        decision: { by: 'eve', role: 'member', outcome: 'rejected', note: 'No', at: at(6) },
      }),
    ]);
    expect(findRounds(status, 'implement')).toEqual([
      { number: 1, startedAt: at(1), finishedAt: at(2), outcome: 'failed', summary: `${'x'.repeat(1_000)}…` },
      { number: 2, startedAt: at(3), finishedAt: at(4) },
    ]);
    expect(findRounds(status, 'approve-change')).toEqual([
      { number: 1, startedAt: at(5), outcome: 'rejected', by: 'eve', summary: 'No' },
    ]);
  });

  it('are done when the step succeeds without a verdict', () => {
    const status = apply([
      implement({ phase: 'Running', startedAt: at(1) }),
      implement({ phase: 'Succeeded', finishedAt: at(2) }),
    ]);
    expect(findRounds(status, 'implement')).toEqual([
      { number: 1, startedAt: at(1), finishedAt: at(2), outcome: 'done' },
    ]);
  });

  it('are numbered on when the oldest are dropped', () => {
    const starts = Array.from({ length: roundsMax + 2 }, (_, minute) => implement({ startedAt: at(minute) }));
    const rounds = findRounds(apply(starts), 'implement') ?? [];
    expect(rounds).toHaveLength(roundsMax);
    expect([rounds[0]?.number, rounds.at(-1)?.number]).toEqual([3, roundsMax + 2]);
  });

  it('do not exist for a step that never started', () => {
    expect(apply([implement({ phase: 'Skipped', finishedAt: at(1) })]).steps[0]).not.toHaveProperty('rounds');
  });
});

describe('the decisions about a run', () => {
  it('stay when a conflict takes an approval back, in the order in which they were made', () => {
    const status = apply([
      approve({ phase: 'Succeeded', decision: approval('jo', 1, 'c1') }),
      approve({ phase: 'Pending', decision: null }),
      implement({ phase: 'Running', guidance: { by: 'kim', outcome: 'guided', at: at(2) } }),
      approve({ phase: 'Succeeded', decision: approval('jo', 3, 'c2') }),
      { phase: 'Cancelled', cancelledBy: { by: 'lee', at: at(4) } },
    ]);
    expect(status.decisions).toEqual([
      { step: 'approve-change', ...approval('jo', 1, 'c1') },
      { step: 'implement', by: 'kim', outcome: 'guided', at: at(2) },
      { step: 'approve-change', ...approval('jo', 3, 'c2') },
      { by: 'lee', outcome: 'cancelled', at: at(4) },
    ]);
    expect(status.steps[1]?.decision).toEqual(approval('jo', 3, 'c2'));
  });

  it('are at most a hundred, the newest', () => {
    const many = Array.from({ length: decisionsMax + 1 }, (_, minute) =>
      approve({ decision: approval('jo', minute, 'c') }),
    );
    const { decisions = [] } = apply(many);
    expect(decisions).toHaveLength(decisionsMax);
    expect(decisions[0]?.at).toBe(at(1));
  });

  it('are absent until someone decides', () => {
    expect(apply([approve({ decision: null, phase: 'Waiting' })])).not.toHaveProperty('decisions');
  });
});
