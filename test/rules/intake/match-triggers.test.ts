import { describe, expect, it } from 'vitest';
import type { AgentWorkflowSpec } from '../../../src/rules/agents/kinds.ts';
import type { IssueEvent, PullRequestEvent } from '../../../src/rules/intake/events.ts';
import { matchTriggers } from '../../../src/rules/intake/match-triggers.ts';

const workflow = (changes: Partial<AgentWorkflowSpec> = {}): AgentWorkflowSpec => ({
  enabled: true,
  triggers: [
    { type: 'event', event: 'issue.opened', labels: ['service', 'bug'] },
    { type: 'event', event: 'issue.labeled', labels: ['service'] },
  ],
  steps: [{ name: 'approve', type: 'human' }],
  ...changes,
});
const event = (changes: Partial<IssueEvent> = {}): IssueEvent => ({
  event: 'issues',
  repo: 'acme/hello',
  number: 7,
  action: 'opened',
  labels: ['service'],
  senderIsBot: false,
  isPullRequest: false,
  ...changes,
});

describe('matchTriggers', () => {
  it.each([
    ['an opened issue that carries a label of the list', event({ labels: ['x', 'bug'] }), true],
    ['an opened issue without any of them', event({ labels: ['x'] }), false],
    ['a label of the list just added', event({ action: 'labeled', label: 'service', labels: [] }), true],
    [
      'another label added to an issue that carries one of the list',
      event({ action: 'labeled', label: 'x', labels: ['service'] }),
      false,
    ],
    ['anything a bot does', event({ senderIsBot: true }), false],
    ['a pull request', event({ isPullRequest: true }), false],
  ] as const)('%s', (_, given, starts) => {
    expect(matchTriggers(workflow(), given)?.starts).toBe(starts);
  });

  it('says why it starts nothing', () => {
    expect(matchTriggers(workflow({ enabled: false }), event())).toEqual({
      starts: false,
      reason: 'the AgentWorkflow is not enabled',
    });
  });

  it('takes every label where the trigger names none', () => {
    const any = workflow({ triggers: [{ type: 'event', event: 'issue.opened' }] });
    expect(matchTriggers(any, event({ labels: [] }))?.starts).toBe(true);
  });

  it.each([
    ['main', 'main', true],
    ['main', 'maintenance', false],
    ['release/*', 'release/1', true],
    ['release/*', 'release/1/2', false],
    ['release/**', 'release/1/2', true],
    ['*', 'main', true],
    ['v[0-9]', 'v2', true],
    ['!main', 'dev', false],
    ['@(main|dev)', 'dev', false],
  ])('takes "%s" and the base branch %s as a glob: %s', (glob, baseBranch, starts) => {
    const onChange = workflow({ triggers: [{ type: 'onChange', branches: [glob] }] });
    const change: PullRequestEvent = {
      event: 'pull_request',
      action: 'opened',
      repo: 'acme/hello',
      number: 7,
      labels: [],
      baseBranch,
      headBranch: 'fix',
    };
    expect(matchTriggers(onChange, change)?.starts).toBe(starts);
  });

  it('has nothing to say to an AgentWorkflow without a trigger for such events', () => {
    expect(matchTriggers(workflow({ triggers: [{ type: 'onChange' }] }), event())).toBeUndefined();
  });
});
