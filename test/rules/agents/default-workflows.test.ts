import { expect, it } from 'vitest';
import { matchTriggers } from '../../../src/rules/intake/match-triggers.ts';
import { defaultAgentWorkflows, defaultRoles } from '../../../src/rules/agents/default-workflows.ts';

it('enables the AgentWorkflows of a new org except for announcements', () => {
  const enabled = Object.entries(defaultAgentWorkflows).map(([name, spec]) => [name, spec.enabled]);
  expect(Object.fromEntries(enabled)).toEqual({
    change: true,
    'quick-change': true,
    'issue-hydration': true,
    design: true,
    'go-to-market': false,
  });
});

it('starts a Change by a trigger without filters', () => {
  expect(defaultAgentWorkflows.change.triggers).toContainEqual({ type: 'onChange' });
});

it('says who turns announcements on, and where', () => {
  const { description } = defaultAgentWorkflows['go-to-market'];
  expect(description).toContain('To turn it on, an org admin enables it (Settings, AgentWorkflows).');
});

it('lets a person approve every merge', () => {
  const merging = Object.values(defaultAgentWorkflows).filter(({ steps }) =>
    steps.some(({ type }) => type === 'merge'),
  );
  const beforeMerge = merging.map(({ steps }) =>
    steps.slice(
      0,
      steps.findIndex(({ type }) => type === 'merge'),
    ),
  );
  expect(beforeMerge.map((steps) => steps.some(({ type }) => type === 'human'))).toEqual([true, true]);
});

it('has an AgentRole for every step', () => {
  const roles = Object.values(defaultAgentWorkflows).flatMap(({ steps }) =>
    steps.flatMap((step) => (step.type === 'agent' ? [step.role] : [])),
  );
  expect(roles.filter((role) => !(role in defaultRoles))).toEqual([]);
});

it('lets the architect comment on an issue that a person labels, and change nothing', () => {
  const facts = { event: 'issues', repo: 'acme/shop', number: 7, senderIsBot: false, isPullRequest: false } as const;
  const match = (action: 'opened' | 'labeled', labels: string[]) =>
    matchTriggers(defaultAgentWorkflows.design, { ...facts, action, labels, label: labels[0] ?? '' });
  expect(match('labeled', ['needs-design'])).toMatchObject({ starts: true });
  expect(match('opened', ['needs-design'])?.starts ?? false).toBe(false);
  expect(match('labeled', ['bug'])?.starts ?? false).toBe(false);
  expect(defaultAgentWorkflows.design.steps).toMatchObject([{ role: 'architect', mode: 'report', deliver: 'issue' }]);
  expect(defaultRoles['architect']?.tools).not.toContain('run_command');
});
