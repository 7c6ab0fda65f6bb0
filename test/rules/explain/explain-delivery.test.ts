import { expect, it } from 'vitest';
import { explainDelivery } from '../../../src/rules/explain/explain-delivery.ts';
import { ignoredReasons } from '../../../src/rules/intake/ignored-reasons.ts';

const delivery = {
  agentWorkflow: 'change',
  deliveryId: 'd-1',
  event: 'issue.labeled',
  repo: 'acme/hello',
  number: 12,
  label: 'question',
  at: '2026-01-01T00:00:00.000Z',
};

it('names the run that the event started', () => {
  const explanation = explainDelivery({ ...delivery, run: 'change-hello-12-a' });
  expect(explanation).toMatchObject({ state: 'done', rule: 'run-started' });
  expect(explanation.facts).toContainEqual({ name: 'target', value: 'acme/hello#12' });
  expect(explanation).not.toHaveProperty('fix');
});

it('says why the event started nothing, with the message of that time', () => {
  expect(explainDelivery({ ...delivery, reason: 'label-mismatch' })).toMatchObject({
    state: 'nothing',
    rule: 'label-mismatch',
    message: 'The event started nothing: no trigger matches these labels.',
    fix: expect.stringContaining('label'),
  });
  expect(explainDelivery({ ...delivery, reason: 'event-by-bot', message: 'a bot opened the issue' }).message).toBe(
    'The event started nothing: a bot opened the issue.',
  );
});

it.each(ignoredReasons)('has a fix for %s', (reason) => {
  expect(explainDelivery({ ...delivery, reason }).fix).toMatch(/^[A-Z].*\.$/);
});

it.each(['label-mismatch', 'author-not-member', 'quota-reached'] as const)(
  'says for %s that a label alone starts nothing for a pull request',
  (reason) => {
    const { fix } = explainDelivery({ ...delivery, event: 'pull_request.opened', reason });
    expect(fix).toMatch(/then reopen the pull request or push a commit to it/);
    expect(explainDelivery({ ...delivery, reason }).fix).not.toContain('pull request');
  },
);
