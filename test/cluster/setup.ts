import type { TestProject } from 'vitest/node';
import { givenCluster } from './control-plane/given-cluster.ts';
import { startControlPlane, type ControlPlane } from './control-plane/start-control-plane.ts';

type Cluster = Pick<ControlPlane, 'kubeconfig' | 'server' | 'caData' | 'adminToken' | 'kubectl'>;

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster of TEST_KUBECONFIG, or one of our own; tests keep apart by namespaces of their own. */
    cluster: Cluster;
  }
}

/** One cluster for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const file = process.env['TEST_KUBECONFIG'];
  const { stop, ...cluster } = file ? await givenCluster(file) : await startControlPlane();
  const { kubeconfig, server, caData, adminToken, kubectl } = cluster;
  project.provide('cluster', { kubeconfig, server, caData, adminToken, kubectl });
  return stop;
}
