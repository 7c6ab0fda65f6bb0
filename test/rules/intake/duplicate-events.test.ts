import { describe, expect, it } from 'vitest';
import { isSameEvent, isSameIssueOpening } from '../../../src/rules/intake/duplicate-events.ts';
import type { IssueEvent } from '../../../src/rules/intake/events.ts';
import { toRunCause } from '../../../src/rules/intake/to-run-cause.ts';

const at = '2026-01-01T12:00:00Z';
const opened: IssueEvent = {
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number: 7,
  labels: ['bug'],
  at,
  openedAt: at,
  senderIsBot: false,
  isPullRequest: false,
};
const labeled: IssueEvent = { ...opened, action: 'labeled', label: 'bug' };
const later = (event: IssueEvent, seconds: number): IssueEvent => ({
  ...event,
  at: new Date(Date.parse(at) + seconds * 1_000).toISOString(),
});

describe('isSameIssueOpening', () => {
  it.each<[string, IssueEvent, IssueEvent, boolean]>([
    ['a label after the opening', later(labeled, 1), opened, true],
    ['the opening after its label', opened, later(labeled, 1), true],
    ['two labels of one opening', { ...labeled, label: 'x' }, labeled, true],
    ['the same label again', later(labeled, 5), labeled, false],
    ['a label a while later', later(labeled, 120), opened, false],
    ['an opening long before the run', labeled, later(opened, 120), false],
    ['an opening a minute before the run', labeled, later(opened, 60), true],
    ['a smaller set of labels', labeled, { ...opened, labels: ['bug', 'x'] }, false],
    ['another set of labels', { ...labeled, labels: ['bug', 'x'] }, opened, false],
  ])('recognizes %s', (_, event, cause, expected) => {
    expect(isSameIssueOpening(event, toRunCause(cause))).toBe(expected);
  });

  it('is false without a cause', () => {
    expect(isSameIssueOpening(opened, undefined)).toBe(false);
  });
});

describe('isSameEvent', () => {
  it.each<[string, IssueEvent, IssueEvent, boolean]>([
    ['an event that is rounded differently', later(opened, 1), opened, true],
    ['a later event of the same kind', later(opened, 10), opened, false],
    ['another label', { ...labeled, label: 'x' }, labeled, false],
    ['another action', labeled, opened, false],
  ])('recognizes %s', (_, event, cause, expected) => {
    expect(isSameEvent(event, toRunCause(cause))).toBe(expected);
  });
});
