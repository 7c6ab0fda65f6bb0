import { expect, it } from 'vitest';
import {
  buildAlertmanagerFile,
  toAlertmanagerPart,
} from '../../../src/emulators/prometheus-operator/alertmanager-config.ts';
import { type Secret, toSecretData } from '../../../src/kinds/kubernetes.ts';
import type { AlertmanagerConfig } from '../../../src/kinds/prometheus-operator.ts';

const metadata = { namespace: 'org-acme', name: 'service-incidents', uid: 'u', resourceVersion: '1', generation: 1 };
const anObject = (spec: AlertmanagerConfig['spec']): AlertmanagerConfig => ({
  apiVersion: 'monitoring.coreos.com/v1alpha1',
  kind: 'AlertmanagerConfig',
  metadata: { ...metadata, creationTimestamp: '' },
  spec,
});
const credentials = { name: 'service-alert-webhook', key: 'token' };
const secret = { data: toSecretData({ token: 'a-token' }) } as unknown as Secret;

it('matches only alerts of its own namespace, and prefixes the names of its receivers', () => {
  const object = anObject({
    route: {
      receiver: 'service',
      groupBy: ['alertname'],
      groupWait: '10s',
      groupInterval: '1m',
      repeatInterval: '4h',
      matchers: [{ name: 'zone', value: 'a"b', matchType: '=~' }],
      routes: [{ receiver: 'service', matchers: [{ name: 'severity', value: 'critical' }] }],
    },
    receivers: [
      {
        name: 'service',
        webhookConfigs: [
          {
            url: 'http://localhost:8080/api/v1/alerts',
            sendResolved: true,
            maxAlerts: 10,
            httpConfig: { authorization: { credentials }, followRedirects: false },
          },
        ],
      },
    ],
  });
  const name = 'org-acme/service-incidents/service';
  const part = toAlertmanagerPart(object, (ref) => (ref.namespace === 'org-acme' ? secret : undefined));
  expect(buildAlertmanagerFile([part])).toEqual({
    route: {
      receiver: 'null',
      routes: [
        {
          receiver: name,
          group_by: ['alertname'],
          group_wait: '10s',
          group_interval: '1m',
          repeat_interval: '4h',
          matchers: ['namespace="org-acme"', String.raw`zone=~"a\"b"`],
          continue: true,
          routes: [{ receiver: name, matchers: ['severity="critical"'] }],
        },
      ],
    },
    receivers: [
      { name: 'null' },
      {
        name,
        webhook_configs: [
          {
            url: 'http://localhost:8080/api/v1/alerts',
            send_resolved: true,
            max_alerts: 10,
            http_config: { follow_redirects: false, authorization: { type: 'Bearer', credentials: 'a-token' } },
          },
        ],
      },
    ],
  });
});

it('names the Secret or the key that is missing', () => {
  const object = anObject({
    route: { receiver: 'service' },
    receivers: [
      { name: 'service', webhookConfigs: [{ url: 'http://x', httpConfig: { authorization: { credentials } } }] },
    ],
  });
  for (const found of [undefined, { ...secret, data: {} }])
    expect(() => toAlertmanagerPart(object, () => found)).toThrow(
      'the Secret org-acme/service-alert-webhook has no key "token"',
    );
});
