import { KubeConfig } from '@kubernetes/client-node';
import { openKubernetesStore } from '../../src/store/kubernetes.ts';
import type { Store } from '../../src/store/store.ts';

export function loadKubeConfigFile({ kubeconfig }: { kubeconfig: string }): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return config;
}

export const openClusterStore = async (cluster: { kubeconfig: string }): Promise<Store> =>
  await openKubernetesStore(loadKubeConfigFile(cluster));
