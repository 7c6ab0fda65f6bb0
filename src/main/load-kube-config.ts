import type { KubeConfig } from '@kubernetes/client-node';

/** Of the cluster that KUBECONFIG or the pod is of. */
export async function loadKubeConfig(): Promise<KubeConfig> {
  // The library takes a while to load, and one machine does without it.
  const client = await import('@kubernetes/client-node');
  const kubeConfig = new client.KubeConfig();
  kubeConfig.loadFromDefault();
  return kubeConfig;
}
