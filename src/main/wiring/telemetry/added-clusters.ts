import { toTlsOptions } from '../../../integrations/clusters/cluster-session.ts';
import { judgedDispatcher, type Judge } from '../../../integrations/http/judged-dispatcher.ts';
import { fetchWithTimeout } from '../../../integrations/network/fetch-with-timeout.ts';
import type { ZoneCluster } from '../../../integrations/telemetry/zone-cluster.ts';
import { SecretKind } from '../../../kinds/kubernetes.ts';
import type { ClusterAccess } from '../../../rules/clusters/cluster-access.ts';
import { accessFingerprint, clustersSecretRef, readClusterAccess } from '../../../rules/clusters/clusters-secret.ts';
import { ClusterKind } from '../../../rules/clusters/kinds.ts';
import { isRejected } from '../../../rules/conditions.ts';
import { isDeleting, systemNamespace } from '../../../rules/resource.ts';
import { cachedReads } from '../../../store/cached-reads.ts';
import type { Store } from '../../../store/store.ts';
import { toZoneCluster } from './to-zone-cluster.ts';

/** A response of a workload cluster fits in memory, whatever the cluster sends. */
const responseBytesMax = 64 * 2 ** 20;
const metricsBytesMax = 16 * 2 ** 20;
/** Longer than any request through a connection that is replaced. */
const retirementMs = 60_000;

type AddedClusters = {
  store: Store;
  judge: Judge;
  /** The time for which a request to a cluster that is away is repeated; by default 8 s. */
  retryTimeoutMs?: number;
};
type Connection = { key: string; cluster: Promise<ZoneCluster>; close(): Promise<void> };

/**
 * Connects to the workload clusters that platform admins add. Each use reads the credentials, so that a process needs no
 * restart when a cluster is added, gets another kubeconfig or is removed; the connections stay until these change.
 */
export function connectAddedClusters({ store, ...options }: AddedClusters): {
  find(name: string): Promise<ZoneCluster | undefined>;
  close(): Promise<void>;
} {
  const connections = new Map<string, Connection>();
  const retired = new Set<Connection>();

  /** Requests that still use the connection may finish. */
  const retire = (name: string): void => {
    const connection = connections.get(name);
    if (!connection) return;
    connections.delete(name);
    retired.add(connection);
    setTimeout(() => {
      retired.delete(connection);
      void connection.close();
    }, retirementMs).unref();
  };

  return {
    async find(name) {
      const [resource, secret] = await Promise.all([
        cachedReads(store).find(ClusterKind, { namespace: systemNamespace, name }),
        store.find(SecretKind, clustersSecretRef),
      ]);
      const access = readClusterAccess(secret, name);
      if (!resource || isDeleting(resource) || isRejected(resource) || !access) {
        retire(name);
        return undefined;
      }
      const { prometheusUrl } = resource.spec;
      const key = JSON.stringify([accessFingerprint(access), prometheusUrl]);
      const current = connections.get(name);
      if (current?.key === key) return await current.cluster;
      retire(name);
      const connection = { key, ...connectCluster(name, access, { prometheusUrl, ...options }) };
      connections.set(name, connection);
      return await connection.cluster;
    },
    close: async () =>
      void (await Promise.all([...connections.values(), ...retired].map(async ({ close }) => await close()))),
  };
}

type ConnectOptions = Omit<AddedClusters, 'store'> & { prometheusUrl: string | undefined };

function connectCluster(
  workloadCluster: string,
  access: ClusterAccess,
  { prometheusUrl, ...connect }: ConnectOptions,
): Omit<Connection, 'key'> {
  const metrics = judgedDispatcher(connect.judge);
  const api = connectJudged(workloadCluster, access, connect);
  const setting = `prometheusUrl of the cluster "${workloadCluster}"`;
  const options = prometheusUrl === undefined ? undefined : { scrapeSeconds: 30, url: prometheusUrl, setting };
  const fetch = fetchWithTimeout({ timeoutMs: 10_000, bytesMax: metricsBytesMax, dispatcher: metrics });
  return {
    cluster: api.then(async (server) => await toZoneCluster(server, options && { ...options, fetch })),
    async close() {
      await metrics.destroy();
      await (await api).close();
    },
  };
}

async function connectJudged(
  workloadCluster: string,
  access: ClusterAccess,
  { judge, retryTimeoutMs }: Omit<ConnectOptions, 'prometheusUrl'>,
) {
  // The library is slow to load and not needed on one machine.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const { connectApiServer } = await import('../../../store/kubernetes/api-server.ts');
  const { server, token } = access;
  const kubeConfig = new KubeConfig();
  const name = 'cluster';
  kubeConfig.loadFromOptions({
    clusters: [{ name, server, skipTLSVerify: false }],
    users: [{ name, ...(token !== undefined && { token }) }],
    contexts: [{ name, cluster: name, user: name }],
    currentContext: name,
  });
  return connectApiServer(kubeConfig, {
    workloadCluster,
    ...(retryTimeoutMs !== undefined && { retryTimeoutMs }),
    createDispatcher: (connections) =>
      judgedDispatcher(judge, undefined, {
        tls: toTlsOptions(access),
        connections,
        maxResponseSize: responseBytesMax,
      }),
  });
}
