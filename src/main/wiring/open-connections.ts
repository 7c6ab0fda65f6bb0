import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { Config } from '../../config.ts';
import { directoryBlobs } from '../../integrations/blobs/directory.ts';
import type { Blobs } from '../../integrations/blobs/blobs.ts';
import type { Clouds } from '../../integrations/clouds/clouds.ts';
import { createClouds } from '../../integrations/clouds/create-clouds.ts';
import type { Clusters } from '../../integrations/clusters/clusters.ts';
import { kubernetesClusters } from '../../integrations/clusters/kubernetes-clusters.ts';
import type { Codehost } from '../../integrations/codehost/codehost.ts';
import { octokitCodehost } from '../../integrations/codehost/octokit.ts';
import { createDns } from '../../integrations/dns/create-dns.ts';
import type { Dns } from '../../integrations/dns/dns.ts';
import { type Judge, judgedDispatcher } from '../../integrations/http/judged-dispatcher.ts';
import type { IdentityProviders } from '../../integrations/identity/identity-providers.ts';
import { createIdentityProviders } from '../../integrations/identity/create-identity-providers.ts';
import { fetchWithTimeout } from '../../integrations/network/fetch-with-timeout.ts';
import { createModels } from '../../integrations/models/create-models.ts';
import type { Models } from '../../integrations/models/models.ts';
import { distributionRegistries } from '../../integrations/registries/distribution.ts';
import type { Registries } from '../../integrations/registries/registries.ts';
import type { Tracing } from '../tracing/start-tracing.ts';
import { createWritableFolder } from '../tools/install/create-folder.ts';
import { connectToTemporal } from '../temporal/connect-to-temporal.ts';
import { createDataConverter } from '../temporal/data-converter.ts';
import { findCodehostCredentials } from './find-codehost-credentials.ts';
import { loadKubeConfig } from './load-kube-config.ts';
import { listModelPrices, findModelProvider } from './model-settings.ts';
import type { ModelProvider } from '../../rules/agents/model-provider.ts';
import { toInsideDestination } from '../../rules/network/allowed-inside.ts';
import { destinationViolation } from '../../rules/network/destination-violation.ts';
import { acceptedCreates } from '../../store/accepted-creates.ts';
import type { Monitoring } from '../../integrations/telemetry/monitoring.ts';
import type { WorkloadClusters } from '../../integrations/telemetry/zone-cluster.ts';
import { createMonitoring, type FindViolations } from './telemetry/create-monitoring.ts';
import { connectWorkloadClusters } from './telemetry/workload-clusters.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { getServers } from 'node:dns';
import { dirname, join } from 'node:path';

/** The connections that the API and the workers share. */
export type Connections = {
  store: Store;
  blobs: Blobs;
  /** The destination of backups. */
  backups: Blobs;
  codehost: Codehost;
  models: Models;
  registries: Registries;
  clouds: Clouds;
  identityProviders: IdentityProviders;
  dns: Dns;
  workloadClusters: WorkloadClusters;
  clusters: Clusters;
  monitoring: Monitoring;
  temporalConnection: NativeConnection;
  /** Shares its connection with the in-process worker, so that a start can return its first task at once. */
  temporal: Client;
  close(): Promise<void>;
};

export async function openStore(config: Config): Promise<Store> {
  if (config.store === 'kubernetes') {
    const { openKubernetesStore } = await import('../../store/kubernetes.ts');
    return acceptedCreates(
      await openKubernetesStore(await loadKubeConfig(), config.namespaceAccess, config.buildPodSecurity),
    );
  }
  await createWritableFolder(dirname(config.storePath), 'Set another STORE_PATH or DATA_DIR.');
  return openSqliteStore({ file: config.storePath });
}

async function openBlobs(
  bucket: Config['bucket'] | Config['backups']['bucket'],
  { directory, settings }: { directory: string; settings: string },
): Promise<Blobs> {
  if (!bucket) return directoryBlobs(directory);
  // The library is slow to load and not needed on one machine.
  const { s3Blobs } = await import('../../integrations/blobs/s3.ts');
  return s3Blobs({ ...bucket, settings });
}

type ConnectionOptions = {
  /** Returns why the metrics servers that this process starts cannot be asked yet. */
  findViolations?: FindViolations;
  tracing?: Tracing | undefined;
};

export async function openConnections(
  config: Config,
  store: Store,
  { findViolations, tracing }: ConnectionOptions = {},
): Promise<Connections> {
  const { namespace, encryptionKeys } = config.temporal;
  const connection = await connectToTemporal(config.temporal);
  const converter = createDataConverter(encryptionKeys);
  const dns = createDns({
    ...config.dns,
    resolvers: config.dns.resolvers.length > 0 ? config.dns.resolvers : getServers(),
    allowedInside: config.allowedInside,
    now: () => new Date(),
  });
  const judge: Judge = (destination) => destinationViolation(config.allowedInside, destination);
  const workload = await connectWorkloadClusters(config, { store, judge });
  const judged = judgedDispatcher(judge);
  // People sign in through the code host that the operator configured, wherever it is.
  const codehost = [config.codehost.url, config.codehost.apiUrl].map(toInsideDestination);
  const allowedProviders = [...config.allowedInside, ...codehost];
  const judgedProviders = judgedDispatcher((destination) => destinationViolation(allowedProviders, destination));
  return {
    store,
    blobs: await openBlobs(config.bucket, { directory: join(config.dataDir, 'blobs'), settings: 'BLOBS_S3_' }),
    backups: await openBlobs(config.backups.bucket, { directory: config.backups.directory, settings: 'BACKUPS_S3_' }),
    codehost: octokitCodehost({
      apiUrl: config.codehost.apiUrl,
      throttle: config.codehost.throttle,
      findCredentials: findCodehostCredentials(store),
    }),
    models: createModels({
      findProvider: findModelProvider(store),
      listPrices: listModelPrices(store),
      defaultProvider: config.model && toInstallationModel(config.model),
      judged,
    }),
    registries: distributionRegistries({ judged }),
    clouds: createClouds({ endpoints: config.cloudEndpoints, judged, now: () => new Date() }),
    identityProviders: createIdentityProviders({
      fetch: fetchWithTimeout({ timeoutMs: 10_000, bytesMax: 1024 * 1024, dispatcher: judgedProviders }),
    }),
    dns,
    workloadClusters: workload.clusters,
    clusters: kubernetesClusters({
      createDispatcher: (tls) => judgedDispatcher(judge, undefined, { tls }),
      ingress: { ingressClass: config.ingressClass, hasGateway: config.ingressGateway !== undefined },
    }),
    monitoring: createMonitoring(config, findViolations),
    temporalConnection: connection,
    temporal: new Client({
      connection,
      namespace,
      ...(converter && { dataConverter: converter }),
      ...(tracing && { plugins: [tracing.plugin] }),
    }),
    async close() {
      await judged.destroy();
      await judgedProviders.destroy();
      await dns.close();
      await workload.close();
      await connection.close();
      await store.close();
    },
  };
}

const toInstallationModel = ({ baseUrl, name, apiKey }: NonNullable<Config['model']>): ModelProvider => ({
  kind: 'openai-compatible',
  baseUrl,
  model: name,
  ...(apiKey && { apiKey }),
});
