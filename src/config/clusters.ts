import { z } from 'zod';
import { listSchema } from './schemas.ts';

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
    'Additional clusters for zones, by the names of their Argo CD cluster Secrets.',
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
  PROMETHEUS_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => URL.parse(url)?.username === '', 'must not contain credentials; set PROMETHEUS_TOKEN_FILE')
    .optional()
    .describe('Prometheus with the container metrics of the kubelets, the source of pod metrics in a cluster.'),
  PROMETHEUS_TOKEN_FILE: z
    .string()
    .optional()
    .describe('File of the bearer token for Prometheus. It is read for each request, so the token may change.'),
  PROMETHEUS_SCRAPE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(300)
    .default(30)
    .describe('Scrape interval of that Prometheus.'),
};
type Variables = z.infer<z.ZodObject<typeof clusterVariables>>;

type PrometheusConfig = { url: string; tokenFile?: string; scrapeSeconds: number };

export type ClusterConfig = {
  workloadClusters: readonly string[];
  /** The path of a kubeconfig with a context per workload cluster. */
  workloadKubeconfig: string | undefined;
  /** The URLs of Prometheus, by workload cluster. */
  workloadPrometheus: ReadonlyMap<string, string>;
  prometheus: PrometheusConfig | undefined;
};

export const toClusterConfig = (env: Variables): ClusterConfig => ({
  workloadClusters: env.WORKLOAD_CLUSTERS,
  workloadKubeconfig: env.WORKLOAD_KUBECONFIG,
  workloadPrometheus: new Map(env.WORKLOAD_PROMETHEUS_URLS),
  prometheus: toPrometheusConfig(env),
});

function toPrometheusConfig(env: Variables): PrometheusConfig | undefined {
  const { PROMETHEUS_URL: url, PROMETHEUS_TOKEN_FILE: tokenFile, PROMETHEUS_SCRAPE_SECONDS: scrapeSeconds } = env;
  return url === undefined ? undefined : { url, ...(tokenFile === undefined ? {} : { tokenFile }), scrapeSeconds };
}
