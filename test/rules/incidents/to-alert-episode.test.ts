import { expect, it } from 'vitest';
import { speaksFor, toAlertEpisode } from '../../../src/rules/incidents/to-alert-episode.ts';
import { WebhookAlert } from '../../../src/rules/incidents/webhook-message.ts';

const alert = (changes: object = {}, labels: object = {}): WebhookAlert =>
  WebhookAlert.parse({
    status: 'firing',
    labels: {
      alertname: 'SloFastBurn',
      namespace: 'org-acme',
      product: 'shop',
      zone: 'shop-prod',
      slo: 'answered',
      severity: 'critical',
      ...labels,
    },
    annotations: { summary: 'shop-prod burns its error budget', description: ' 1.6 % of the requests failed. ' },
    startsAt: '2026-11-24T13:00:00.123+01:00',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'https://prometheus.example.com/graph?g0.expr=1',
    fingerprint: 'b1946ac92f6e4a3c',
    ...changes,
  });

it('reads what an alert is about from its labels', () => {
  expect(toAlertEpisode(alert())).toEqual({
    org: 'acme',
    product: 'shop',
    zone: 'shop-prod',
    severity: 'critical',
    title: 'shop-prod burns its error budget',
    text: '1.6 % of the requests failed.',
    name: 'SloFastBurn',
    fingerprint: 'b1946ac92f6e4a3c',
    startsAt: '2026-11-24T12:00:00.123Z',
    slo: 'answered',
    ruleUrl: 'https://prometheus.example.com/graph?g0.expr=1',
  });
});

it('has an end only when the alert is resolved', () => {
  const resolved = alert({ status: 'resolved', endsAt: '2026-11-24T12:10:00Z' });
  expect(toAlertEpisode(resolved)?.endsAt).toBe('2026-11-24T12:10:00.000Z');
});

it('keeps no link that is not a web address, and treats an unknown severity as a warning', () => {
  const episode = toAlertEpisode(alert({ generatorURL: 'javascript:alert(1)', annotations: {} }, { severity: 'page' }));
  expect(episode).toMatchObject({ severity: 'warning', title: 'SloFastBurn fires in shop-prod' });
  expect(episode).not.toHaveProperty('ruleUrl');
  expect(episode).not.toHaveProperty('text');
});

it.each([{ namespace: 'service-system' }, { namespace: 'org-' }, { product: '../x' }, { zone: 'A b' }])(
  'attributes an alert with the labels %j to nothing',
  (labels) => {
    expect(toAlertEpisode(alert({}, labels))).toBeUndefined();
  },
);

it.each([
  ['org-acme/service-incidents/service', true],
  ['org-globex/service-incidents/service', false],
  ['service', true],
])('lets the receiver %s speak for org-acme: %s', (receiver, speaks) => {
  expect(speaksFor(receiver, 'org-acme')).toBe(speaks);
});
