import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { componentLabel } from '../../src/rules/environments/network-policies.ts';
import { createScratchFolder } from '../support/scratch-folder.ts';
import { kubectl, type KubectlAccess } from './control-plane/kubectl.ts';

/** A pod with an address in the network of the cluster, or an address elsewhere. */
export type Peer = { namespace: string; labels: Record<string, string> } | { ip: string };
export type Connection = { from: Peer; to: Peer; port: number; portName?: string; protocol?: 'TCP' | 'UDP' };

const podIp = '10.42.0.7';

type Labels = Record<string, string>;

/** Reads the labels of the namespaces that exist. */
async function readNamespaceLabels(cluster: KubectlAccess): Promise<Map<string, Labels>> {
  const { items } = JSON.parse(await kubectl(cluster, ['get', 'namespaces', '--output=json'])) as {
    items: { metadata: { name: string; labels: Labels } }[];
  };
  return new Map(items.map(({ metadata: { name, labels } }) => [name, labels]));
}

const toTrafficPeer = (peer: Peer, namespaceLabels: ReadonlyMap<string, Labels>): object =>
  'ip' in peer
    ? { IP: peer.ip }
    : {
        IP: podIp,
        Internal: {
          Namespace: peer.namespace,
          NamespaceLabels: namespaceLabels.get(peer.namespace) ?? { 'kubernetes.io/metadata.name': peer.namespace },
          // In Kubernetes, but not in Cyclonus, `NotIn` selects a pod without the label.
          PodLabels: { [componentLabel]: '', ...peer.labels },
        },
      };

/** Asks an independent implementation of NetworkPolicy which connections those in these namespaces allow. */
export async function judgeConnections(
  cluster: KubectlAccess,
  namespaces: readonly string[],
  connections: readonly Connection[],
): Promise<boolean[]> {
  const labels = await readNamespaceLabels(cluster);
  const traffic = connections.map(({ from, to, port, portName = '', protocol = 'TCP' }) => ({
    Source: toTrafficPeer(from, labels),
    Destination: toTrafficPeer(to, labels),
    ResolvedPort: port,
    ResolvedPortName: portName,
    Protocol: protocol,
  }));
  const file = join(await createScratchFolder(), 'traffic.json');
  await writeFile(file, JSON.stringify(traffic));
  const { stdout } = await promisify(execFile)(
    inject('cyclonus'),
    ['analyze', '--mode=query-traffic', `--traffic-path=${file}`, ...namespaces.map((name) => `--namespace=${name}`)],
    { env: { ...process.env, KUBECONFIG: cluster.kubeconfig }, maxBuffer: 64 * 1024 * 1024 },
  );
  const answers = [...stdout.matchAll(/IS ALLOWED\?\s*\|\s*(TRUE|FALSE)/g)].map(([, answer]) => answer === 'TRUE');
  if (answers.length !== connections.length) throw new Error(`Cyclonus answered ${answers.length} times:\n${stdout}`);
  return answers;
}
