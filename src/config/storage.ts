import { z } from 'zod';
import { httpUrlSchema } from './schemas.ts';

export const storageVariables = {
  STORE: z
    .enum(['sqlite', 'kubernetes'])
    .default('sqlite')
    .describe('Store of resources: a file in DATA_DIR, or the cluster of KUBECONFIG or of the pod.'),
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
  BLOBS_S3_BUCKET: z
    .string()
    .optional()
    .describe('S3-compatible bucket for transcripts and other blobs (default: a folder of DATA_DIR).'),
  BLOBS_S3_ENDPOINT: httpUrlSchema.optional().describe('URL of the S3 service (default: AWS).'),
  BLOBS_S3_REGION: z.string().default('us-east-1').describe('Region of the bucket.'),
  BLOBS_S3_ACCESS_KEY_ID: z.string().optional().describe('Access key id of the bucket.'),
  BLOBS_S3_SECRET_ACCESS_KEY: z.string().optional().describe('Secret access key of the bucket.'),
};
type Variables = z.infer<z.ZodObject<typeof storageVariables>>;

type BucketConfig = {
  bucket: string;
  endpoint?: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

export type StorageConfig = {
  store: 'sqlite' | 'kubernetes';
  dataDir: string;
  storePath: string;
  /** The roles that this process binds to its account per namespace; undefined if it binds none. */
  namespaceAccess: { orgRole: string; zoneRole: string; account: { namespace: string; name: string } } | undefined;
  /** The bucket of the blobs, or undefined for a folder in `dataDir`. */
  bucket: BucketConfig | undefined;
};

export const toStorageConfig = (env: Variables): StorageConfig => ({
  store: env.STORE,
  dataDir: env.DATA_DIR,
  storePath: env.STORE_PATH ?? `${env.DATA_DIR}/store.sqlite`,
  namespaceAccess: toNamespaceAccess(env),
  bucket: toBucketConfig(env),
});

function toNamespaceAccess(env: Variables): StorageConfig['namespaceAccess'] {
  if (env.SERVICE_ACCOUNT === undefined) return undefined;
  const [namespace = '', name = ''] = env.SERVICE_ACCOUNT.split('/');
  return { orgRole: env.ORG_CLUSTER_ROLE, zoneRole: env.ZONE_CLUSTER_ROLE, account: { namespace, name } };
}

function toBucketConfig(env: Variables): BucketConfig | undefined {
  if (env.BLOBS_S3_BUCKET === undefined) return undefined;
  return {
    bucket: env.BLOBS_S3_BUCKET,
    ...(env.BLOBS_S3_ENDPOINT === undefined ? {} : { endpoint: env.BLOBS_S3_ENDPOINT }),
    region: env.BLOBS_S3_REGION,
    accessKeyId: env.BLOBS_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.BLOBS_S3_SECRET_ACCESS_KEY ?? '',
  };
}

export function refineStorage(env: Variables, context: z.RefinementCtx): void {
  if (env.BLOBS_S3_BUCKET === undefined) return;
  for (const name of ['BLOBS_S3_ACCESS_KEY_ID', 'BLOBS_S3_SECRET_ACCESS_KEY'] as const)
    if (env[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'is required with BLOBS_S3_BUCKET' });
}
