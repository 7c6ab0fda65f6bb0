import { expect, it } from 'vitest';
import { catalogAgentWorkflows, catalogRoles, changeAgentWorkflow } from '../../../src/rules/agents/catalog.ts';
import { AgentRoleSpec, AgentWorkflowSpec, type StepSpec } from '../../../src/rules/agents/kinds.ts';
import type { ToolName } from '../../../src/rules/agents/tools.ts';
import { type Roles, validateAgentWorkflow } from '../../../src/rules/agents/validate-agent-workflow.ts';

const roles: Roles = new Map<string, { tools?: ToolName[] }>([
  ['dev', {}],
  ['critic', { tools: ['read_file', 'search'] }],
]);
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
const conflicted = { when: { pullRequest: { conflicted: true as const } } };

const problems = (...steps: StepSpec[]): string[] =>
  validateAgentWorkflow({ enabled: true, triggers: [], steps }, roles).map(
    ({ pointer, detail }) => `${pointer} ${detail}`,
  );

it('has nothing against the catalog', () => {
  for (const spec of Object.values(catalogRoles)) expect(AgentRoleSpec.parse(spec)).toEqual(spec);
  for (const spec of Object.values(catalogAgentWorkflows)) {
    expect(AgentWorkflowSpec.parse(spec)).toEqual(spec);
    expect(validateAgentWorkflow(spec, new Map(Object.entries(catalogRoles)))).toEqual([]);
  }
  expect(validateAgentWorkflow(changeAgentWorkflow, new Map())).toHaveLength(4);
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
  ['a draft for the issue', [report('tell', { deliver: 'issue', removeLabels: ['todo'] })], []],
  ['a draft for chat after the merge', [change('build'), merge, report('tell', { deliver: 'chat' })], []],
  [
    'a draft of who changes code',
    [change('build', { deliver: 'chat' })],
    [/^\/spec\/steps\/0\/deliver .*mode "report"/],
  ],
  [
    'a draft of a review',
    [change('build'), report('review', { reviews: 'build', deliver: 'issue' })],
    [/^\/spec\/steps\/1\/deliver Step "review": a review ends with a verdict/],
  ],
  [
    'labels taken from nothing',
    [report('tell', { deliver: 'chat', removeLabels: ['todo'] })],
    [/^\/spec\/steps\/0\/removeLabels .*Set deliver to "issue"/],
  ],
  ['a merge of nothing', [report('look'), merge], [/^\/spec\/steps\/1\/type .*nothing to merge/]],
  [
    'a merge of what only a conflict changes',
    [change('fix', conflicted), merge],
    [/no pull request/, /nothing to merge/],
  ],
  [
    'a change by who has no tool for it',
    [change('build', { role: 'critic' })],
    [/^\/spec\/steps\/0\/role Step "build": .*no tool to change/],
  ],
  [
    'reviews in a circle',
    [report('a', { reviews: 'b' }), report('b', { reviews: 'a' })],
    [/^\/spec\/steps\/0\/reviews Step "a": .*a → b → a/, /^\/spec\/steps\/1\/reviews Step "b": .*b → a → b/],
  ],
  [
    'a review of reviews in a circle',
    [report('a', { reviews: 'b' }), report('b', { reviews: 'a' }), report('c', { reviews: 'a' })],
    [/circle/, /circle/, /changes no code/],
  ],
  [
    'a second merge',
    [change('build'), merge, { ...merge, name: 'again' }],
    [/^\/spec\/steps\/2\/type .*merged by step 2/],
  ],
  ['a change after the merge', [change('build'), merge, change('more')], [/^\/spec\/steps\/2\/mode .*after the merge/]],
  ['a report after the merge', [change('build'), merge, report('tell')], []],
  [
    'a person with a condition',
    [change('build'), { ...human, ...conflicted }],
    [/^\/spec\/steps\/1\/when .*only an agent step/],
  ],
  ['a report with a condition', [change('build'), report('look', conflicted)], []],
  [
    'a condition before there is a pull request',
    [change('fix', conflicted), change('build')],
    [/^\/spec\/steps\/0\/when .*no pull request/],
  ],
  [
    'a criterion twice',
    [change('build', { criteria: ['a', 'b', 'a'] })],
    [/^\/spec\/steps\/0\/criteria\/2 .*there already/],
  ],
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

it('has every trigger bring the issue that a step comments on', () => {
  const steps = [report('tell', { deliver: 'issue' })];
  const wrong = (...triggers: AgentWorkflowSpec['triggers']): string[] =>
    validateAgentWorkflow({ enabled: true, triggers, steps }, roles).map(({ detail }) => detail);
  const opened = { type: 'event', event: 'issue.opened' } as const;
  expect(wrong(opened, { ...opened, event: 'issue.labeled' })).toEqual([]);
  expect(wrong(opened, { ...opened, event: 'release.cut' })).toEqual([
    'Step "tell": a run that the trigger "release.cut" starts has no issue to comment on.',
  ]);
  expect(wrong({ type: 'onChange' })).toEqual([expect.stringContaining('the trigger "onChange" starts has no issue')]);
});

it('lets no trigger of a Release be narrowed by labels', () => {
  const triggers = [{ type: 'event' as const, event: 'release.cut' as const, labels: ['big'] }];
  expect(validateAgentWorkflow({ enabled: true, triggers, steps: [report('tell')] }, roles)).toEqual([
    { pointer: '/spec/triggers/0/labels', detail: 'A Release has no labels. Leave them out.' },
  ]);
});

it('names the trigger whose schedule cannot be read', () => {
  const triggers = [
    { type: 'cron' as const, schedule: '0 9 * * 1-5' },
    { type: 'cron' as const, schedule: '0 9 30 2 *' },
  ];
  const found = validateAgentWorkflow({ enabled: true, triggers, steps: [change('build')] }, roles);
  expect(found).toEqual([{ pointer: '/spec/triggers/1/schedule', detail: expect.stringContaining('never comes due') }]);
});
