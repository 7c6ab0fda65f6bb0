import { join } from 'node:path';
import type { ToolSearch } from '../../src/main/tools/tool.ts';
import type { AnyResourceKind } from '../../src/rules/resource.ts';
import { toCrd } from '../../src/store/kubernetes/to-crd.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { kubectl, type KubectlAccess } from './control-plane/kubectl.ts';
import { ensurePrometheusOperatorCrds } from './tools/ensure-prometheus-operator-crds.ts';
import { getToolPath } from './tools/get-tool-path.ts';

/** Installs our kinds and waits until the API server serves them. */
export async function installCrds(cluster: KubectlAccess, kinds: AnyResourceKind[]): Promise<void> {
  const items = kinds.map(toCrd);
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', '-'], list);
  await waitUntilEstablished(
    cluster,
    items.map(({ metadata }) => metadata.name),
  );
}

/** Installs the kinds of the Prometheus operator. The CRDs are too large for the annotation of a client-side apply. */
export async function installPrometheusOperatorCrds(cluster: KubectlAccess, search: ToolSearch): Promise<void> {
  const folder = getToolPath(await ensurePrometheusOperatorCrds(search));
  const files = join(folder, 'example', 'prometheus-operator-crd');
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', files]);
  const plurals = ['alertmanagerconfigs', 'podmonitors', 'prometheusrules'];
  await waitUntilEstablished(
    cluster,
    plurals.map((plural) => `${plural}.monitoring.coreos.com`),
  );
}

/** `kubectl wait` fails for a CRD that has no conditions yet, so it is tried again. */
async function waitUntilEstablished(cluster: KubectlAccess, names: string[]): Promise<void> {
  const wait = ['wait', '--for=condition=Established', '--timeout=30s', ...names.map((name) => `crd/${name}`)];
  await waitUntil(
    async () => await kubectl(cluster, wait),
    () => true,
  );
}
