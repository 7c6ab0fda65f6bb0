import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { runProgram } from '../../../src/main/tools/run-program.ts';
import type { ControlPlane } from './start-control-plane.ts';

type Kubeconfig = {
  clusters: { cluster: { server: string; 'certificate-authority-data'?: string } }[];
  users: { user: { token?: string } }[];
};

/** A cluster that is already there, by a kubeconfig whose user has a token. */
export async function givenCluster(kubeconfig: string): Promise<Omit<ControlPlane, 'restartApiServer'>> {
  const kubectl = await findOnPath('kubectl', process.env);
  if (kubectl === undefined) throw new Error('TEST_KUBECONFIG needs kubectl on PATH.');
  const args = ['config', 'view', '--raw', '--minify', '--flatten', '--output=json', `--kubeconfig=${kubeconfig}`];
  const { ok, output } = await runProgram(kubectl, args, { env: process.env, timeoutMs: 10_000 });
  if (!ok) throw new Error(`TEST_KUBECONFIG cannot be read: ${output}`);
  const { clusters, users } = JSON.parse(output) as Kubeconfig;
  const { server, 'certificate-authority-data': caData = '' } = clusters[0]?.cluster ?? { server: '' };
  const adminToken = users[0]?.user.token;
  if (adminToken === undefined) throw new Error('The user of TEST_KUBECONFIG has no token.');
  return { kubeconfig, server, caData, adminToken, kubectl, stop: async () => {} };
}
