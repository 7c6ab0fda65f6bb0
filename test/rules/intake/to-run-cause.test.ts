import { expect, it } from 'vitest';
import type { IssueEvent } from '../../../src/rules/intake/events.ts';
import { toRunCause } from '../../../src/rules/intake/to-run-cause.ts';

const at = '2026-01-01T12:00:00.000Z';
const opened: IssueEvent = {
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number: 7,
  labels: ['bug'],
  at,
  senderIsBot: false,
  isPullRequest: false,
};

it('stores the name, the labels and the time of an event', () => {
  expect(toRunCause(opened)).toStrictEqual({ event: 'issue.opened', labels: ['bug'], at });
});

it('stores the added label', () => {
  expect(toRunCause({ ...opened, action: 'labeled', label: 'bug' })).toMatchObject({
    event: 'issue.labeled',
    label: 'bug',
  });
});

it('has no cause for an event without a time', () => {
  const { at: _, ...undated } = opened;
  expect(toRunCause(undated)).toBeUndefined();
});
