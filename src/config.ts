import { z } from 'zod';
import type { DomainSettings } from './rules/domains/kinds.ts';

const port = z.coerce.number().int().min(1).max(65535);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  );
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

const encryptionKeys = list.transform((entries, context) =>
  entries.flatMap((entry) => {
    const [id = '', text = ''] = entry.split(':');
    const bytes = Buffer.from(text, 'base64');
    if (/^[\w.-]{1,64}$/.test(id) && bytes.length === 32) return [{ id, bytes }];
    // Not a word of what it holds: this is said in logs.
    context.addIssue({ code: 'custom', message: 'each must be an id, a colon and 32 bytes in base64' });
    return [];
  }),
);

/** Every variable the service reads; an empty one counts as absent. */
const Variables = z.object({
  PORT: port.default(8080).describe('Where the API listens.'),
  HOST: z.string().default('127.0.0.1').describe('The address the API listens on.'),
  PUBLIC_URL: z
    .url()
    .optional()
    .describe('How people and the code host reach the API; http://localhost:PORT by default.'),
  STORE: z
    .enum(['sqlite', 'kubernetes'])
    .default('sqlite')
    .describe(
      'Where resources are kept: in a file under DATA_DIR, or in the cluster that KUBECONFIG or the pod is of.',
    ),
  METRICS_PORT: port.optional().describe('Where /metrics is told; the port of the API without it.'),
  STOP_DELAY_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(0)
    .describe('How long a stopping API still takes requests, for whoever routes to it to notice.'),
  DATA_DIR: z.string().default('.service').describe('Where the store, blobs and checkouts of one machine live.'),
  STORE_PATH: z.string().optional().describe('The file of the store; store.sqlite in DATA_DIR without it.'),
  SERVICE_ACCOUNT: z
    .string()
    .regex(/^[^/]+\/[^/]+$/)
    .optional()
    .describe('The account of this process in the cluster, as <namespace>/<name>; it has what is bound to it without.'),
  ORG_CLUSTER_ROLE: z
    .string()
    .default('service-org')
    .describe('What that account binds itself to in orgs’ namespaces.'),
  ZONE_CLUSTER_ROLE: z.string().default('service-zone').describe('What it binds itself to in zones’ namespaces.'),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233').describe('The Temporal server.'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_TLS: flag.optional().describe('Whether it is reached by TLS; it is where a certificate or a key is given.'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional().describe('The certificate that this process shows it (PEM).'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional().describe('The key of that certificate (PEM).'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional().describe('Who vouches for it; the system’s authorities.'),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .optional()
    .describe('Its name in its certificate, where the address has another.'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_ENCRYPTION_KEYS: encryptionKeys.describe(
    'Seals what workflows are given and give: <id>:<32 bytes in base64>,… of which the first seals and each opens.',
  ),
  CODEHOST_URL: z.url().default('https://github.com').describe('The web root of the code host.'),
  CODEHOST_API_URL: z.url().default('https://api.github.com').describe('The root of its REST API.'),
  CODEHOST_THROTTLE: flag
    .default(true)
    .describe('Keep writes to the code host apart as it asks; false only for one without limits.'),
  ZONE_ADDRESS: z
    .string()
    .includes('{zone}')
    .default('https://{zone}.example.com')
    .describe('The address of a zone, with {zone} for its name.'),
  ZONE_SERVICE: z
    .string()
    .includes('{zone}')
    .default('http://{product}.{zone}.svc.cluster.local')
    .describe('Where the service itself reaches a zone’s app, with {product} and {zone}.'),
  INGRESS_CLASS: z.string().optional().describe('The ingress class of zones’ addresses in a cluster; nginx.'),
  CERTIFICATE_ISSUER: z
    .string()
    .optional()
    .describe('The ClusterIssuer that zones’ addresses have their certificates from in a cluster; letsencrypt.'),
  INGRESS_HOST: z.string().toLowerCase().optional().describe('The host that domains point a CNAME to.'),
  INGRESS_ADDRESSES: list.describe('The IP addresses that domains point to, where a CNAME cannot stand.'),
  MANAGED_ROOTS: list.describe('Domains whose subdomains the service hands out; their records are DNSEndpoints.'),
  WORKLOAD_CLUSTERS: list.describe(
    'Clusters that zones may run in besides the service’s own, by the names of their Argo CD cluster Secrets.',
  ),
  PLATFORM_ORG: z.string().optional().describe('The org whose domains may be shared with every org.'),
  CERTIFICATE_AUTHORITIES: list.describe('How the certificate authority is named in CAA records; letsencrypt.org.'),
  DNS_RESOLVERS: list.describe('Who is asked where zones are served, as address or address:port; the system’s.'),
  DNS_ZONE_SERVERS: list.describe('Zones that no resolver knows, each as <zone>=<address>:<port>.'),
  IMAGE_REPOSITORY: z
    .string()
    .default('registry.local/{org}/{product}')
    .describe('Where builds go, with {org} and {product}.'),
  MODEL_BASE_URL: z.url().optional().describe('An OpenAI-compatible model endpoint.'),
  MODEL_NAME: z.string().optional(),
  MODEL_API_KEY: z.string().optional(),
  BLOBS_S3_BUCKET: z
    .string()
    .optional()
    .describe('The S3-compatible bucket that holds transcripts and other blobs; a folder of DATA_DIR without it.'),
  BLOBS_S3_ENDPOINT: z.url().optional().describe('Where the bucket is, for any but that of AWS itself.'),
  BLOBS_S3_REGION: z.string().default('us-east-1'),
  BLOBS_S3_ACCESS_KEY_ID: z.string().optional(),
  BLOBS_S3_SECRET_ACCESS_KEY: z.string().optional(),
  PROMETHEUS_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => URL.parse(url)?.username === '', 'must hold no user; give a token by PROMETHEUS_TOKEN_FILE')
    .optional()
    .describe('The Prometheus that has the kubelets’ container metrics, for what the pods of zones use in a cluster.'),
  PROMETHEUS_TOKEN_FILE: z
    .string()
    .optional()
    .describe('The file of the bearer token that it is asked with; read for each question, so that it may change.'),
  PROMETHEUS_SCRAPE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(300)
    .default(30)
    .describe('How often it asks the kubelets.'),
  SANDBOX: z
    .enum(['required', 'i-accept-that-agents-can-read-and-change-this-machine'])
    .default('required')
    .describe('Whether agent tools may run on a host without a sandbox.'),
  CHROMIUM_PATH: z
    .string()
    .optional()
    .describe('The browser that takes screenshots of zones; the first Chromium or Chrome on PATH without it.'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
});

/** Those that may be given as `<NAME>_FILE` too, the path of a file that holds the value. */
export const secretVariables = [
  'MODEL_API_KEY',
  'BLOBS_S3_ACCESS_KEY_ID',
  'BLOBS_S3_SECRET_ACCESS_KEY',
  'TEMPORAL_API_KEY',
  'TEMPORAL_ENCRYPTION_KEYS',
] as const satisfies (keyof z.infer<typeof Variables>)[];

const Environment = Variables.superRefine((env, context) => {
  if (!env.TEMPORAL_TLS_CLIENT_CERT_PATH !== !env.TEMPORAL_TLS_CLIENT_KEY_PATH)
    context.addIssue({
      code: 'custom',
      path: [env.TEMPORAL_TLS_CLIENT_CERT_PATH ? 'TEMPORAL_TLS_CLIENT_KEY_PATH' : 'TEMPORAL_TLS_CLIENT_CERT_PATH'],
      message: 'is missing: a certificate and its key come together',
    });
  if (env.BLOBS_S3_BUCKET === undefined) return;
  for (const name of ['BLOBS_S3_ACCESS_KEY_ID', 'BLOBS_S3_SECRET_ACCESS_KEY'] as const)
    if (env[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'is missing for BLOBS_S3_BUCKET' });
});

export type Config = {
  port: number;
  host: string;
  publicUrl: string;
  store: 'sqlite' | 'kubernetes';
  metricsPort: number | undefined;
  stopDelaySeconds: number;
  dataDir: string;
  storePath: string;
  /** What is bound to the account of this process namespace by namespace; nothing when undefined. */
  rights: { orgRole: string; zoneRole: string; account: { namespace: string; name: string } } | undefined;
  temporal: {
    address: string;
    namespace: string;
    tls: TlsConfig | undefined;
    apiKey: string | undefined;
    /** The first seals, each opens; nothing is sealed without any. */
    encryptionKeys: readonly { id: string; bytes: Uint8Array }[];
  };
  codehost: { url: string; apiUrl: string; throttle: boolean };
  zoneAddress: (zone: string) => string;
  zoneService: (product: string, zone: string) => string;
  ingressClass: string | undefined;
  certificateIssuer: string | undefined;
  domains: DomainSettings;
  workloadClusters: readonly string[];
  dns: { resolvers: readonly string[]; zoneServers: readonly { zone: string; server: string }[] };
  imageRepository: (org: string, product: string) => string;
  model: { baseUrl: string; name: string; apiKey: string } | undefined;
  /** The bucket of the blobs; a folder under `dataDir` when undefined. */
  bucket: BucketConfig | undefined;
  prometheus: PrometheusConfig | undefined;
  sandboxRequired: boolean;
  chromiumPath: string | undefined;
  logLevel: string;
};

/** Paths of files in PEM. */
type TlsConfig = {
  certificatePath: string | undefined;
  keyPath: string | undefined;
  authorityPath: string | undefined;
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

/** Reads the environment once; all that is wrong in it is said in one error. */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`The environment is not right: ${wrong.join('; ')}.`);
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    store: env.STORE,
    metricsPort: env.METRICS_PORT,
    stopDelaySeconds: env.STOP_DELAY_SECONDS,
    dataDir: env.DATA_DIR,
    rights: rightsIn(env),
    storePath: env.STORE_PATH ?? `${env.DATA_DIR}/store.sqlite`,
    temporal: {
      address: env.TEMPORAL_ADDRESS,
      namespace: env.TEMPORAL_NAMESPACE,
      tls: tlsIn(env),
      apiKey: env.TEMPORAL_API_KEY,
      encryptionKeys: env.TEMPORAL_ENCRYPTION_KEYS,
    },
    codehost: { url: env.CODEHOST_URL, apiUrl: env.CODEHOST_API_URL, throttle: env.CODEHOST_THROTTLE },
    zoneAddress: (zone) => env.ZONE_ADDRESS.replace('{zone}', zone),
    zoneService: (product, zone) => env.ZONE_SERVICE.replace('{product}', product).replace('{zone}', zone),
    ingressClass: env.INGRESS_CLASS,
    certificateIssuer: env.CERTIFICATE_ISSUER,
    domains: domainsIn(env),
    workloadClusters: env.WORKLOAD_CLUSTERS,
    dns: {
      resolvers: env.DNS_RESOLVERS,
      zoneServers: env.DNS_ZONE_SERVERS.map((one) => {
        const [zone = '', server = ''] = one.split('=');
        return { zone, server };
      }),
    },
    imageRepository: (org, product) => env.IMAGE_REPOSITORY.replace('{org}', org).replace('{product}', product),
    model: env.MODEL_BASE_URL
      ? { baseUrl: env.MODEL_BASE_URL, name: env.MODEL_NAME ?? 'default', apiKey: env.MODEL_API_KEY ?? '' }
      : undefined,
    bucket: bucketIn(env),
    prometheus: prometheusIn(env),
    sandboxRequired: env.SANDBOX === 'required',
    chromiumPath: env.CHROMIUM_PATH,
    logLevel: env.LOG_LEVEL,
  };
}

