import { expect, it } from 'vitest';
import { criteriaProblem } from '../../../src/rules/agents/judge-criteria.ts';
import { toolsOf } from '../../../src/rules/agents/tools.ts';
import type { AgentStep } from '../../../src/rules/agents/kinds.ts';
import type { Verdict } from '../../../src/rules/changes/kinds.ts';

const step: AgentStep = { name: 's', type: 'agent', role: 'r', mode: 'change', criteria: ['It runs.', 'It is fast.'] };
const judged = (criterion: string, met = true) => ({ criterion, met, note: 'seen' });
const both = [judged('It runs.'), judged('It is fast.')];
const slow = [judged('It runs.'), judged('It is fast.', false)];

it.each<[Verdict['outcome'], Verdict['criteria'], RegExp]>([
  ['done', both, /^no problem$/],
  ['done', undefined, /not judged: "It runs\.", "It is fast\."/],
  ['done', [judged('It runs.')], /not judged: "It is fast\."/],
  ['done', [...both, judged('It runs.', false)], /more than once: "It runs\."/],
  ['done', slow, /takes that all criteria are met.*"It is fast\."/],
  ['approved', slow, /takes that all criteria are met/],
  ['changes-requested', slow, /^no problem$/],
  ['changes-requested', [], /not judged/],
  ['needs-guidance', [], /^no problem$/],
])('%s with %j', (outcome, criteria, expected) => {
  const verdict = { outcome, summary: 'x', ...(criteria && { criteria }) };
  expect(criteriaProblem(step, verdict) ?? 'no problem').toMatch(expected);
});

it('asks for them with finish, and only of steps that have some', () => {
  const finish = (of: AgentStep) => toolsOf(of).find(({ name }) => name === 'finish')?.input;
  const { criteria: _, ...plain } = step;
  const verdict = { outcome: 'done', summary: 'x' };
  expect(finish(plain)?.safeParse(verdict).success).toBe(true);
  expect(finish(step)?.safeParse(verdict).success).toBe(false);
  expect(finish(step)?.safeParse({ ...verdict, criteria: both }).success).toBe(true);
  expect(finish(step)?.safeParse({ ...verdict, criteria: [judged('It is nice.')] }).success).toBe(false);
});
