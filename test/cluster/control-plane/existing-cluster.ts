import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { applyObjects, type KubectlAccess, kubectl } from './kubectl.ts';
import type { ControlPlane } from './start-control-plane.ts';
import { fakeNodeLabel } from './start-fake-node.ts';

type Kubeconfig = { clusters: { cluster: { server: string; 'certificate-authority-data'?: string } }[] };

const testAccount = { name: 'service-tests', namespace: 'kube-system' };

/** Connects to an existing cluster for tests with its admin's kubeconfig. */
export async function connectExistingCluster(kubeconfig: string): Promise<Omit<ControlPlane, 'restartApiServer'>> {
  const executable = await findOnPath('kubectl', process.env);
  if (executable === undefined) throw new Error('TEST_KUBECONFIG requires kubectl on PATH.');
  const access = { kubectl: executable, kubeconfig };
  const view = await kubectl(access, ['config', 'view', '--raw', '--minify', '--flatten', '--output=json']);
  const { cluster } = (JSON.parse(view) as Kubeconfig).clusters[0] ?? {};
  if (!cluster) throw new Error(`TEST_KUBECONFIG names no cluster in its current context: ${kubeconfig}`);
  await assertNoForeignNodes(access);
  return {
    ...access,
    server: cluster.server,
    caData: cluster['certificate-authority-data'] ?? '',
    adminToken: await createAdminToken(access),
    stop: async () => {},
  };
}

/** Rejects clusters with real nodes, because the images of the tests are in no registry. */
async function assertNoForeignNodes(access: KubectlAccess): Promise<void> {
  const nodes = await kubectl(access, ['get', 'nodes', `--selector=!${fakeNodeLabel}`, '--output=name']);
  if (nodes === '') return;
  const names = nodes.trim().replaceAll(/\s+/g, ', ');
  throw new Error(
    `TEST_KUBECONFIG requires a cluster without nodes, because the tests use fake ones. Found: ${names}.`,
  );
}

/** Creates a token for the tests, because the admin may authenticate with a certificate or a program. */
async function createAdminToken(access: KubectlAccess): Promise<string> {
  const subjects = [{ kind: 'ServiceAccount', ...testAccount }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  await applyObjects(access, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: testAccount },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: testAccount.name },
      roleRef,
      subjects,
    },
  ]);
  const args = ['create', 'token', testAccount.name, `--namespace=${testAccount.namespace}`, '--duration=2h'];
  return (await kubectl(access, args)).trim();
}
