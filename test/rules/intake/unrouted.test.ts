import { expect, it } from 'vitest';
import type { AgentWorkflow } from '../../../src/rules/agents/kinds.ts';
import type { IssueEvent, SourceEvent } from '../../../src/rules/intake/events.ts';
import { isUnrouted, listedId, type Trace } from '../../../src/rules/intake/unrouted.ts';

const at = '2026-01-01T12:00:00.000Z';
const opened: IssueEvent = {
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number: 7,
  labels: ['bug'],
  at,
  senderIsBot: false,
  isPullRequest: false,
};
const labeled: IssueEvent = { ...opened, action: 'labeled', label: 'bug' };
const workflow = (more: object = {}, made = '2026-01-01T11:00:00Z'): AgentWorkflow =>
  ({
    metadata: { name: 'look', creationTimestamp: made },
    spec: {
      enabled: true,
      triggers: [
        { type: 'event', event: 'issue.opened' },
        { type: 'event', event: 'issue.labeled', labels: ['bug'] },
      ],
      steps: [],
      ...more,
    },
  }) as unknown as AgentWorkflow;
const trace: Trace = { agentWorkflow: 'look', repo: 'Acme/Hello', number: 7, at, event: 'issue.opened' };

it.each<[string, SourceEvent, AgentWorkflow, Trace[], boolean]>([
  ['an event that left no trace', opened, workflow(), [], true],
  ['one that was told', opened, workflow(), [trace], false],
  [
    'one that was told by a clock that is behind',
    opened,
    workflow(),
    [{ ...trace, at: '2026-01-01T11:59:10Z' }],
    false,
  ],
  ['one like an earlier one', opened, workflow(), [{ ...trace, at: '2026-01-01T11:00:00Z' }], true],
  ['one of an issue beside another', opened, workflow(), [{ ...trace, number: 8 }], true],
  ['one that only another AgentWorkflow saw', opened, workflow(), [{ ...trace, agentWorkflow: 'other' }], true],
  ['a label where the opening was told', labeled, workflow(), [trace], true],
  ['a label where another was told', labeled, workflow(), [{ ...trace, event: 'issue.labeled', label: 'x' }], true],
  ['a label that was told', labeled, workflow(), [{ ...trace, event: 'issue.labeled', label: 'bug' }], false],
  ['a label that starts nothing', { ...labeled, label: 'other' }, workflow(), [], false],
  ['an event that nothing enabled takes', opened, workflow({ enabled: false }), [], false],
  ['an event that nothing takes', opened, workflow({ triggers: [] }), [], false],
  ['an event from before the AgentWorkflow', opened, workflow({}, '2026-01-01T12:00:01Z'), [], false],
  ['what the service itself did', { ...opened, senderIsOwnApp: true }, workflow(), [], false],
])('%s', (_, event, one, traces, unrouted) => {
  expect(isUnrouted(event, [one], traces)).toBe(unrouted);
});

it('calls an event the same at each look, and every other otherwise', () => {
  const all = [
    opened,
    labeled,
    { ...opened, number: 8 },
    { ...opened, at: '2026-01-01T12:00:01Z' },
    { ...labeled, label: 'x' },
  ];
  expect(new Set(all.map(listedId)).size).toBe(all.length);
  expect(listedId({ ...opened, labels: ['more'] })).toBe(listedId(opened));
});
