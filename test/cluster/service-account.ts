import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { kubeconfigFor } from './control-plane/kubeconfig.ts';
import { kubectl } from './install-kinds.ts';

const run = promisify(execFile);
export const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url));
export const release = ['service', chart, '--namespace=service-system', '--kube-version=1.35.4'];

type Cluster = { kubectl: string; kubeconfig: string; server: string; caData: string };

/** The account that the chart makes, with the rights that it gives, by a kubeconfig in that folder; answers what the service is told of it. */
export async function chartAccount(
  cluster: Cluster,
  { helm, folder }: { helm: string; folder: string },
): Promise<{ KUBECONFIG: string; SERVICE_ACCOUNT: string }> {
  const parts = ['rbac', 'admission'].map((name) => `--show-only=templates/${name}.yaml`);
  const { stdout } = await run(helm, ['template', ...release, ...parts]);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'service-system' } };
  await kubectl(cluster, ['apply', '--server-side', '--filename=-'], JSON.stringify(namespace));
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '--filename=-'], stdout);
  const token = await kubectl(cluster, ['create', 'token', 'service', '--namespace=service-system', '--duration=2h']);
  const file = join(folder, 'account-kubeconfig');
  const { server, caData } = cluster;
  await writeFile(file, kubeconfigFor({ server, caData, token: token.trim() }));
  return { KUBECONFIG: file, SERVICE_ACCOUNT: 'service-system/service' };
}
