import type { Pod } from '../../kinds/kubernetes.ts';
import type { PodMonitor } from '../../kinds/prometheus-operator.ts';

export type ScrapeTarget = { targets: string[]; labels: Record<string, string> };
export type ScrapeJob = { name: string; config: object; targets: ScrapeTarget[] };

/** Returns the address at which Prometheus reaches a port of a pod. */
export type ToAddress = (pod: Pod, port: number) => string;

const matches = (pod: Pod, matchLabels: Record<string, string>): boolean =>
  Object.entries(matchLabels).every(([name, value]) => pod.metadata.labels?.[name] === value);

/**
 * Builds the scrape jobs of a PodMonitor. A target has the labels that the operator gives it. Labels of an app never
 * replace them, whatever the object says, as with the operator's `overrideHonorLabels`.
 */
export function toScrapeJobs(monitor: PodMonitor, pods: readonly Pod[], toAddress: ToAddress): ScrapeJob[] {
  const { namespace, name } = monitor.metadata;
  const { selector, podMetricsEndpoints, ...limits } = monitor.spec;
  const selected = pods.filter(
    (pod) => pod.metadata.namespace === namespace && matches(pod, selector.matchLabels ?? {}),
  );
  return podMetricsEndpoints.map((endpoint, index) => ({
    name: `podMonitor/${namespace}/${name}/${index}`,
    config: {
      honor_labels: false,
      honor_timestamps: endpoint.honorTimestamps ?? true,
      metrics_path: endpoint.path ?? '/metrics',
      ...(endpoint.interval && { scrape_interval: endpoint.interval }),
      ...(endpoint.scrapeTimeout && { scrape_timeout: endpoint.scrapeTimeout }),
      follow_redirects: endpoint.followRedirects ?? true,
      ...(endpoint.metricRelabelings && {
        metric_relabel_configs: endpoint.metricRelabelings.map(({ sourceLabels, regex, action }) => ({
          source_labels: sourceLabels,
          regex,
          action,
        })),
      }),
      ...(limits.sampleLimit && { sample_limit: limits.sampleLimit }),
      ...(limits.labelLimit && { label_limit: limits.labelLimit }),
      ...(limits.labelNameLengthLimit && { label_name_length_limit: limits.labelNameLengthLimit }),
      ...(limits.labelValueLengthLimit && { label_value_length_limit: limits.labelValueLengthLimit }),
      ...(limits.bodySizeLimit && { body_size_limit: limits.bodySizeLimit }),
    },
    targets: selected.flatMap((pod) => toTargets(pod, { namespace, name, port: endpoint.port, toAddress })),
  }));
}

type Endpoint = { namespace: string; name: string; port: string; toAddress: ToAddress };

const toTargets = (pod: Pod, { namespace, name, port, toAddress }: Endpoint): ScrapeTarget[] =>
  pod.spec.containers.flatMap((container) =>
    (container.ports ?? [])
      .filter((one) => one.name === port)
      .map(({ containerPort }) => ({
        targets: [toAddress(pod, containerPort)],
        labels: {
          namespace,
          pod: pod.metadata.name,
          container: container.name,
          endpoint: port,
          job: `${namespace}/${name}`,
        },
      })),
  );
