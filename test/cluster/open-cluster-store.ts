import { KubeConfig } from '@kubernetes/client-node';
import { openKubernetesStore } from '../../src/store/kubernetes.ts';
import type { Store } from '../../src/store/store.ts';

export async function openClusterStore({ kubeconfig }: { kubeconfig: string }): Promise<Store> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return await openKubernetesStore(config);
}
