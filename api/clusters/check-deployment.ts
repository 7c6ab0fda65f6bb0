import { ApplicationKind } from '../../src/kinds/argo-cd.ts';
import { judgeDeployment } from '../../src/rules/clusters/judge-deployment.ts';
import type { ClusterFinding } from '../../src/rules/clusters/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { listZonesByCluster } from './zones-in-clusters.ts';

const zonesMax = 20;

/**
 * Finds out whether Argo CD deploys to a cluster. The service may not read Argo CD's cluster Secrets, which are
 * credentials that write, so the Applications of zones show it.
 */
export async function checkDeployment(store: Store, name: string): Promise<ClusterFinding> {
  const zones = (await listZonesByCluster(store)).get(name) ?? [];
  const applications = await Promise.all(
    zones
      .slice(0, zonesMax)
      .map(async ({ org, zone }) => await store.find(ApplicationKind, { namespace: orgNamespace(org), name: zone })),
  );
  return judgeDeployment(
    name,
    applications.flatMap((application) => application ?? []),
  );
}
