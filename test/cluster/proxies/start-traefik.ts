import { join } from 'node:path';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { applyObjects, type KubectlAccess } from '../control-plane/kubectl.ts';
import { startProgram } from '../control-plane/start-program.ts';
import type { ProxyOptions, ZoneProxy } from './zone-proxy.ts';

/** Runs Traefik as the Ingress controller of a class of its own. */
export async function startTraefik(
  cluster: KubectlAccess,
  { program, folder, suffix }: ProxyOptions & { program: string },
): Promise<ZoneProxy> {
  const className = `traefik-${suffix}`;
  await applyObjects(cluster, [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: className },
      spec: { controller: 'traefik.io/ingress-controller' },
    },
  ]);
  const port = await reservePort();
  const flags = {
    'entryPoints.web.address': `127.0.0.1:${port}`,
    'providers.kubernetesIngress': 'true',
    'providers.kubernetesIngress.ingressClass': className,
    'providers.providersThrottleDuration': '100ms',
    'global.checkNewVersion': 'false',
  };
  const env = { KUBECONFIG: cluster.kubeconfig };
  const running = await startProgram('traefik', { executable: program, flags, env }, join(folder, 'traefik.log'));
  await running.waitUntilReady(async () => (await fetch(`http://127.0.0.1:${port}`)).status === 404);
  return {
    port,
    settings: { INGRESS_CLASS: className },
    stop: async () => await running.stop(),
  };
}
