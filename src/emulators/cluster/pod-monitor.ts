import type { PodMonitor } from '../../kinds/prometheus-operator.ts';

/** Builds the PodMonitor that the zone chart renders with its default values. */
export const toPodMonitorSpec = (zone: { namespace: string; name: string }): PodMonitor['spec'] => ({
  selector: {
    matchLabels: { 'app.kubernetes.io/name': zone.name, 'app.kubernetes.io/instance': zone.namespace },
  },
  podMetricsEndpoints: [
    {
      port: 'http',
      path: '/metrics',
      interval: '15s',
      scrapeTimeout: '5s',
      honorLabels: false,
      honorTimestamps: false,
      followRedirects: false,
      metricRelabelings: [{ sourceLabels: ['__name__'], regex: '.*:.*', action: 'drop' }],
    },
  ],
  sampleLimit: 5_000,
  labelLimit: 32,
  labelNameLengthLimit: 128,
  labelValueLengthLimit: 512,
  bodySizeLimit: '2MB',
});
