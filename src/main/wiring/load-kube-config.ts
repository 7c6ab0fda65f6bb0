import type { KubeConfig } from '@kubernetes/client-node';

/** Loads the configuration of the cluster that KUBECONFIG names or that runs this pod. */
export async function loadKubeConfig(): Promise<KubeConfig> {
  // The library is slow to load and not needed on one machine.
  const client = await import('@kubernetes/client-node');
  const kubeConfig = new client.KubeConfig();
  nameSetting('KUBECONFIG', () => kubeConfig.loadFromDefault());
  return kubeConfig;
}

/** Loads a kubeconfig. A file that is none is not quoted, because it may contain credentials. */
export function nameSetting(setting: string, load: () => void): void {
  try {
    load();
  } catch (error) {
    const reason = error instanceof Error && 'errno' in error ? error.message : 'it is not a kubeconfig';
    throw new Error(`${setting} names a file that cannot be read: ${reason}. Set it to a kubeconfig.`);
  }
}
