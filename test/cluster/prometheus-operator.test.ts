import { expect, inject, it, onTestFinished } from 'vitest';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { AlertmanagerConfigKind, PodMonitorKind, PrometheusRuleKind } from '../../src/kinds/prometheus-operator.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { openClusterStore } from './open-cluster-store.ts';

const cluster = inject('cluster');
const namespace = `org-t${crypto.randomUUID().slice(0, 8)}`;

/** The API server warns about a field that the CRD does not have, and drops it. */
it('stores every field of the kinds that the service writes', async () => {
  const store = await openClusterStore(cluster);
  onTestFinished(async () => {
    await kubectl(cluster, ['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
    await store.close();
  });
  await store.create(NamespaceKind, { metadata: { namespace: '', name: namespace } });
  const rule = {
    groups: [
      {
        name: 'slo',
        interval: '30s',
        rules: [
          { record: 'service:slo_errors:ratio_5m', expr: 'vector(1)', labels: { zone: 'hello-rc' } },
          { alert: 'Burning', expr: 'vector(1)', for: '2m', labels: { severity: 'critical' }, annotations: { a: 'b' } },
        ],
      },
    ],
  };
  const config = {
    route: {
      receiver: 'service',
      groupBy: ['...'],
      groupWait: '10s',
      groupInterval: '1m',
      repeatInterval: '4h',
      matchers: [{ name: 'service', value: 'delivery', matchType: '=' as const }],
      continue: true,
    },
    receivers: [
      {
        name: 'service',
        webhookConfigs: [
          {
            url: 'https://delivery.example.com/api/v1/alerts',
            sendResolved: true,
            maxAlerts: 100,
            httpConfig: {
              authorization: { type: 'Bearer', credentials: { name: 'service-alert-webhook', key: 'token' } },
              followRedirects: false,
            },
          },
        ],
      },
    ],
  };
  const monitor = {
    selector: { matchLabels: { app: 'hello' } },
    podMetricsEndpoints: [
      {
        port: 'http',
        path: '/metrics',
        interval: '15s',
        scrapeTimeout: '5s',
        honorLabels: false,
        followRedirects: false,
      },
    ],
    sampleLimit: 1_000,
    labelLimit: 32,
    labelNameLengthLimit: 128,
    labelValueLengthLimit: 512,
    bodySizeLimit: '2MB',
  };
  const metadata = { namespace, name: 'service-slo-hello' };
  expect(await store.create(PrometheusRuleKind, { metadata, spec: rule })).toMatchObject({ spec: rule });
  expect(await store.create(AlertmanagerConfigKind, { metadata, spec: config })).toMatchObject({ spec: config });
  expect(await store.create(PodMonitorKind, { metadata, spec: monitor })).toMatchObject({ spec: monitor });
});
