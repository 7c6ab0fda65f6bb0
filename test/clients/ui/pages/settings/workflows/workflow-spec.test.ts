import { expect, it } from 'vitest';
import {
  describeStep,
  describeTrigger,
  isWorkflowSpec,
} from '../../../../../../src/clients/ui/pages/settings/workflows/workflow-spec.ts';

it('says in words what starts a run', () => {
  expect(
    [
      { type: 'event', event: 'issue.opened', labels: ['service'] } as const,
      { type: 'event', event: 'issue.labeled', labels: ['a', 'b'] } as const,
      { type: 'event', event: 'release.cut' } as const,
      { type: 'onChange', branches: ['main'] } as const,
      { type: 'cron', schedule: '0 6 * * 1' } as const,
    ].map((trigger) => describeTrigger(structuredClone(trigger) as Parameters<typeof describeTrigger>[0])),
  ).toEqual([
    'Issue opened with the label service',
    'Label added: a or b',
    'Release tagged',
    'Pull request into main opened or changed',
    'Schedule 0 6 * * 1',
  ]);
});

it('says in a few words what a step does', () => {
  expect(describeStep({ name: 'check', type: 'agent', role: 'tester', mode: 'report', reviews: 'implement' })).toBe(
    'tester reviews implement',
  );
  expect(describeStep({ name: 'merge', type: 'merge' })).toBe('the pull request is merged');
});

it('recognizes a document that the form can show', () => {
  expect(isWorkflowSpec({ enabled: true, triggers: [], steps: [{ type: 'merge' }] })).toBe(true);
  for (const value of [null, 'text', { steps: [] }, { triggers: [], steps: 'none' }, { triggers: [1], steps: [] }])
    expect(isWorkflowSpec(value)).toBe(false);
});
