import { join } from 'node:path';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { buildGoModule } from './build-go-module.ts';

const VERSION = '1.35.4';
const ETCD_VERSION = '3.6.7';
const programs = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'];

/** Returns the folder of the Kubernetes programs, including kubectl. */
export async function ensureKubernetes(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `kubernetes-${VERSION}`);
  const [major = '', minor = ''] = VERSION.split('.');
  const version = { gitVersion: `v${VERSION}`, gitMajor: major, gitMinor: minor };
  const linkerVariables = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((importPath) =>
    Object.entries(version).map(([name, value]) => [`${importPath}.${name}`, value]),
  );
  return await makeOnce(cached, search.onProgress, (workDir) =>
    buildGoModule(
      {
        module: 'k8s.io/kubernetes',
        version: VERSION,
        stagingVersion: VERSION.replace(/^1/, '0'),
        commands: programs.map((program) => `k8s.io/kubernetes/cmd/${program}`),
        linkerVariables: Object.fromEntries(linkerVariables) as Record<string, string>,
        label: 'a Kubernetes control plane',
        expectedDuration: '5 to 8 minutes',
      },
      { ...search, workDir },
    ),
  );
}

/** Returns the folder of etcd, the database of Kubernetes. */
export async function ensureEtcd(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `etcd-${ETCD_VERSION}`);
  return await makeOnce(cached, search.onProgress, (workDir) =>
    buildGoModule(
      {
        module: 'go.etcd.io/etcd/server/v3',
        version: ETCD_VERSION,
        commands: ['go.etcd.io/etcd/server/v3'],
        label: 'etcd',
        expectedDuration: '1 minute',
      },
      { ...search, workDir },
    ),
  );
}
