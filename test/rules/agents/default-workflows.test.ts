import { expect, it } from 'vitest';
import { defaultAgentWorkflows, defaultRoles } from '../../../src/rules/agents/default-workflows.ts';

it('enables the AgentWorkflows of a new org that cost nothing until a person starts them', () => {
  const enabled = Object.entries(defaultAgentWorkflows).map(([name, spec]) => [name, spec.enabled]);
  expect(Object.fromEntries(enabled)).toEqual({
    change: true,
    'quick-change': true,
    'issue-hydration': false,
    'go-to-market': false,
  });
});

it('lets a person approve every merge', () => {
  for (const { steps } of Object.values(defaultAgentWorkflows)) {
    const mergeAt = steps.findIndex(({ type }) => type === 'merge');
    if (mergeAt !== -1) expect(steps.slice(0, mergeAt).map(({ type }) => type)).toContain('human');
  }
});

it('has an AgentRole for every step', () => {
  const roles = Object.values(defaultAgentWorkflows).flatMap(({ steps }) =>
    steps.flatMap((step) => (step.type === 'agent' ? [step.role] : [])),
  );
  expect(roles.filter((role) => !(role in defaultRoles))).toEqual([]);
});
