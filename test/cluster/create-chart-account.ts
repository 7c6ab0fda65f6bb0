import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildKubeconfig } from './control-plane/kubeconfig.ts';
import { kubectl, type KubectlAccess } from './control-plane/kubectl.ts';

const runCommand = promisify(execFile);
export const chartFolder = fileURLToPath(new URL('../../deploy/chart', import.meta.url));
/** The values without which the chart refuses to render. */
export const requiredValues = [
  '--set=temporal.tls.enabled=true,temporal.tls.existingSecret=temporal-tls',
  '--set=secrets.existingSecret=service-secrets,secrets.keys={TEMPORAL_ENCRYPTION_KEYS}',
  '--set=config.GATEWAY_NAMESPACES=traefik',
];
export const helmReleaseArgs = [
  'service',
  chartFolder,
  '--namespace=service-system',
  '--kube-version=1.35.4',
  ...requiredValues,
];

type ClusterAccess = KubectlAccess & { server: string; caData: string };
/** The processes of the service, each of which has an account. */
export const components = ['api', 'worker', 'agents', 'browser', 'backups'] as const;
export type Component = (typeof components)[number];
export type AccountEnvironment = {
  KUBECONFIG: string;
  SERVICE_ACCOUNT: string;
  ORG_CLUSTER_ROLE: string;
  ZONE_CLUSTER_ROLE: string;
};

/** Returns the settings that the chart gives to the pods of a process. */
export const accountEnvironment = (folder: string, component: Component): AccountEnvironment => ({
  KUBECONFIG: join(folder, `${component}-kubeconfig`),
  SERVICE_ACCOUNT: `service-system/service-${component}`,
  ORG_CLUSTER_ROLE: `service-${component}-org`,
  ZONE_CLUSTER_ROLE: `service-${component}-zone`,
});

/** Creates the chart's service accounts, and a kubeconfig for each in the folder. */
export async function createChartAccounts(
  cluster: ClusterAccess,
  { helm, folder }: { helm: string; folder: string },
): Promise<void> {
  const parts = ['rbac', 'admission'].map((name) => `--show-only=templates/${name}.yaml`);
  const { stdout } = await runCommand(helm, ['template', ...helmReleaseArgs, ...parts]);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'service-system' } };
  await kubectl(cluster, ['apply', '--server-side', '--filename=-'], JSON.stringify(namespace));
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '--filename=-'], stdout);
  const { server, caData } = cluster;
  await Promise.all(
    components.map(async (component) => {
      const account = `service-${component}`;
      const token = await kubectl(cluster, ['create', 'token', account, '--namespace=service-system', '--duration=2h']);
      const { KUBECONFIG } = accountEnvironment(folder, component);
      await writeFile(KUBECONFIG, buildKubeconfig({ server, caData, token: token.trim() }));
    }),
  );
}
