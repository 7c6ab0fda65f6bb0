import { z } from 'zod';
import type { AgentNetwork } from './rules/network/agent-network-violation.ts';
import { type InsideDestination, parseInsideDestination } from './rules/network/allowed-inside.ts';
import type { DomainSettings } from './rules/domains/kinds.ts';
import type { NetworkSettings } from './rules/environments/network-policies.ts';
import type { IngressGateway } from './rules/environments/zone-chart.ts';
import type { PodSecurity } from './rules/environments/zone-namespace.ts';
import type { Quotas } from './rules/quotas.ts';

/** Without a scheme, `localhost:1234` would be a URL with the scheme `localhost`. */
const httpUrlSchema = z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' });
const portSchema = z.coerce.number().int().min(1).max(65535);
const listSchema = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  );
const quotaSchema = z.coerce.number().int().min(1);
const cidrListSchema = listSchema.pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'each entry must be a CIDR')));
const flagSchema = z.enum(['true', 'false']).transform((value) => value === 'true');

const clusterUrlsSchema = listSchema.transform((entries, context) =>
  entries.map((entry): [string, string] => {
    const [, cluster = '', url = ''] = /^([^=]+)=(https?:\/\/.+)$/.exec(entry) ?? [];
    // The message is logged, so it must not contain credentials of a URL.
    if (url === '' || URL.parse(url)?.username !== '')
      context.addIssue({ code: 'custom', message: 'each entry must be <cluster>=<url>, without credentials' });
    return [cluster, url];
  }),
);

