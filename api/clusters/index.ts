import type { ApiDeps, App } from '../deps.ts';
import { checkCluster } from './check-cluster.ts';
import { createCluster } from './create-cluster.ts';
import { deleteCluster } from './delete-cluster.ts';
import { getCluster } from './get-cluster.ts';
import { listClusters } from './list-clusters.ts';
import { putCluster } from './put-cluster.ts';

export function clusters(app: App, deps: ApiDeps): void {
  listClusters(app, deps);
  createCluster(app, deps);
  getCluster(app, deps);
  putCluster(app, deps);
  checkCluster(app, deps);
  deleteCluster(app, deps);
}
