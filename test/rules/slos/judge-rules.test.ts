import { expect, it } from 'vitest';
import { judgeRules } from '../../../src/rules/slos/judge-rules.ts';

const labels = { zone: 'shop-prod' };
const groups = [
  {
    name: 'g',
    rules: [
      { record: 'a', expr: '1', labels },
      { alert: 'B', expr: '1' },
    ],
  },
];
type Health = 'ok' | 'err' | 'unknown';
const load = (health: Health) => [
  {
    name: 'g',
    rules: [
      { name: 'a', labels, health, ...(health === 'err' && { error: 'duplicate series' }) },
      { name: 'B', labels: {}, health: 'ok' as const },
    ],
  },
];

it.each([
  ['Ready', load('ok'), /evaluates all/],
  ['Failed', load('err'), /rule a of shop-prod: duplicate series/],
  ['Pending', load('unknown'), /within five minutes/],
  ['Pending', [], /has not loaded the rules yet.*ruleSelector/],
  ['Pending', [{ name: 'g', rules: load('ok')[0]?.rules.slice(1) ?? [] }], /has not loaded/],
  ['Pending', [{ name: 'other', rules: load('ok')[0]?.rules ?? [] }], /has not loaded/],
] as const)('is %s with %o', (phase, loaded, message) => {
  const verdict = judgeRules(
    groups,
    loaded.map((group) => ({ ...group, rules: [...group.rules] })),
  );
  expect(verdict.phase).toBe(phase);
  expect(verdict.message).toMatch(message);
});