const dockerConfigSchema = z.string().refine((text) => {
  try {
    return z.object({ auths: z.record(z.string(), z.object({})) }).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}, 'must be a JSON object with "auths"');

const encryptionKeysSchema = listSchema.transform((entries, context) =>
  entries.flatMap((entry) => {
    const [id = '', text = ''] = entry.split(':');
    const bytes = Buffer.from(text, 'base64');
    if (/^[\w.-]{1,64}$/.test(id) && bytes.length === 32) return [{ id, bytes }];
    // The message is logged, so it must not contain any part of the value.
    context.addIssue({ code: 'custom', message: 'each entry must be <id>:<32 bytes in base64>' });
    return [];
  }),
);

const insideDestinationsSchema = listSchema.transform((entries, context) =>
  entries.flatMap((entry): InsideDestination[] => {
    const destination = parseInsideDestination(entry);
    if (destination) return [destination];
    context.addIssue({
      code: 'custom',
      message: `"${entry}" must be <host>, <host>:<port>, an address or a CIDR range`,
    });
    return [];
  }),
);

/** Every variable that the service reads. An empty one counts as absent. */
const EnvironmentVariables = z.object({
  PORT: portSchema.default(8080).describe('Port of the API.'),
  HOST: z.string().default('127.0.0.1').describe('Address that the API listens on.'),
  PUBLIC_URL: httpUrlSchema
    .optional()
    .describe('URL at which people and the code host reach the API (default: http://localhost:PORT).'),
  STORE: z
    .enum(['sqlite', 'kubernetes'])
    .default('sqlite')
    .describe('Store of resources: a file in DATA_DIR, or the cluster of KUBECONFIG or of the pod.'),
  METRICS_PORT: portSchema
    .optional()
    .describe('Port for /metrics, which no other port serves. Without it, the API serves no metrics.'),
  TRUSTED_PROXIES: cidrListSchema.describe(
    'Addresses of proxies in front of the API, as CIDRs. Only their X-Forwarded-For header names the address of a caller.',
  ),
  TOKEN_DAYS_DEFAULT: z.coerce
    .number()
    .int()
    .min(1)
    .default(90)
    .describe('Lifetime of an API token that is created without an expiry, in days.'),
  TOKEN_DAYS_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .default(365)
    .describe('Longest lifetime that an API token can be created with, in days.'),
  QUOTA_TOKENS_PER_USER: quotaSchema.default(50).describe('API tokens that one person can have.'),
  QUOTA_STREAMS_PER_USER: quotaSchema
    .default(20)
    .describe('Event streams that one person can have open at one API process.'),
  QUOTA_REQUESTS_PER_USER_PER_MINUTE: quotaSchema
    .default(12_000)
    .describe('The requests that one person may send to each API process in a minute.'),
  QUOTA_PRODUCTS_PER_ORG: quotaSchema.default(200).describe('Products that one org can have.'),
  QUOTA_ZONES_PER_ORG: quotaSchema.default(500).describe('Zones that all Products of one org can have together.'),
  QUOTA_DOMAINS_PER_ORG: quotaSchema.default(100).describe('Domains that one org can claim.'),
  QUOTA_RUNS_PER_ORG: quotaSchema
    .default(50)
    .describe('Runs of one org that can be in progress at once. A run that waits for a person does not count.'),
  SHUTDOWN_DELAY_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(0)
    .describe('Time for which a stopping API still accepts requests, so that load balancers notice the shutdown.'),
  DATA_DIR: z.string().default('.service').describe('Directory of the store, blobs and checkouts on one machine.'),
  STORE_PATH: z.string().optional().describe('File of the SQLite store (default: store.sqlite in DATA_DIR).'),
  SERVICE_ACCOUNT: z
    .string()
    .regex(/^[^/]+\/[^/]+$/)
    .optional()
    .describe(
      'Service account of this process as <namespace>/<name>. With it, the process binds roles in namespaces; without it, the account needs all rights in advance.',
    ),
  ORG_CLUSTER_ROLE: z
    .string()
    .default('service-org')
    .describe('ClusterRole that SERVICE_ACCOUNT binds itself to in namespaces of orgs.'),
  ZONE_CLUSTER_ROLE: z
    .string()
    .default('service-zone')
    .describe('ClusterRole that SERVICE_ACCOUNT binds itself to in namespaces of zones.'),
  TEMPORAL_ADDRESS: z
    .string()
    .default('127.0.0.1:7233')
    .describe('Address of the Temporal server. One beyond this machine requires a client certificate or an API key.'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace of the workflows.'),
  TEMPORAL_TLS: flagSchema
    .optional()
    .describe('Connect to Temporal over TLS (default: true if a certificate or an API key is set).'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional().describe('Client certificate for mutual TLS (PEM).'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional().describe('Private key of the client certificate (PEM).'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional().describe('CA certificate (default: system CAs).'),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .optional()
    .describe('Server name in the certificate, if it differs from the address.'),
  TEMPORAL_API_KEY: z.string().optional().describe('API key of the Temporal server.'),
  TEMPORAL_ENCRYPTION_KEYS: encryptionKeysSchema.describe(
    'Encrypts workflow payloads: <id>:<32 bytes in base64>,… The first key encrypts, every key decrypts.',
  ),
  CODEHOST_URL: httpUrlSchema.default('https://github.com').describe('Web URL of the code host.'),
  CODEHOST_API_URL: httpUrlSchema.default('https://api.github.com').describe('REST API URL of the code host.'),
  WEBHOOK_BODY_MIB: z.coerce
    .number()
    .int()
    .min(1)
    .max(25)
    .default(5)
    .describe('Largest webhook body in MiB. Code hosts send up to 25, but events that start runs are much smaller.'),
  WEBHOOK_UNVERIFIED_MIB: z.coerce
    .number()
    .int()
    .min(32)
    .max(4096)
    .default(64)
    .describe('Memory in MiB that a process spends on webhook bodies whose signature is not verified yet.'),
  CODEHOST_MANIFEST_TOKEN: z
    .string()
    .optional()
    .describe('Token for the conversion of app manifests, only for a code host that demands one. GitHub does not.'),
  CODEHOST_THROTTLE: flagSchema
    .default(true)
    .describe('Space out writes to the code host. Set false only for a code host without rate limits.'),
  ZONE_ADDRESS: z
    .string()
    .includes('{zone}')
    .default('https://{zone}.example.com')
    .describe('URL of a zone, with {zone} for its name.'),
  ZONE_SERVICE: z
    .string()
    .includes('{zone}')
    .default('http://{product}.{zone}.svc.cluster.local')
    .describe('URL at which the service itself reaches the app of a zone, with {product} and {zone}.'),
  INGRESS_CLASS: z
    .string()
    .optional()
    .describe(
      'Ingress class of zones in a cluster, of any controller (default: the default class of the cluster). INGRESS_GATEWAY replaces it.',
    ),
  INGRESS_GATEWAY: z
    .string()
    .regex(/^[^/]+\/[^/]+(\/[^/]+)?$/, 'must be <namespace>/<name> or <namespace>/<name>/<listener>')
    .optional()
    .describe(
      'Gateway (Gateway API) of zones in a cluster, as <namespace>/<name> or <namespace>/<name>/<listener>. Zones get an HTTPRoute instead of an Ingress; the Gateway has the certificates.',
    ),
  GATE_IMAGE: z
    .string()
    .optional()
    .describe('Image of the gate in front of zones that require sign-in; such zones in a cluster need it.'),
  GATE_API_URL: httpUrlSchema
    .default('http://service-api.service-system.svc.cluster.local')
    .describe('URL at which gates reach the API. Those in workload clusters use PUBLIC_URL.'),
  CERTIFICATE_ISSUER: z
    .string()
    .optional()
    .describe('ClusterIssuer that issues the certificates of zones in a cluster (default: letsencrypt).'),
  ARGO_CD_NAMESPACE: z
    .string()
    .default('argocd')
    .describe('Namespace of Argo CD, in which the service writes an AppProject for each org.'),
  GATEWAY_NAMESPACES: listSchema.describe(
    'Namespaces of the proxies that serve zones: their pods may connect to public zones and to gates, and no other pods may.',
  ),
  ZONE_ALLOWED_CIDRS: cidrListSchema.describe(
    'Inside addresses that the pods of zones may connect to. All others must be public.',
  ),
  BLOCKED_CIDRS: cidrListSchema.describe(
    'Public addresses that the pods of zones and builds must not connect to, such as those of nodes.',
  ),
  BUILD_ALLOWED_CIDRS: cidrListSchema.describe(
    'The only addresses that the pods of builds may connect to: code host and registries (default: port 443 of public ones).',
  ),
  BUILD_POD_SECURITY: z
    .enum(['restricted', 'baseline', 'privileged'])
    .default('restricted')
    .describe(
      'Pod Security Standard of the namespaces of orgs, in which builds run. Strategies that run as root need baseline.',
    ),
  INGRESS_HOST: z.string().toLowerCase().optional().describe('Host that the CNAME records of domains point to.'),
  INGRESS_ADDRESSES: listSchema.describe('IP addresses for domains that cannot have a CNAME record.'),
  MANAGED_BASE_DOMAINS: listSchema.describe(
    'Base domains whose subdomains the service assigns; it writes their records as DNSEndpoints.',
  ),
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
  PLATFORM_ORG: z.string().optional().describe('Org whose domains can be shared with every org.'),
  CERTIFICATE_AUTHORITIES: listSchema.describe(
    'Names of the certificate authority in CAA records (default: letsencrypt.org).',
  ),
  DNS_RESOLVERS: listSchema.describe(
    'DNS resolvers, each as <address> or <address>:<port> (default: system resolvers).',
  ),
  DNS_ZONE_SERVERS: listSchema.describe(
    'Name servers of DNS zones that no resolver knows, each as <dnsZone>=<address>:<port>.',
  ),
  IMAGE_REPOSITORY: z
    .string()
    .default('registry.local/{org}/{product}')
    .describe('Image repository of builds, with {org} and {product}.'),
  BUILD_STRATEGY: z
    .string()
    .default('buildpacks-v3')
    .describe('ClusterBuildStrategy of Shipwright that builds images.'),
  REGISTRY_PUSH_CREDENTIALS: dockerConfigSchema
    .optional()
    .describe(
      'Credentials with which builds push images, as the text of a config.json of Docker. An org can have others in a Secret named registry-push.',
    ),
  REGISTRY_PULL_CREDENTIALS: dockerConfigSchema
    .optional()
    .describe('Credentials with which zones pull images, as the text of a config.json of Docker.'),
  MODEL_BASE_URL: httpUrlSchema.optional().describe('URL of an OpenAI-compatible model endpoint.'),
  MODEL_NAME: z.string().optional().describe('Model that MODEL_BASE_URL serves.'),
  MODEL_API_KEY: z.string().optional().describe('API key of MODEL_BASE_URL.'),
  BLOBS_S3_BUCKET: z
    .string()
    .optional()
    .describe('S3-compatible bucket for transcripts and other blobs (default: a folder of DATA_DIR).'),
  BLOBS_S3_ENDPOINT: httpUrlSchema.optional().describe('URL of the S3 service (default: AWS).'),
  BLOBS_S3_REGION: z.string().default('us-east-1').describe('Region of the bucket.'),
  BLOBS_S3_ACCESS_KEY_ID: z.string().optional().describe('Access key id of the bucket.'),
  BLOBS_S3_SECRET_ACCESS_KEY: z.string().optional().describe('Secret access key of the bucket.'),
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
  SANDBOX: z
    .enum(['required', 'i-accept-that-agents-can-read-and-change-this-machine'])
    .default('required')
    .describe('Whether agents may run commands on a host without a sandbox.'),
  AGENT_NETWORK: z
    .enum(['never', 'public'])
    .default('never')
    .describe(
      'Whether commands of agents may reach public addresses, if the org and the AgentRole allow it too (ports 80 and 443).',
    ),
  ALLOWED_INSIDE_ADDRESSES: insideDestinationsSchema.describe(
    'Destinations inside the network that tenants may name, each as <host>, <host>:<port>, <address> or <CIDR>: for example a model server or a mirror of a registry. All others must be public.',
  ),
  CHROMIUM_PATH: z
    .string()
    .optional()
    .describe('Browser for screenshots of zones (default: the first Chromium or Chrome on PATH).'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Lowest level of log lines that are written.'),
});

/** Variables that can also be set as `<NAME>_FILE`, the path of a file with the value. */
export const secretVariables = [
  'CODEHOST_MANIFEST_TOKEN',
  'MODEL_API_KEY',
  'REGISTRY_PUSH_CREDENTIALS',
  'REGISTRY_PULL_CREDENTIALS',
  'BLOBS_S3_ACCESS_KEY_ID',
  'BLOBS_S3_SECRET_ACCESS_KEY',
  'TEMPORAL_API_KEY',
  'TEMPORAL_ENCRYPTION_KEYS',
] as const satisfies (keyof z.infer<typeof EnvironmentVariables>)[];

const isLoopback = (address: string): boolean =>
  /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/.test(address);

const authenticatesToTemporal = (env: z.infer<typeof EnvironmentVariables>): boolean =>
  env.TEMPORAL_API_KEY !== undefined || (env.TEMPORAL_TLS !== false && env.TEMPORAL_TLS_CLIENT_CERT_PATH !== undefined);

const ValidatedEnvironment = EnvironmentVariables.superRefine((env, context) => {
  if (env.TOKEN_DAYS_DEFAULT > env.TOKEN_DAYS_MAX)
    context.addIssue({ code: 'custom', path: ['TOKEN_DAYS_DEFAULT'], message: 'must not exceed TOKEN_DAYS_MAX' });
  if (!env.TEMPORAL_TLS_CLIENT_CERT_PATH !== !env.TEMPORAL_TLS_CLIENT_KEY_PATH)
    context.addIssue({
      code: 'custom',
      path: [env.TEMPORAL_TLS_CLIENT_CERT_PATH ? 'TEMPORAL_TLS_CLIENT_KEY_PATH' : 'TEMPORAL_TLS_CLIENT_CERT_PATH'],
      message: 'is required: set the certificate and its key together',
    });
  if (!isLoopback(env.TEMPORAL_ADDRESS) && !authenticatesToTemporal(env))
    context.addIssue({
      code: 'custom',
      path: ['TEMPORAL_ADDRESS'],
      message:
        'names a server beyond this machine, which would obey everyone who reaches it: set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or TEMPORAL_API_KEY',
    });
  if (env.BLOBS_S3_BUCKET === undefined) return;
  for (const name of ['BLOBS_S3_ACCESS_KEY_ID', 'BLOBS_S3_SECRET_ACCESS_KEY'] as const)
    if (env[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'is required with BLOBS_S3_BUCKET' });
});

export type Config = {
  port: number;
  host: string;
  publicUrl: string;
  store: 'sqlite' | 'kubernetes';
  metricsPort: number | undefined;
  trustedProxies: readonly string[];
  tokenLifetime: { defaultDays: number; maxDays: number };
  quotas: Quotas;
  shutdownDelaySeconds: number;
  dataDir: string;
  storePath: string;
  /** The roles that this process binds to its account per namespace; undefined if it binds none. */
  namespaceAccess: { orgRole: string; zoneRole: string; account: { namespace: string; name: string } } | undefined;
  temporal: {
    address: string;
    namespace: string;
    tls: TlsConfig | undefined;
    apiKey: string | undefined;
    /** The first key encrypts and every key decrypts. Without keys, payloads are not encrypted. */
    encryptionKeys: readonly { id: string; bytes: Uint8Array }[];
  };
  codehost: { url: string; apiUrl: string; throttle: boolean; manifestToken: string | undefined };
  webhooks: { bodyBytesMax: number; unverifiedBytesMax: number };
  zoneAddress: (zone: string) => string;
  zoneService: (product: string, zone: string) => string;
  ingressClass: string | undefined;
  ingressGateway: IngressGateway | undefined;
  gate: { image: string | undefined; apiUrl: string };
  certificateIssuer: string | undefined;
  argoCdNamespace: string;
  /** The connections that NetworkPolicies allow. */
  network: NetworkSettings;
  buildPodSecurity: PodSecurity;
  domains: DomainSettings;
  workloadClusters: readonly string[];
  /** The path of a kubeconfig with a context per workload cluster. */
  workloadKubeconfig: string | undefined;
  /** The URLs of Prometheus, by workload cluster. */
  workloadPrometheus: ReadonlyMap<string, string>;
  dns: { resolvers: readonly string[]; zoneServers: readonly { dnsZone: string; server: string }[] };
  imageRepository: (org: string, product: string) => string;
  buildStrategy: string;
  /** The credentials of image registries, each as the text of a `config.json` of Docker. */
  registry: { push: string | undefined; pull: string | undefined };
  model: { baseUrl: string; name: string; apiKey: string } | undefined;
  /** The bucket of the blobs, or undefined for a folder in `dataDir`. */
  bucket: BucketConfig | undefined;
  prometheus: PrometheusConfig | undefined;
  sandboxRequired: boolean;
  agentNetwork: AgentNetwork;
  allowedInside: readonly InsideDestination[];
  chromiumPath: string | undefined;
  logLevel: string;
};

/** Paths of PEM files. */
type TlsConfig = {
  certificatePath: string | undefined;
  keyPath: string | undefined;
  caPath: string | undefined;
  serverName: string | undefined;
};

type BucketConfig = {
  bucket: string;
  endpoint?: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

type PrometheusConfig = { url: string; tokenFile?: string; scrapeSeconds: number };

/** Parses the environment. One error lists every invalid variable. */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = ValidatedEnvironment.safeParse(present);
  if (!parsed.success) {
    const violations = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`Invalid environment variables: ${violations.join('; ')}.`);
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    store: env.STORE,
    metricsPort: env.METRICS_PORT,
    trustedProxies: env.TRUSTED_PROXIES,
    tokenLifetime: { defaultDays: env.TOKEN_DAYS_DEFAULT, maxDays: env.TOKEN_DAYS_MAX },
    quotas: {
      tokensPerUser: env.QUOTA_TOKENS_PER_USER,
      streamsPerUser: env.QUOTA_STREAMS_PER_USER,
      requestsPerUserPerMinute: env.QUOTA_REQUESTS_PER_USER_PER_MINUTE,
      productsPerOrg: env.QUOTA_PRODUCTS_PER_ORG,
      zonesPerOrg: env.QUOTA_ZONES_PER_ORG,
      domainsPerOrg: env.QUOTA_DOMAINS_PER_ORG,
      runsPerOrg: env.QUOTA_RUNS_PER_ORG,
    },
    shutdownDelaySeconds: env.SHUTDOWN_DELAY_SECONDS,
    dataDir: env.DATA_DIR,
    namespaceAccess: toNamespaceAccess(env),
    storePath: env.STORE_PATH ?? `${env.DATA_DIR}/store.sqlite`,
    temporal: {
      address: env.TEMPORAL_ADDRESS,
      namespace: env.TEMPORAL_NAMESPACE,
      tls: toTlsConfig(env),
      apiKey: env.TEMPORAL_API_KEY,
      encryptionKeys: env.TEMPORAL_ENCRYPTION_KEYS,
    },
    codehost: {
      url: env.CODEHOST_URL,
      apiUrl: env.CODEHOST_API_URL,
      throttle: env.CODEHOST_THROTTLE,
      manifestToken: env.CODEHOST_MANIFEST_TOKEN,
    },
    webhooks: {
      bodyBytesMax: env.WEBHOOK_BODY_MIB * 1024 * 1024,
      unverifiedBytesMax: env.WEBHOOK_UNVERIFIED_MIB * 1024 * 1024,
    },
    zoneAddress: (zone) => env.ZONE_ADDRESS.replace('{zone}', zone),
    zoneService: (product, zone) => env.ZONE_SERVICE.replace('{product}', product).replace('{zone}', zone),
    ingressClass: env.INGRESS_CLASS,
    ingressGateway: toIngressGateway(env),
    gate: { image: env.GATE_IMAGE, apiUrl: env.GATE_API_URL },
    certificateIssuer: env.CERTIFICATE_ISSUER,
    argoCdNamespace: env.ARGO_CD_NAMESPACE,
    network: toNetworkSettings(env),
    buildPodSecurity: env.BUILD_POD_SECURITY,
    domains: toDomainSettings(env),
    workloadClusters: env.WORKLOAD_CLUSTERS,
    workloadKubeconfig: env.WORKLOAD_KUBECONFIG,
    workloadPrometheus: new Map(env.WORKLOAD_PROMETHEUS_URLS),
    dns: {
      resolvers: env.DNS_RESOLVERS,
      zoneServers: env.DNS_ZONE_SERVERS.map((one) => {
        const [dnsZone = '', server = ''] = one.split('=');
        return { dnsZone, server };
      }),
    },
    imageRepository: (org, product) => env.IMAGE_REPOSITORY.replace('{org}', org).replace('{product}', product),
    buildStrategy: env.BUILD_STRATEGY,
    registry: { push: env.REGISTRY_PUSH_CREDENTIALS, pull: env.REGISTRY_PULL_CREDENTIALS },
    model: env.MODEL_BASE_URL
      ? { baseUrl: env.MODEL_BASE_URL, name: env.MODEL_NAME ?? 'default', apiKey: env.MODEL_API_KEY ?? '' }
      : undefined,
    bucket: toBucketConfig(env),
    prometheus: toPrometheusConfig(env),
    sandboxRequired: env.SANDBOX === 'required',
    agentNetwork: env.AGENT_NETWORK,
    allowedInside: env.ALLOWED_INSIDE_ADDRESSES,
    chromiumPath: env.CHROMIUM_PATH,
    logLevel: env.LOG_LEVEL,
  };
}

function toNamespaceAccess(env: z.infer<typeof EnvironmentVariables>): Config['namespaceAccess'] {
  if (env.SERVICE_ACCOUNT === undefined) return undefined;
  const [namespace = '', name = ''] = env.SERVICE_ACCOUNT.split('/');
  return { orgRole: env.ORG_CLUSTER_ROLE, zoneRole: env.ZONE_CLUSTER_ROLE, account: { namespace, name } };
}

function toIngressGateway(env: z.infer<typeof EnvironmentVariables>): IngressGateway | undefined {
  if (env.INGRESS_GATEWAY === undefined) return undefined;
  const [namespace = '', name = '', sectionName] = env.INGRESS_GATEWAY.split('/');
  return { namespace, name, ...(sectionName !== undefined && { sectionName }) };
}

function toNetworkSettings(env: z.infer<typeof EnvironmentVariables>): NetworkSettings {
  return {
    gatewayNamespaces: env.GATEWAY_NAMESPACES,
    serviceNamespace: toNamespaceAccess(env)?.account.namespace ?? 'service-system',
    zoneAllowedCidrs: env.ZONE_ALLOWED_CIDRS,
    blockedCidrs: env.BLOCKED_CIDRS,
    buildAllowedCidrs: env.BUILD_ALLOWED_CIDRS,
  };
}

function toTlsConfig(env: z.infer<typeof EnvironmentVariables>): TlsConfig | undefined {
  const tls = {
    certificatePath: env.TEMPORAL_TLS_CLIENT_CERT_PATH,
    keyPath: env.TEMPORAL_TLS_CLIENT_KEY_PATH,
    caPath: env.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    serverName: env.TEMPORAL_TLS_SERVER_NAME,
  };
  // An API key is sent in plaintext only if TEMPORAL_TLS=false says so.
  const implied = env.TEMPORAL_API_KEY !== undefined || (tls.certificatePath ?? tls.caPath) !== undefined;
  return (env.TEMPORAL_TLS ?? implied) ? tls : undefined;
}

function toDomainSettings(env: z.infer<typeof EnvironmentVariables>): DomainSettings {
  const publicHost = URL.parse(env.PUBLIC_URL ?? 'http://localhost')?.hostname;
  const zoneHost = URL.parse(env.ZONE_ADDRESS.replace('{zone}', 'zone'))?.hostname;
  return {
    platformDomain: zoneHost?.startsWith('zone.') === true ? zoneHost.slice('zone.'.length) : undefined,
    // The site of a managed root could set cookies for every name under it.
    ownHosts: [publicHost, env.INGRESS_HOST, ...env.MANAGED_BASE_DOMAINS].filter((host) => host !== undefined),
    managedBaseDomains: env.MANAGED_BASE_DOMAINS,
    ingress: { host: env.INGRESS_HOST, addresses: env.INGRESS_ADDRESSES },
    certificateAuthorities: env.CERTIFICATE_AUTHORITIES.length > 0 ? env.CERTIFICATE_AUTHORITIES : ['letsencrypt.org'],
    platformOrg: env.PLATFORM_ORG,
  };
}

function toBucketConfig(env: z.infer<typeof EnvironmentVariables>): BucketConfig | undefined {
  if (env.BLOBS_S3_BUCKET === undefined) return undefined;
  return {
    bucket: env.BLOBS_S3_BUCKET,
    ...(env.BLOBS_S3_ENDPOINT === undefined ? {} : { endpoint: env.BLOBS_S3_ENDPOINT }),
    region: env.BLOBS_S3_REGION,
    accessKeyId: env.BLOBS_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.BLOBS_S3_SECRET_ACCESS_KEY ?? '',
  };
}

function toPrometheusConfig(env: z.infer<typeof EnvironmentVariables>): PrometheusConfig | undefined {
  const { PROMETHEUS_URL: url, PROMETHEUS_TOKEN_FILE: tokenFile, PROMETHEUS_SCRAPE_SECONDS: scrapeSeconds } = env;
  return url === undefined ? undefined : { url, ...(tokenFile === undefined ? {} : { tokenFile }), scrapeSeconds };
}
