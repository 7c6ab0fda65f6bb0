import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { kubectl } from '../install-kinds.ts';
import { apply, type KubectlAccess } from './kubectl.ts';
import type { ControlPlane } from './start-control-plane.ts';
import { playedAs } from './start-nodes.ts';

type Kubeconfig = { clusters: { cluster: { server: string; 'certificate-authority-data'?: string } }[] };

const tests = { name: 'service-tests', namespace: 'kube-system' };

/** A cluster that is already there and is kept for tests, by a kubeconfig of its admin. */
export async function givenCluster(kubeconfig: string): Promise<Omit<ControlPlane, 'restartApiServer'>> {
  const executable = await findOnPath('kubectl', process.env);
  if (executable === undefined) throw new Error('TEST_KUBECONFIG needs kubectl on PATH.');
  const access = { kubectl: executable, kubeconfig };
  const view = await kubectl(access, ['config', 'view', '--raw', '--minify', '--flatten', '--output=json']);
  const { cluster } = (JSON.parse(view) as Kubeconfig).clusters[0] ?? {};
  if (!cluster) throw new Error(`TEST_KUBECONFIG names no cluster in its current context: ${kubeconfig}`);
  await refuseForeignNodes(access);
  return {
    ...access,
    server: cluster.server,
    caData: cluster['certificate-authority-data'] ?? '',
    adminToken: await mintToken(access),
    stop: async () => {},
  };
}

/** What the tests build is in no registry: a node that really runs pods would wait for its image for ever. */
async function refuseForeignNodes(access: KubectlAccess): Promise<void> {
  const nodes = await kubectl(access, ['get', 'nodes', `--selector=!${playedAs}`, '--output=name']);
  if (nodes === '') return;
  const names = nodes.trim().replaceAll(/\s+/g, ', ');
  throw new Error(`TEST_KUBECONFIG needs a cluster without nodes, the tests play their own: it has ${names}.`);
}

/** However the admin signs in, by a certificate or by a program: tests sign in as an account with a token. */
async function mintToken(access: KubectlAccess): Promise<string> {
  const subjects = [{ kind: 'ServiceAccount', ...tests }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  await apply(access, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: tests },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: tests.name },
      roleRef,
      subjects,
    },
  ]);
  const args = ['create', 'token', tests.name, `--namespace=${tests.namespace}`, '--duration=2h'];
  return (await kubectl(access, args)).trim();
}
