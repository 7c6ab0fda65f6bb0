import { z } from 'zod';
import { type AgentConfig, agentVariables, toAgentConfig } from './config/agents.ts';
import { type BuildConfig, buildVariables, toBuildConfig } from './config/builds.ts';
import { type CloudConfig, cloudVariables, toCloudConfig } from './config/clouds.ts';
import { type ClusterConfig, clusterVariables, toClusterConfig } from './config/clusters.ts';
import { type CodehostConfig, codehostVariables, toCodehostConfig } from './config/codehost.ts';
import { type DomainConfig, domainVariables, toDomainConfig } from './config/domains.ts';
import { quotaVariables, toQuotas } from './config/quotas.ts';
import { refineServer, type ServerConfig, serverVariables, toServerConfig } from './config/server.ts';
import { refineStorage, type StorageConfig, storageVariables, toStorageConfig } from './config/storage.ts';
import { refineTemporal, type TemporalConfig, temporalVariables, toTemporalConfig } from './config/temporal.ts';
import { toZoneConfig, type ZoneConfig, zoneVariables } from './config/zones.ts';
import type { Quotas } from './rules/quotas.ts';

/** Every variable that the service reads. An empty one counts as absent. */
const EnvironmentVariables = z.object({
  ...serverVariables,
  ...quotaVariables,
  ...storageVariables,
  ...temporalVariables,
  ...codehostVariables,
  ...zoneVariables,
  ...domainVariables,
  ...clusterVariables,
  ...cloudVariables,
  ...buildVariables,
  ...agentVariables,
});

/** Variables that can also be set as `<NAME>_FILE`, the path of a file with the value. */
export const secretVariables = [
  'CODEHOST_MANIFEST_TOKEN',
  'MODEL_API_KEY',
  'REGISTRY_PUSH_CREDENTIALS',
  'REGISTRY_PULL_CREDENTIALS',
  'BLOBS_S3_ACCESS_KEY_ID',
  'BLOBS_S3_SECRET_ACCESS_KEY',
  'BACKUPS_S3_ACCESS_KEY_ID',
  'BACKUPS_S3_SECRET_ACCESS_KEY',
  'TEMPORAL_API_KEY',
  'TEMPORAL_ENCRYPTION_KEYS',
] as const satisfies (keyof z.infer<typeof EnvironmentVariables>)[];

const ValidatedEnvironment = EnvironmentVariables.superRefine((env, context) => {
  refineServer(env, context);
  refineTemporal(env, context);
  refineStorage(env, context);
});

export type Config = ServerConfig &
  StorageConfig &
  CodehostConfig &
  ZoneConfig &
  DomainConfig &
  ClusterConfig &
  CloudConfig &
  BuildConfig &
  AgentConfig & { quotas: Quotas; temporal: TemporalConfig };

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
  const storage = toStorageConfig(env);
  return {
    ...toServerConfig(env),
    ...storage,
    ...toCodehostConfig(env),
    ...toZoneConfig(env, storage.namespaceAccess?.account.namespace),
    ...toDomainConfig(env),
    ...toClusterConfig(env),
    ...toCloudConfig(env),
    ...toBuildConfig(env),
    ...toAgentConfig(env),
    quotas: toQuotas(env),
    temporal: toTemporalConfig(env),
  };
}
