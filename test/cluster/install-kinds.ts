import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AnyResourceKind } from '../../src/rules/resource.ts';
import { crdOf } from '../../src/store/kubernetes/crd.ts';

type Cluster = { kubectl: string; kubeconfig: string };

/** Installs kinds of our own and waits until the API server serves them. */
export async function installKinds(cluster: Cluster, kinds: AnyResourceKind[]): Promise<void> {
  const items = kinds.map(crdOf);
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', '-'], list);
  const names = items.map(({ metadata }) => `crd/${metadata.name}`);
  await kubectl(cluster, ['wait', '--for=condition=Established', '--timeout=30s', ...names]);
}

/** Runs kubectl as the cluster's admin; fails with what it says. */
export async function kubectl(cluster: Cluster, args: string[], input = ''): Promise<string> {
  const child = spawn(cluster.kubectl, [`--kubeconfig=${cluster.kubeconfig}`, ...args]);
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${errors}`);
  return output;
}
