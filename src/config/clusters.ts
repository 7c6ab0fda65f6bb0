import { z } from 'zod';
import { httpUrlSchema, listSchema, wholeNumberSchema } from './schemas.ts';

const hourMs = 3_600_000;
const unitMs = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs, y: 365 * 24 * hourMs };

/** A server of metrics or alerts, whose credentials are in files. */
const metricsUrlSchema = z
  .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://', abort: true })
  .refine((url) => URL.parse(url)?.username === '', 'must not contain credentials; set PROMETHEUS_TOKEN_FILE')
  .optional();

const clusterUrlsSchema = listSchema.transform((entries, context) =>
  entries.map((entry): [string, string] => {
    const [, cluster = '', url = ''] = /^([^=]+)=(https?:\/\/.+)$/.exec(entry) ?? [];
    // The message is logged, so it must not contain credentials of a URL.
    if (url === '' || URL.parse(url)?.username !== '')
      context.addIssue({ code: 'custom', message: 'each entry must be <cluster>=<url>, without credentials' });
    return [cluster, url];
  }),
);

export const clusterVariables = {
  WORKLOAD_CLUSTERS: listSchema.describe(
    'Additional clusters for zones, by the names of their Argo CD cluster Secrets. Platform admins add others in the settings.',
  ),
  WORKLOAD_KUBECONFIG: z
    .string()
    .optional()
    .describe(
      'kubeconfig with a context per workload cluster, by its name. Through it the service reads pods, logs and events, and checks apps. Without it, zones there show nothing of the kind.',
    ),
  WORKLOAD_PROMETHEUS_URLS: clusterUrlsSchema.describe(
    'Prometheus servers of workload clusters, each as <cluster>=<url>. They get the token of PROMETHEUS_TOKEN_FILE.',
  ),
  PROMETHEUS_URL: metricsUrlSchema.describe(
    'Prometheus with the metrics of apps, kube-state-metrics and the kubelets: the source of pod metrics and of SLOs in a cluster.',
  ),
  ALERTMANAGER_URL: metricsUrlSchema.describe(
    'Alertmanager of that Prometheus, which is asked for the alerts that fire. It gets the credentials of Prometheus.',
  ),
  ALERT_WEBHOOK_URL: httpUrlSchema
    .default('http://service-api.service-system.svc.cluster.local/api/v1/webhooks/alerts')
    .describe('URL at which Alertmanager reaches the intake of alerts.'),
  PROMETHEUS_TOKEN_FILE: z
    .string()
    .optional()
    .describe('File of the bearer token for Prometheus. It is read for each request, so the token may change.'),
  PROMETHEUS_BASIC_AUTH_FILE: z
    .string()
    .optional()
    .describe('File of "<user>:<password>" for Prometheus, instead of a token. It is read for each request.'),
  PROMETHEUS_SCRAPE_SECONDS: wholeNumberSchema(1, 300).default(30).describe('Scrape interval of that Prometheus.'),
  METRICS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether "npm start" runs Prometheus and Alertmanager, unless PROMETHEUS_URL names another one.'),
  METRICS_RETENTION: z
    .string()
    .regex(/^[1-9]\d{0,3}[hdwy]$/, 'must be a duration such as 14d, 336h, 2w or 1y')
    .default('14d')
    .describe('How long Prometheus keeps metrics. The window of an SLO must fit within it.'),
};
type Variables = z.infer<z.ZodObject<typeof clusterVariables>>;

type MetricsServer = { url: string; tokenFile?: string; basicAuthFile?: string };
type PrometheusConfig = MetricsServer & { scrapeSeconds: number };

export type ClusterConfig = {
  workloadClusters: readonly string[];
  /** The path of a kubeconfig with a context per workload cluster. */
  workloadKubeconfig: string | undefined;
  /** The URLs of Prometheus, by workload cluster. */
  workloadPrometheus: ReadonlyMap<string, string>;
  prometheus: PrometheusConfig | undefined;
  alertmanager: MetricsServer | undefined;
  /** Alertmanager sends alerts to it. */
  alertWebhookUrl: string;
  /** The time for which Prometheus keeps samples. */
  metricsRetentionMs: number;
  /** Whether a platform on one machine runs a Prometheus of its own. */
  embedsMetrics: boolean;
};

export const toClusterConfig = (env: Variables): ClusterConfig => ({
  workloadClusters: env.WORKLOAD_CLUSTERS,
  workloadKubeconfig: env.WORKLOAD_KUBECONFIG,
  workloadPrometheus: new Map(env.WORKLOAD_PROMETHEUS_URLS),
  prometheus: env.PROMETHEUS_URL === undefined ? undefined : toPrometheusConfig(env, env.PROMETHEUS_URL),
  alertmanager: env.ALERTMANAGER_URL === undefined ? undefined : toMetricsServer(env, env.ALERTMANAGER_URL),
  alertWebhookUrl: env.ALERT_WEBHOOK_URL,
  metricsRetentionMs: toMs(env.METRICS_RETENTION),
  embedsMetrics: env.METRICS === 'on' && env.PROMETHEUS_URL === undefined,
});

const toPrometheusConfig = (env: Variables, url: string): PrometheusConfig => ({
  ...toMetricsServer(env, url),
  scrapeSeconds: env.PROMETHEUS_SCRAPE_SECONDS,
});

const toMetricsServer = (env: Variables, url: string): MetricsServer => ({
  url,
  ...(env.PROMETHEUS_TOKEN_FILE !== undefined && { tokenFile: env.PROMETHEUS_TOKEN_FILE }),
  ...(env.PROMETHEUS_BASIC_AUTH_FILE !== undefined && { basicAuthFile: env.PROMETHEUS_BASIC_AUTH_FILE }),
});

const toMs = (duration: string): number =>
  Number.parseInt(duration, 10) * unitMs[duration.slice(-1) as keyof typeof unitMs];
