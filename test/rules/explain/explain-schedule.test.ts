import { expect, it } from 'vitest';
import type { AgentWorkflow, AgentWorkflowSpec } from '../../../src/rules/agents/kinds.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { explainSchedule } from '../../../src/rules/explain/explain-schedule.ts';
import type { Organization } from '../../../src/rules/orgs/kinds.ts';

const now = new Date('2026-03-02T10:30:00.000Z');
const metadata = { name: 'report', namespace: 'org-acme', creationTimestamp: '2026-01-01T00:00:00.000Z' };

const explain = (
  spec: Partial<AgentWorkflowSpec>,
  {
    enabled = true,
    lastScheduledAt = '2026-03-02T09:00:00.000Z',
    schedule = '0 9 * * * (UTC)',
    conditions = undefined as ReturnType<typeof withAcceptedCondition>,
  } = {},
) =>
  explainSchedule(
    {
      metadata,
      spec: { enabled: true, triggers: [{ type: 'cron', schedule: '0 9 * * *' }], steps: [], ...spec },
      status: { lastScheduledAt, schedule, conditions },
    } as unknown as AgentWorkflow,
    { metadata, spec: { scheduling: { enabled, timeZone: 'UTC' } } } as unknown as Organization,
    now,
  );

it('names the next due time', () => {
  const explanation = explain({});
  expect(explanation).toMatchObject({
    state: 'waiting',
    rule: 'not-due',
    message: 'The schedule is due next at 2026-03-03T09:00:00.000Z.',
  });
  expect(explanation.facts).toContainEqual({ name: 'schedule', value: '0 9 * * * (UTC)' });
});

it('says that runs are due', () => {
  expect(explain({}, { lastScheduledAt: '2026-03-01T09:00:00.000Z' })).toMatchObject({ state: 'running', rule: 'due' });
});

it('says that runs that are due wait for the quota of the org', () => {
  const schedule = '0 9 * * * (UTC); the rest of its runs waits, because the org has reached the limit of 2 runs';
  expect(explain({}, { lastScheduledAt: '2026-03-01T09:00:00.000Z', schedule })).toMatchObject({
    state: 'waiting',
    rule: 'quota-reached',
    message: `The runs that were due at 2026-03-02T09:00:00.000Z wait: ${schedule}.`,
    fix: 'Wait until runs of the org finish, or cancel some that are not needed.',
  });
  expect(explain({}, { schedule }), 'an earlier due time').toMatchObject({ rule: 'not-due' });
});

it.each([
  ['no-cron-trigger', { triggers: [] }, {}],
  ['scheduling-off', {}, { enabled: false }],
  ['workflow-disabled', { enabled: false }, {}],
  ['workflow-rejected', {}, { conditions: withAcceptedCondition([], { rejection: 'No.', generation: 1, at: '' }) }],
  ['never-due', { triggers: [{ type: 'cron' as const, schedule: '0 0 30 2 *' }] }, {}],
])('says why nothing starts: %s', (rule, spec, org) => {
  expect(explain(spec, org)).toMatchObject({ state: 'nothing', rule, fix: expect.any(String) });
});
