import type { KubeConfig } from '@kubernetes/client-node';

/** Loads the configuration of the cluster that KUBECONFIG names or that runs this pod. */
export async function loadKubeConfig(): Promise<KubeConfig> {
  // The library is slow to load and not needed on one machine.
  const client = await import('@kubernetes/client-node');
  const kubeConfig = new client.KubeConfig();
  kubeConfig.loadFromDefault();
  return kubeConfig;
}
