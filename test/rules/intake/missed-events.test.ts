import { expect, it } from 'vitest';
import type { AgentWorkflow } from '../../../src/rules/agents/kinds.ts';
import type { IssueEvent, CodehostEvent } from '../../../src/rules/intake/events.ts';
import { isMissed, toListedEventId, type ProcessedEvent } from '../../../src/rules/intake/missed-events.ts';
import { triggersSinceAnnotation } from '../../../src/rules/intake/triggers-since.ts';

const at = '2026-01-01T12:00:00.000Z';
const opened: IssueEvent = {
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number: 7,
  labels: ['bug'],
  at,
  senderIsBot: false,
  authorIsMember: true,
  isPullRequest: false,
};
const labeled: IssueEvent = { ...opened, action: 'labeled', label: 'bug' };
const workflow = (more: object = {}, made = '2026-01-01T11:00:00Z', annotations = {}): AgentWorkflow =>
  ({
    metadata: { name: 'look', creationTimestamp: made, annotations },
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
const processed: ProcessedEvent = { agentWorkflow: 'look', repo: 'Acme/Hello', number: 7, at, event: 'issue.opened' };

it.each<[string, CodehostEvent, AgentWorkflow, ProcessedEvent[], boolean]>([
  ['an event without a Delivery or run', opened, workflow(), [], true],
  ['a processed event', opened, workflow(), [processed], false],
  ['a processed event with a slow clock', opened, workflow(), [{ ...processed, at: '2026-01-01T11:59:10Z' }], false],
  [
    'an event with an earlier processed event of the same kind',
    opened,
    workflow(),
    [{ ...processed, at: '2026-01-01T11:00:00Z' }],
    true,
  ],
  ['an event with a processed event of another issue', opened, workflow(), [{ ...processed, number: 8 }], true],
  [
    'an event that only another AgentWorkflow processed',
    opened,
    workflow(),
    [{ ...processed, agentWorkflow: 'other' }],
    true,
  ],
  ['a label when only the opening was processed', labeled, workflow(), [processed], true],
  [
    'a label when only another label was processed',
    labeled,
    workflow(),
    [{ ...processed, event: 'issue.labeled', label: 'x' }],
    true,
  ],
  ['a processed label', labeled, workflow(), [{ ...processed, event: 'issue.labeled', label: 'bug' }], false],
  [
    'a reopened pull request when only its opening was processed',
    { ...opened, event: 'pull_request', action: 'reopened', baseBranch: 'main', headBranch: 'moon' },
    workflow({ triggers: [{ type: 'onChange' }] }),
    [{ ...processed, event: 'pull_request.opened' }],
    true,
  ],
  ['a label that starts nothing', { ...labeled, label: 'other' }, workflow(), [], false],
  ['an event for a disabled AgentWorkflow', opened, workflow({ enabled: false }), [], false],
  ['an event without a trigger', opened, workflow({ triggers: [] }), [], false],
  ['an event from before the AgentWorkflow', opened, workflow({}, '2026-01-01T12:00:01Z'), [], false],
  [
    'an event from before a change of the triggers',
    opened,
    workflow({}, undefined, { [triggersSinceAnnotation]: '2026-01-01T12:00:01Z' }),
    [],
    false,
  ],
  [
    'an event from after a change of the triggers',
    opened,
    workflow({}, undefined, { [triggersSinceAnnotation]: at }),
    [],
    true,
  ],
  ['an event that the service caused', { ...opened, senderIsOwnApp: true }, workflow(), [], false],
])('decides whether %s was missed', (_, event, one, all, expected) => {
  expect(isMissed(event, [one], all)).toBe(expected);
});

it('builds the same id for the same event, and a different one for any other', () => {
  const all = [
    opened,
    labeled,
    { ...opened, number: 8 },
    { ...opened, at: '2026-01-01T12:00:01Z' },
    { ...labeled, label: 'x' },
  ];
  expect(new Set(all.map(toListedEventId)).size).toBe(all.length);
  expect(toListedEventId({ ...opened, labels: ['more'] })).toBe(toListedEventId(opened));
});
