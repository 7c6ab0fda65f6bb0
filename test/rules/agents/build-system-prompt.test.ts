import { expect, it } from 'vitest';
import { buildSystemPrompt, type SystemPromptInput } from '../../../src/rules/agents/build-system-prompt.ts';
import { untrustedTag } from '../../../src/rules/agents/untrusted-content.ts';

const build = (step: Partial<SystemPromptInput['step']> = {}, more: Partial<SystemPromptInput> = {}): string =>
  buildSystemPrompt({
    product: 'hello',
    step: { name: 's', type: 'agent', role: 'r', mode: 'report', ...step },
    role: { responsibilities: ['Look.', 'Listen.'] },
    ...more,
  });

it('names the AgentRole, the step and the Product, and lists the responsibilities', () => {
  const prompt = build();
  expect(prompt).toContain('AgentRole "r"');
  expect(prompt).toContain('the step "s" for the Product "hello"');
  expect(prompt).toContain('- Look.\n- Listen.');
});

it('explains the tag of untrusted content', () => {
  expect(build()).toContain(untrustedTag);
});

it.each([
  ['a change', { mode: 'change' as const }, 'the service commits and pushes your changes'],
  ['a report', {}, '"done" and your report as the summary'],
  ['a review', { reviews: 'build' }, 'You review the work of the step "build"'],
  ['a draft for the issue', { deliver: 'issue' as const }, 'posts your text as a comment on the issue'],
  ['a draft for chat', { deliver: 'chat' as const }, 'people read before it is published'],
])('describes how %s ends', (_, step, expected) => {
  expect(build(step)).toContain(expected);
});

it('lists the success criteria only when the step has some', () => {
  expect(build({ criteria: ['It runs.'] })).toContain('all of these criteria are met');
  expect(build()).not.toContain('criteria');
});

it('states whether commands can reach the network', () => {
  expect(build()).toContain('There is no network');
  expect(build({}, { network: true })).toContain('Commands can reach public addresses');
});
