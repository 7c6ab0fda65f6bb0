import { expect, it } from 'vitest';
import { catalogAgentWorkflows, catalogRoles, changeAgentWorkflow } from '../../../src/rules/agents/catalog.ts';
import { AgentRoleSpec, AgentWorkflowSpec, type StepSpec } from '../../../src/rules/agents/kinds.ts';
import { validateAgentWorkflow } from '../../../src/rules/agents/validate-agent-workflow.ts';

const roles = new Set(['dev', 'critic']);
const change = (name: string, more: object = {}): StepSpec => ({
  name,
  type: 'agent',
  role: 'dev',
  mode: 'change',
  ...more,
});
const report = (name: string, more: object = {}): StepSpec => ({
  name,
  type: 'agent',
  role: 'critic',
  mode: 'report',
  ...more,
});
const human: StepSpec = { name: 'approve', type: 'human' };
const merge: StepSpec = { name: 'merge', type: 'merge' };
const conflicted = { when: { pullRequest: { conflicted: true } } };

const problems = (...steps: StepSpec[]): string[] =>
  validateAgentWorkflow({ enabled: true, triggers: [], steps }, roles).map(
    ({ pointer, detail }) => `${pointer} ${detail}`,
  );

it('has nothing against the catalog', () => {
  for (const spec of Object.values(catalogRoles)) expect(AgentRoleSpec.parse(spec)).toEqual(spec);
  for (const spec of Object.values(catalogAgentWorkflows)) {
    expect(AgentWorkflowSpec.parse(spec)).toEqual(spec);
    expect(validateAgentWorkflow(spec, new Set(Object.keys(catalogRoles)))).toEqual([]);
  }
  expect(validateAgentWorkflow(changeAgentWorkflow, new Set())).toHaveLength(4);
});

it.each<[string, StepSpec[], RegExp[]]>([
  ['a plain change', [change('build'), report('review', { reviews: 'build' }), human, merge], []],
  [
    'reviews in one group',
    [
      change('build'),
      report('a', { reviews: 'build', parallel: 'r' }),
      report('b', { reviews: 'build', parallel: 'r' }),
    ],
    [],
  ],
  [
    'an unknown role',
    [change('build', { role: 'ghost' })],
    [/^\/spec\/steps\/0\/role Step "build": the org has no AgentRole "ghost"/],
  ],
  ['two steps of one name', [change('build'), report('build')], [/^\/spec\/steps\/1\/name .*taken by step 1/]],
  ['a merge of nothing', [report('look'), merge], [/^\/spec\/steps\/1\/type .*nothing to merge/]],
  ['a merge of what only a conflict changes', [change('fix', conflicted), merge], [/nothing to merge/]],
  ['a merge before the change', [merge, change('build')], [/^\/spec\/steps\/0\/type/]],
  [
    'a review of nothing',
    [change('build'), report('review', { reviews: 'none' })],
    [/^\/spec\/steps\/1\/reviews .*no step "none"/],
  ],
  ['a review of what comes later', [report('review', { reviews: 'build' }), change('build')], [/does not come before/]],
  ['a review of itself', [report('review', { reviews: 'review' })], [/does not come before/]],
  ['a review of a report', [report('look'), report('review', { reviews: 'look' })], [/changes no code/]],
  ['a review of a person', [human, report('review', { reviews: 'approve' })], [/changes no code/]],
  ['a review that writes', [change('build'), change('review', { reviews: 'build' })], [/mode "report"/]],
  [
    'a review beside what it reviews',
    [change('build', { parallel: 'g' }), report('review', { reviews: 'build', parallel: 'g' })],
    [/at the same time/],
  ],
  [
    'a group with a gap',
    [report('a', { parallel: 'g' }), human, report('b', { parallel: 'g' })],
    [/^\/spec\/steps\/2\/parallel .*not next to each other/],
  ],
  ['a person in a group', [report('a', { parallel: 'g' }), { ...human, parallel: 'g' }], [/a human step runs alone/]],
  ['a merge in a group', [change('a', { parallel: 'g' }), { ...merge, parallel: 'g' }], [/a merge step runs alone/]],
  [
    'two changes in a group',
    [change('a', { parallel: 'g' }), change('b', { parallel: 'g' })],
    [/^\/spec\/steps\/1\/parallel .*two steps that change code/],
  ],
])('%s', (_, steps, expected) => {
  const found = problems(...steps);
  expect(found).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern);
});
