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
  authorIsMember: true,
  isPullRequest: false,
  ...changes,
});
const labeledByBot = (changes: Partial<IssueEvent>): IssueEvent =>
  event({ action: 'labeled', label: 'service', senderIsBot: true, ...changes });

describe('matchTriggers', () => {
  it.each([
    ['an opened issue with a listed label', event({ labels: ['x', 'bug'] }), true],
    ['an opened issue with a listed label in another letter case', event({ labels: ['Bug'] }), true],
    [
      'an added label in another letter case than the listed one',
      event({ action: 'labeled', label: 'Service', labels: [] }),
      true,
    ],
    ['an opened issue without a listed label', event({ labels: ['x'] }), false],
    ['an added label that is listed', event({ action: 'labeled', label: 'service', labels: [] }), true],
    [
      'another label that is added to an issue with a listed one',
      event({ action: 'labeled', label: 'x', labels: ['service'] }),
      false,
    ],
    ['an issue that a bot opened', event({ senderIsBot: true }), false],
    ['an issue that a person opened for a bot', event({ authorIsBot: true }), false],
    ['a label of a bot on an issue of a person', labeledByBot({ authorIsBot: false }), true],
    ['a label of a bot on an issue of a bot', labeledByBot({ authorIsBot: true }), false],
    ['a label of a bot on an issue of an unknown author', labeledByBot({}), false],
    ['a pull request', event({ isPullRequest: true }), false],
  ] as const)('decides whether %s starts a run', (_, given, starts) => {
    expect(matchTriggers(workflow(), given)?.starts).toBe(starts);
  });

  it('returns the reason why it starts nothing', () => {
    expect(matchTriggers(workflow({ enabled: false }), event())).toEqual({
      starts: false,
      reason: 'workflow-disabled',
      message: 'the AgentWorkflow is not enabled',
    });
  });

  it('matches every label when the trigger names none', () => {
    const any = workflow({ triggers: [{ type: 'event', event: 'issue.opened' }] });
    expect(matchTriggers(any, event({ labels: [] }))?.starts).toBe(true);
  });

  it.each([
    ['main', 'main', true],
    ['release/*', 'release/1', true],
    ['release/*', 'release/1/2', false],
  ])('matches the glob "%s" with the base branch %s: %s', (glob, baseBranch, starts) => {
    const onChange = workflow({ triggers: [{ type: 'onChange', branches: [glob] }] });
    const change: PullRequestEvent = {
      event: 'pull_request',
      action: 'opened',
      repo: 'acme/hello',
      number: 7,
      labels: [],
      baseBranch,
      headBranch: 'fix',
      authorIsMember: true,
    };
    expect(matchTriggers(onChange, change)?.starts).toBe(starts);
  });

  const { authorIsMember: _, ...unknownAuthor } = event();
  const anyIssue = { type: 'event', event: 'issue.opened' } as const;
  const pull: PullRequestEvent = {
    event: 'pull_request',
    action: 'opened',
    repo: 'acme/hello',
    number: 8,
    labels: [],
    baseBranch: 'main',
    headBranch: 'fix',
  };

  it.each([
    ['an issue', [anyIssue], event({ authorIsMember: false })],
    ['an issue of an unknown author', [anyIssue], unknownAuthor],
    ['a pull request', [{ type: 'onChange' }], pull],
    ['new commits', [{ type: 'onChange' }], { ...pull, action: 'synchronize' }],
  ] as const)('starts nothing for %s that a stranger opened, and says why', (_, triggers, given) => {
    const anything = workflow({ triggers: [...triggers] });
    expect(matchTriggers(anything, given)).toEqual({
      starts: false,
      reason: 'author-not-member',
      message: expect.stringContaining('only a trigger with a label starts runs for others'),
    });
    expect(matchTriggers(anything, { ...given, authorIsMember: true })?.starts).toBe(true);
  });

  it('starts a run for a stranger when the trigger requires a label, or when a label is added', () => {
    const stranger = { authorIsMember: false };
    expect(matchTriggers(workflow(), event({ ...stranger, labels: ['bug'] }))?.starts).toBe(true);
    const both = workflow({ triggers: [anyIssue, { ...anyIssue, labels: ['bug'] }] });
    expect(matchTriggers(both, event({ ...stranger, labels: ['bug'] }))?.starts).toBe(true);
    expect(matchTriggers(both, event({ ...stranger, labels: ['x'] }))?.starts).toBe(false);
    const labeled = workflow({ triggers: [{ type: 'event', event: 'issue.labeled' }] });
    expect(matchTriggers(labeled, event({ ...stranger, action: 'labeled', label: 'x' }))?.starts).toBe(true);
    const change = workflow({ triggers: [{ type: 'onChange', labels: ['review'] }] });
    expect(matchTriggers(change, { ...pull, labels: ['review'] })?.starts).toBe(true);
  });

  it('returns undefined for an AgentWorkflow without a trigger for such events', () => {
    expect(matchTriggers(workflow({ triggers: [{ type: 'onChange' }] }), event())).toBeUndefined();
  });
});
