import type { AnyResourceKind } from '../../src/rules/resource.ts';
import { toCrd } from '../../src/store/kubernetes/to-crd.ts';
import { kubectl, type KubectlAccess } from './control-plane/kubectl.ts';

/** Installs our kinds and waits until the API server serves them. */
export async function installCrds(cluster: KubectlAccess, kinds: AnyResourceKind[]): Promise<void> {
  const items = kinds.map(toCrd);
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', '-'], list);
  const names = items.map(({ metadata }) => `crd/${metadata.name}`);
  await kubectl(cluster, ['wait', '--for=condition=Established', '--timeout=30s', ...names]);
}
