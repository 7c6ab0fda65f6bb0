import { checkCluster, type IngressSettings } from './check-cluster.ts';
import { checkPrometheus } from './check-prometheus.ts';
import { type CreateDispatcher, openClusterSession } from './cluster-session.ts';
import type { Clusters } from './clusters.ts';

type ClustersOptions = { createDispatcher: CreateDispatcher; ingress: IngressSettings };

/** Workload clusters whose API servers are asked themselves. */
export function kubernetesClusters({ createDispatcher, ingress }: ClustersOptions): Clusters {
  return {
    async check({ prometheusUrl, ...access }) {
      const session = openClusterSession(access, createDispatcher);
      const metrics = createDispatcher({});
      try {
        const { version, findings } = await checkCluster(session, access, ingress);
        return { version, findings: [...findings, await checkPrometheus(prometheusUrl, metrics)] };
      } finally {
        await Promise.all([session.close(), metrics.destroy()]);
      }
    },
  };
}
