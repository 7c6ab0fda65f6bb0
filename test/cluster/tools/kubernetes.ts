import { join } from 'node:path';
import { makeOnce } from '../../../src/main/tools/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { buildModule } from './build-module.ts';

const VERSION = '1.35.4';
const ETCD_VERSION = '3.6.7';
const programs = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'];

/** A folder with Kubernetes' own programs, kubectl among them. */
export async function kubernetes(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `kubernetes-${VERSION}`);
  const [major = '', minor = ''] = VERSION.split('.');
  const version = { gitVersion: `v${VERSION}`, gitMajor: major, gitMinor: minor };
  const set = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((where) =>
    Object.entries(version).map(([name, value]) => [`${where}.${name}`, value]),
  );
  return await makeOnce(cached, search.onProgress, (workDir) =>
    buildModule(
      {
        module: 'k8s.io/kubernetes',
        version: VERSION,
        partsVersion: VERSION.replace(/^1/, '0'),
        commands: programs.map((program) => `k8s.io/kubernetes/cmd/${program}`),
        set: Object.fromEntries(set) as Record<string, string>,
        what: 'a Kubernetes control plane',
        howLong: '5 to 8 minutes',
      },
      { ...search, workDir },
    ),
  );
}

/** The folder with the database of Kubernetes. */
export async function etcd(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `etcd-${ETCD_VERSION}`);
  return await makeOnce(cached, search.onProgress, (workDir) =>
    buildModule(
      {
        module: 'go.etcd.io/etcd/server/v3',
        version: ETCD_VERSION,
        commands: ['go.etcd.io/etcd/server/v3'],
        what: 'etcd',
        howLong: '1 minute',
      },
      { ...search, workDir },
    ),
  );
}
