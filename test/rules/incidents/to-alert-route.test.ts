import { expect, it } from 'vitest';
import { speaksFor } from '../../../src/rules/incidents/to-alert-episode.ts';
import { alertRouteName, toAlertRoute } from '../../../src/rules/incidents/to-alert-route.ts';

it('tells the end of alerts too, with the token from the namespace of the org, which no redirect takes elsewhere', () => {
  const url = 'http://api.test/api/v1/webhooks/alerts';
  expect(toAlertRoute(url).receivers[0]?.webhookConfigs).toEqual([
    {
      url,
      sendResolved: true,
      httpConfig: {
        authorization: { type: 'Bearer', credentials: { name: 'service-alert-webhook', key: 'token' } },
        followRedirects: false,
      },
    },
  ]);
});

it('has a receiver whose name in Alertmanager speaks for the org only', () => {
  const receiver = `org-acme/${alertRouteName}/${toAlertRoute('http://api.test').route.receiver}`;
  expect([speaksFor(receiver, 'org-acme'), speaksFor(receiver, 'org-other')]).toEqual([true, false]);
});