function rightsIn(env: z.infer<typeof Variables>): Config['rights'] {
  if (env.SERVICE_ACCOUNT === undefined) return undefined;
  const [namespace = '', name = ''] = env.SERVICE_ACCOUNT.split('/');
  return { orgRole: env.ORG_CLUSTER_ROLE, zoneRole: env.ZONE_CLUSTER_ROLE, account: { namespace, name } };
}

function tlsIn(env: z.infer<typeof Variables>): TlsConfig | undefined {
  const tls = {
    certificatePath: env.TEMPORAL_TLS_CLIENT_CERT_PATH,
    keyPath: env.TEMPORAL_TLS_CLIENT_KEY_PATH,
    authorityPath: env.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    serverName: env.TEMPORAL_TLS_SERVER_NAME,
  };
  // A key must not go in the clear unless that is said in as many words.
  const implied = env.TEMPORAL_API_KEY !== undefined || (tls.certificatePath ?? tls.authorityPath) !== undefined;
  return (env.TEMPORAL_TLS ?? implied) ? tls : undefined;
}

function domainsIn(env: z.infer<typeof Variables>): DomainSettings {
  const zoneHost = URL.parse(env.ZONE_ADDRESS.replace('{zone}', 'zone'))?.hostname;
  return {
    platformDomain: zoneHost?.startsWith('zone.') === true ? zoneHost.slice('zone.'.length) : undefined,
    managedRoots: env.MANAGED_ROOTS,
    ingress: { host: env.INGRESS_HOST, addresses: env.INGRESS_ADDRESSES },
    certificateAuthorities: env.CERTIFICATE_AUTHORITIES.length > 0 ? env.CERTIFICATE_AUTHORITIES : ['letsencrypt.org'],
    platformOrg: env.PLATFORM_ORG,
  };
}

function bucketIn(env: z.infer<typeof Variables>): BucketConfig | undefined {
  if (env.BLOBS_S3_BUCKET === undefined) return undefined;
  return {
    bucket: env.BLOBS_S3_BUCKET,
    ...(env.BLOBS_S3_ENDPOINT === undefined ? {} : { endpoint: env.BLOBS_S3_ENDPOINT }),
    region: env.BLOBS_S3_REGION,
    accessKeyId: env.BLOBS_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.BLOBS_S3_SECRET_ACCESS_KEY ?? '',
  };
}

function prometheusIn(env: z.infer<typeof Variables>): PrometheusConfig | undefined {
  const { PROMETHEUS_URL: url, PROMETHEUS_TOKEN_FILE: tokenFile, PROMETHEUS_SCRAPE_SECONDS: scrapeSeconds } = env;
  return url === undefined ? undefined : { url, ...(tokenFile === undefined ? {} : { tokenFile }), scrapeSeconds };
}
