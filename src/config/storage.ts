import { z } from 'zod';
import { httpUrlSchema, wholeNumberSchema } from './schemas.ts';

export const storageVariables = {
  STORE: z
    .enum(['sqlite', 'kubernetes'])
    .default('sqlite')
    .describe('Store of resources: a file in DATA_DIR, or the cluster of KUBECONFIG or of the pod.'),
  DATA_DIR: z.string().default('.service').describe('Directory of the store, blobs and checkouts on one machine.'),
  STORE_PATH: z.string().optional().describe('File of the SQLite store (default: store.sqlite in DATA_DIR).'),
  SERVICE_ACCOUNT: z
    .string()
    .regex(/^[^/]+\/[^/]+$/, 'must be <namespace>/<name>')
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
  BACKUPS_DIR: z.string().optional().describe('Directory of backups without a bucket (default: backups in DATA_DIR).'),
  BACKUPS_S3_BUCKET: z.string().optional().describe('S3-compatible bucket for backups (default: BACKUPS_DIR).'),
  BACKUPS_S3_PREFIX: z
    .string()
    .regex(/^([A-Za-z0-9._-]+\/)*$/, 'must end with "/"')
    .default('')
    .describe('Beginning of the keys of backups in the bucket, such as `delivery/`.'),
  BACKUPS_S3_ENDPOINT: httpUrlSchema.optional().describe('URL of the S3 service of backups (default: AWS).'),
  BACKUPS_S3_REGION: z.string().default('us-east-1').describe('Region of the bucket of backups.'),
  BACKUPS_S3_ACCESS_KEY_ID: z.string().optional().describe('Access key id of the bucket of backups.'),
  BACKUPS_S3_SECRET_ACCESS_KEY: z.string().optional().describe('Secret access key of the bucket of backups.'),
  AUDIT_RETENTION: wholeNumberSchema(30, 3650).default(400).describe('Days for which the audit log is kept.'),
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
  /** The destination of backups; without a bucket, a directory. */
  backups: { directory: string; bucket: (BucketConfig & { prefix: string }) | undefined };
  /** The time for which the audit log is kept. */
  auditRetentionMs: number;
};

export const toStorageConfig = (env: Variables): StorageConfig => ({
  store: env.STORE,
  dataDir: env.DATA_DIR,
  storePath: env.STORE_PATH ?? `${env.DATA_DIR}/store.sqlite`,
  namespaceAccess: toNamespaceAccess(env),
  bucket: toBucketConfig('BLOBS', env),
  backups: { directory: env.BACKUPS_DIR ?? `${env.DATA_DIR}/backups`, bucket: toBackupBucket(env) },
  auditRetentionMs: env.AUDIT_RETENTION * 24 * 60 * 60_000,
});

function toNamespaceAccess(env: Variables): StorageConfig['namespaceAccess'] {
  if (env.SERVICE_ACCOUNT === undefined) return undefined;
  const [namespace = '', name = ''] = env.SERVICE_ACCOUNT.split('/');
  return { orgRole: env.ORG_CLUSTER_ROLE, zoneRole: env.ZONE_CLUSTER_ROLE, account: { namespace, name } };
}

const bucketNames = ['BLOBS', 'BACKUPS'] as const;
type BucketName = (typeof bucketNames)[number];

function toBucketConfig(name: BucketName, env: Variables): BucketConfig | undefined {
  const bucket = env[`${name}_S3_BUCKET`];
  const endpoint = env[`${name}_S3_ENDPOINT`];
  if (bucket === undefined) return undefined;
  return {
    bucket,
    ...(endpoint === undefined ? {} : { endpoint }),
    region: env[`${name}_S3_REGION`],
    accessKeyId: env[`${name}_S3_ACCESS_KEY_ID`] ?? '',
    secretAccessKey: env[`${name}_S3_SECRET_ACCESS_KEY`] ?? '',
  };
}

function toBackupBucket(env: Variables): StorageConfig['backups']['bucket'] {
  const bucket = toBucketConfig('BACKUPS', env);
  return bucket && { ...bucket, prefix: env.BACKUPS_S3_PREFIX };
}

export function refineStorage(env: Variables, context: z.RefinementCtx): void {
  for (const bucket of bucketNames)
    if (env[`${bucket}_S3_BUCKET`] !== undefined)
      for (const key of ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'] as const)
        if (env[`${bucket}_S3_${key}`] === undefined)
          context.addIssue({
            code: 'custom',
            path: [`${bucket}_S3_${key}`],
            message: `is required with ${bucket}_S3_BUCKET`,
          });
}
