import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildKubeconfig } from './control-plane/kubeconfig.ts';
import { kubectl, type KubectlAccess } from './control-plane/kubectl.ts';

const runCommand = promisify(execFile);
export const chartFolder = fileURLToPath(new URL('../../deploy/chart', import.meta.url));
export const helmReleaseArgs = ['service', chartFolder, '--namespace=service-system', '--kube-version=1.35.4'];

type ClusterAccess = KubectlAccess & { server: string; caData: string };

/** Creates the chart's service account and its kubeconfig. Returns the settings that the service needs for it. */
export async function createChartAccount(
  cluster: ClusterAccess,
  { helm, folder }: { helm: string; folder: string },
): Promise<{ KUBECONFIG: string; SERVICE_ACCOUNT: string }> {
  const parts = ['rbac', 'admission'].map((name) => `--show-only=templates/${name}.yaml`);
  const { stdout } = await runCommand(helm, ['template', ...helmReleaseArgs, ...parts]);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'service-system' } };
  await kubectl(cluster, ['apply', '--server-side', '--filename=-'], JSON.stringify(namespace));
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '--filename=-'], stdout);
  const token = await kubectl(cluster, ['create', 'token', 'service', '--namespace=service-system', '--duration=2h']);
  const file = join(folder, 'account-kubeconfig');
  const { server, caData } = cluster;
  await writeFile(file, buildKubeconfig({ server, caData, token: token.trim() }));
  return { KUBECONFIG: file, SERVICE_ACCOUNT: 'service-system/service' };
}
