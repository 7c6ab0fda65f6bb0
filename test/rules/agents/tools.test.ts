import { expect, it } from 'vitest';
import type { AgentStep } from '../../../src/rules/agents/kinds.ts';
import { toolNames } from '../../../src/rules/agents/tool-names.ts';
import { listStepTools } from '../../../src/rules/agents/tools.ts';

const step: AgentStep = { name: 's', type: 'agent', role: 'r', mode: 'report' };
const names = (
  more: Partial<AgentStep>,
  ...permissions: Parameters<typeof listStepTools> extends [unknown, ...infer Rest] ? Rest : never
) => listStepTools({ ...step, ...more }, ...permissions).map(({ name }) => name);

it('gives tools that write only to a step that changes code', () => {
  expect(names({ mode: 'report' })).toEqual(['list_files', 'read_file', 'search', 'run_command', 'finish']);
  expect(names({ mode: 'change' }).toSorted()).toEqual(toolNames.toSorted());
});

it('gives only the tools that the AgentRole allows, and always finish', () => {
  expect(names({ mode: 'change' }, { tools: ['read_file', 'edit_file'] })).toEqual([
    'read_file',
    'edit_file',
    'finish',
  ]);
  expect(names({ mode: 'report' }, { tools: ['edit_file'] })).toEqual(['finish']);
});

it('tells the agent whether commands have network access', () => {
  const describeCommand = (network: boolean) =>
    listStepTools(step, { network }).find(({ name }) => name === 'run_command')?.description;
  expect(describeCommand(true)).toContain('It has network access.');
  expect(describeCommand(false)).toContain('It has no network access.');
});

it.each([
  ['a change', {}, ['done', 'needs-guidance']],
  ['a review', { reviews: 'build' }, ['approved', 'changes-requested', 'needs-guidance']],
])('limits the outcomes of %s', (_, more, outcomes) => {
  const finish = listStepTools({ ...step, ...more }).find(({ name }) => name === 'finish');
  const all = ['done', 'approved', 'changes-requested', 'needs-guidance', 'other'];
  expect(all.filter((outcome) => finish?.inputSchema.safeParse({ outcome, summary: 'x' }).success)).toEqual(outcomes);
});

it('reads a file from its first line on', () => {
  const read = listStepTools(step).find(({ name }) => name === 'read_file')?.inputSchema;
  const isAccepted = (from: number) => read?.safeParse({ path: 'src/index.js', from }).success;
  expect([0, 1, 1.5].map(isAccepted)).toEqual([false, true, false]);
});

it('accepts a draft only for a step that delivers one', () => {
  const parse = (more: Partial<AgentStep>) =>
    listStepTools({ ...step, ...more })
      .find(({ name }) => name === 'finish')
      ?.inputSchema.parse({ outcome: 'done', summary: 'x', draft: 'Hello' });
  expect(parse({ deliver: 'chat' })).toHaveProperty('draft', 'Hello');
  expect(parse({})).not.toHaveProperty('draft');
});

it.each([
  ['run_command', 'command', {}],
  ['read_file', 'path', {}],
  ['search', 'pattern', {}],
  ['finish', 'summary', { outcome: 'done' }],
])('accepts no NUL for %s, which no program can receive', (name, field, more) => {
  const schema = listStepTools(step).find((tool) => tool.name === name)?.inputSchema;
  expect(schema?.safeParse({ ...more, [field]: 'a b' }).success).toBe(true);
  expect(schema?.safeParse({ ...more, [field]: 'a\0b' }).error?.issues).toMatchObject([
    { path: [field], message: 'must not contain the character NUL' },
  ]);
});
