import { expect, it } from 'vitest';
import { criteriaViolation } from '../../../src/rules/agents/criteria-violation.ts';
import { listStepTools } from '../../../src/rules/agents/tools.ts';
import type { AgentStep } from '../../../src/rules/agents/kinds.ts';
import type { Verdict } from '../../../src/rules/changes/kinds.ts';

const step: AgentStep = { name: 's', type: 'agent', role: 'r', mode: 'change', criteria: ['It runs.', 'It is fast.'] };
const judged = (criterion: string, met = true) => ({ criterion, met, note: 'seen' });
const both = [judged('It runs.'), judged('It is fast.')];
const slow = [judged('It runs.'), judged('It is fast.', false)];

it.each<[Verdict['outcome'], Verdict['criteria'], RegExp]>([
  ['done', both, /^none$/],
  ['done', undefined, /not judged: "It runs\.", "It is fast\."/],
  ['done', [judged('It runs.')], /not judged: "It is fast\."/],
  ['done', [...both, judged('It runs.', false)], /more than once: "It runs\."/],
  ['done', slow, /requires that all criteria are met.*"It is fast\."/],
  ['approved', slow, /requires that all criteria are met/],
  ['changes-requested', slow, /^none$/],
  ['changes-requested', [], /not judged/],
  ['needs-guidance', [], /^none$/],
])('checks the verdict %s with %j', (outcome, criteria, expected) => {
  const verdict = { outcome, summary: 'x', ...(criteria && { criteria }) };
  expect(criteriaViolation(step, verdict) ?? 'none').toMatch(expected);
});

it('is an input of finish only for steps with criteria', () => {
  const finish = (withStep: AgentStep) => listStepTools(withStep).find(({ name }) => name === 'finish')?.inputSchema;
  const { criteria: _, ...plain } = step;
  const verdict = { outcome: 'done', summary: 'x' };
  expect(finish(plain)?.safeParse(verdict).success).toBe(true);
  expect(finish(step)?.safeParse(verdict).success).toBe(false);
  expect(finish(step)?.safeParse({ ...verdict, criteria: both }).success).toBe(true);
  expect(finish(step)?.safeParse({ ...verdict, criteria: [judged('It is nice.')] }).success).toBe(false);
});
