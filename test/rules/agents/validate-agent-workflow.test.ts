import { expect, it } from 'vitest';
import {
  defaultAgentWorkflows,
  defaultRoles,
  changeAgentWorkflow,
} from '../../../src/rules/agents/default-workflows.ts';
import { AgentRoleSpec, AgentWorkflowSpec, type StepSpec } from '../../../src/rules/agents/kinds.ts';
import type { ToolName } from '../../../src/rules/agents/tool-names.ts';
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

const findErrors = (...steps: StepSpec[]): string[] =>
  validateAgentWorkflow({ enabled: true, triggers: [], steps }, roles).map(
    ({ pointer, detail }) => `${pointer} ${detail}`,
  );

it('accepts the default AgentWorkflows with the default AgentRoles', () => {
  for (const spec of Object.values(defaultRoles)) expect(AgentRoleSpec.parse(spec)).toEqual(spec);
  for (const spec of Object.values(defaultAgentWorkflows)) {
    expect(AgentWorkflowSpec.parse(spec)).toEqual(spec);
    expect(validateAgentWorkflow(spec, new Map(Object.entries(defaultRoles)))).toEqual([]);
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
  [
    'two steps with the same name',
    [change('build'), report('build')],
    [/^\/spec\/steps\/1\/name .*step 1 has the same name/],
  ],
  ['a draft for the issue', [report('tell', { deliver: 'issue', removeLabels: ['todo'] })], []],
  ['a draft for chat after the merge', [change('build'), merge, report('tell', { deliver: 'chat' })], []],
  [
    'a draft of a step that changes code',
    [change('build', { deliver: 'chat' })],
    [/^\/spec\/steps\/0\/deliver .*mode "report"/],
  ],
  [
    'a draft of a review',
    [change('build'), report('review', { reviews: 'build', deliver: 'issue' })],
    [/^\/spec\/steps\/1\/deliver Step "review": a review has a verdict/],
  ],
  [
    'labels without an issue',
    [report('tell', { deliver: 'chat', removeLabels: ['todo'] })],
    [/^\/spec\/steps\/0\/removeLabels .*Set deliver to "issue"/],
  ],
  ['a merge without a change', [report('look'), merge], [/^\/spec\/steps\/1\/type .*nothing to merge/]],
  [
    'a merge of a change that is conditional',
    [change('fix', conflicted), merge],
    [/no pull request/, /nothing to merge/],
  ],
  [
    'a change by a role without a tool for it',
    [change('build', { role: 'critic' })],
    [/^\/spec\/steps\/0\/role Step "build": .*no tool that changes code/],
  ],
  [
    'reviews in a cycle',
    [report('a', { reviews: 'b' }), report('b', { reviews: 'a' })],
    [/^\/spec\/steps\/0\/reviews Step "a": .*a → b → a/, /^\/spec\/steps\/1\/reviews Step "b": .*b → a → b/],
  ],
  [
    'a review of reviews in a cycle',
    [report('a', { reviews: 'b' }), report('b', { reviews: 'a' }), report('c', { reviews: 'a' })],
    [/cycle/, /cycle/, /changes no code/],
  ],
  [
    'a second merge',
    [change('build'), merge, { ...merge, name: 'again' }],
    [/^\/spec\/steps\/2\/type .*step 2 already merges/],
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
    'a duplicate criterion',
    [change('build', { criteria: ['a', 'b', 'a'] })],
    [/^\/spec\/steps\/0\/criteria\/2 .*is a duplicate/],
  ],
  ['a merge before the change', [merge, change('build')], [/^\/spec\/steps\/0\/type/]],
  [
    'a review of a missing step',
    [change('build'), report('review', { reviews: 'none' })],
    [/^\/spec\/steps\/1\/reviews .*no step "none"/],
  ],
  ['a review of a later step', [report('review', { reviews: 'build' }), change('build')], [/does not come before/]],
  ['a review of itself', [report('review', { reviews: 'review' })], [/does not come before/]],
  ['a review of a report', [report('look'), report('review', { reviews: 'look' })], [/changes no code/]],
  ['a review of a person', [human, report('review', { reviews: 'approve' })], [/changes no code/]],
  ['a review that writes', [change('build'), change('review', { reviews: 'build' })], [/mode "report"/]],
  [
    'a review parallel to the step that it reviews',
    [change('build', { parallel: 'g' }), report('review', { reviews: 'build', parallel: 'g' })],
    [/at the same time/],
  ],
  [
    'a group with a gap',
    [report('a', { parallel: 'g' }), human, report('b', { parallel: 'g' })],
    [/^\/spec\/steps\/2\/parallel .*not adjacent/],
  ],
  [
    'a person in a group',
    [report('a', { parallel: 'g' }), { ...human, parallel: 'g' }],
    [/a step of type "human" cannot run in parallel/],
  ],
  [
    'a merge in a group',
    [change('a', { parallel: 'g' }), { ...merge, parallel: 'g' }],
    [/a step of type "merge" cannot run in parallel/],
  ],
  [
    'two changes in a group',
    [change('a', { parallel: 'g' }), change('b', { parallel: 'g' })],
    [/^\/spec\/steps\/1\/parallel .*two steps that change code/],
  ],
])('validates %s', (_, steps, expected) => {
  const found = findErrors(...steps);
  expect(found).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern);
});

it('requires an issue from every trigger when a step comments on it', () => {
  const steps = [report('tell', { deliver: 'issue' })];
  const findDetails = (...triggers: AgentWorkflowSpec['triggers']): string[] =>
    validateAgentWorkflow({ enabled: true, triggers, steps }, roles).map(({ detail }) => detail);
  const opened = { type: 'event', event: 'issue.opened' } as const;
  expect(findDetails(opened, { ...opened, event: 'issue.labeled' })).toEqual([]);
  expect(findDetails(opened, { ...opened, event: 'release.cut' })).toEqual([
    'Step "tell": a run that the trigger "release.cut" starts has no issue to comment on.',
  ]);
  expect(findDetails({ type: 'onChange' })).toEqual([
    expect.stringContaining('the trigger "onChange" starts has no issue'),
  ]);
});

it('rejects labels on a trigger of a Release', () => {
  const triggers = [{ type: 'event' as const, event: 'release.cut' as const, labels: ['big'] }];
  expect(validateAgentWorkflow({ enabled: true, triggers, steps: [report('tell')] }, roles)).toEqual([
    { pointer: '/spec/triggers/0/labels', detail: 'A Release has no labels. Remove them.' },
  ]);
});

it('names the trigger with an invalid schedule', () => {
  const triggers = [
    { type: 'cron' as const, schedule: '0 9 * * 1-5' },
    { type: 'cron' as const, schedule: '0 9 30 2 *' },
  ];
  const found = validateAgentWorkflow({ enabled: true, triggers, steps: [change('build')] }, roles);
  expect(found).toEqual([{ pointer: '/spec/triggers/1/schedule', detail: expect.stringContaining('never matches') }]);
});

it('lets a run that starts from a pull request merge it once, and change nothing after that', () => {
  const findFromPullRequest = (...steps: StepSpec[]): string[] =>
    validateAgentWorkflow({ enabled: true, triggers: [{ type: 'onChange' }], steps }, roles).map(
      ({ detail }) => detail,
    );
  expect(findFromPullRequest(merge)).toEqual([]);
  expect(findFromPullRequest(merge, { ...merge, name: 'again' })).toEqual([
    expect.stringContaining('step 1 already merges the Change'),
  ]);
  expect(findFromPullRequest(merge, change('more'))).toEqual([expect.stringContaining('after the merge')]);
});
