import { describe, expect, it } from 'vitest';
import { toRunLane } from '../../../src/rules/activity/to-run-lane.ts';
import { AgentWorkflowRunKind, type RunStatus, type StepStatus } from '../../../src/rules/changes/kinds.ts';
import { buildResource } from '../build-resource.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const agent = (name: string, role: string) => ({ name, type: 'agent' as const, role, mode: 'change' as const });
const spec = {
  agentWorkflow: 'change',
  product: 'shop',
  target: { repo: 'acme/shop', number: 7 },
  startedBy: 'ada@example.com',
  steps: [agent('implement', 'dev'), agent('review', 'critic'), { name: 'approve', type: 'human' as const }],
  roles: {},
};
const build = (steps: StepStatus[], status: Partial<RunStatus> = {}) =>
  toRunLane(
    buildResource(AgentWorkflowRunKind, { spec, status: { phase: 'Running', startedAt: at(0), ...status, steps } }),
  );
const describeSpans = (steps: StepStatus[]) =>
  build(steps)?.spans.map(({ name, state, round, from, to }) => [
    name,
    state,
    round,
    new Date(from).getUTCMinutes(),
    to === undefined ? undefined : new Date(to).getUTCMinutes(),
  ]);

describe('toRunLane', () => {
  it('has a span for each round, and marks what a review sent back', () => {
    expect(
      describeSpans([
        {
          name: 'implement',
          phase: 'Succeeded',
          rounds: [
            { number: 1, startedAt: at(0), finishedAt: at(5), outcome: 'done' },
            { number: 2, startedAt: at(8), finishedAt: at(9), outcome: 'done' },
          ],
        },
        {
          name: 'review',
          phase: 'Running',
          rounds: [
            { number: 1, startedAt: at(5), finishedAt: at(7), outcome: 'changes-requested' },
            { number: 2, startedAt: at(9) },
          ],
        },
      ]),
    ).toEqual([
      ['implement', 'sent-back', 1, 0, 5],
      ['review', 'sent-back', 1, 5, 7],
      ['implement', 'done', 2, 8, 9],
      ['review', 'working', 2, 9, undefined],
    ]);
  });

  it('has a wait for a person after a question of an agent, and for a human step', () => {
    expect(
      describeSpans([
        {
          name: 'implement',
          phase: 'Succeeded',
          rounds: [
            { number: 1, startedAt: at(0), finishedAt: at(5), outcome: 'needs-guidance' },
            { number: 2, startedAt: at(20), finishedAt: at(25), outcome: 'done' },
          ],
        },
        { name: 'approve', phase: 'Waiting', rounds: [{ number: 1, startedAt: at(25) }] },
      ]),
    ).toEqual([
      ['implement', 'done', 1, 0, 5],
      ['implement', 'waiting', undefined, 5, 20],
      ['implement', 'done', 2, 20, 25],
      ['approve', 'waiting', 1, 25, undefined],
    ]);
  });

  it('waits as long as an agent needs guidance', () => {
    const rounds = [{ number: 1, startedAt: at(0), finishedAt: at(5), outcome: 'needs-guidance' as const }];
    expect(describeSpans([{ name: 'implement', phase: 'NeedsGuidance', rounds }])).toEqual([
      ['implement', 'done', 1, 0, 5],
      ['implement', 'waiting', undefined, 5, undefined],
    ]);
  });

  it('shows a failed round, and a cancelled one until the end of its step', () => {
    expect(
      describeSpans([
        {
          name: 'implement',
          phase: 'Cancelled',
          startedAt: at(6),
          finishedAt: at(9),
          rounds: [
            { number: 1, startedAt: at(0), finishedAt: at(5), outcome: 'failed' },
            { number: 2, startedAt: at(6) },
          ],
        },
      ]),
    ).toEqual([
      ['implement', 'failed', 1, 0, 5],
      ['implement', 'idle', 2, 6, 9],
    ]);
  });

  it('adds up the work of agents', () => {
    const usage = { inputTokens: 10, outputTokens: 2, costMicroUsd: 5, seconds: 3 };
    expect(
      build([
        { name: 'implement', phase: 'Succeeded', usage },
        { name: 'approve', phase: 'Waiting' },
      ]),
    ).toMatchObject({
      number: 7,
      costMicroUsd: 5,
      work: [{ role: 'dev', step: 'implement', tokens: 12, costMicroUsd: 5, seconds: 3 }],
    });
  });

  it('has no lane before the run starts', () => {
    expect(toRunLane(buildResource(AgentWorkflowRunKind, { spec }))).toBeUndefined();
  });
});
