import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { componentLabel } from '../../src/rules/environments/network-policies.ts';
import { createScratchFolder } from '../support/scratch-folder.ts';

/** A pod with an address in the network of the cluster, or an address elsewhere. */
export type Peer = { namespace: string; labels: Record<string, string> } | { ip: string };
export type Connection = { from: Peer; to: Peer; port: number; portName?: string; protocol?: 'TCP' | 'UDP' };

const podIp = '10.42.0.7';

const toTrafficPeer = (peer: Peer): object =>
  'ip' in peer
    ? { IP: peer.ip }
    : {
        IP: podIp,
        Internal: {
          Namespace: peer.namespace,
          NamespaceLabels: { 'kubernetes.io/metadata.name': peer.namespace, ...namespaceLabels(peer) },
          // In Kubernetes, but not in Cyclonus, `NotIn` selects a pod without the label.
          PodLabels: { [componentLabel]: '', ...peer.labels },
        },
      };

/** Policies select the namespaces of zones by this label. */
const namespaceLabels = ({ namespace }: { namespace: string }): Record<string, string> =>
  namespace.startsWith('zone-') ? { 'service.delivery/zone': namespace } : {};

/** Asks an independent implementation of NetworkPolicy which connections those in these namespaces allow. */
export async function judgeConnections(
  { kubeconfig }: { kubeconfig: string },
  namespaces: readonly string[],
  connections: readonly Connection[],
): Promise<boolean[]> {
  const traffic = connections.map(({ from, to, port, portName = '', protocol = 'TCP' }) => ({
    Source: toTrafficPeer(from),
    Destination: toTrafficPeer(to),
    ResolvedPort: port,
    ResolvedPortName: portName,
    Protocol: protocol,
  }));
  const file = join(await createScratchFolder(), 'traffic.json');
  await writeFile(file, JSON.stringify(traffic));
  const { stdout } = await promisify(execFile)(
    inject('cyclonus'),
    ['analyze', '--mode=query-traffic', `--traffic-path=${file}`, ...namespaces.map((name) => `--namespace=${name}`)],
    { env: { ...process.env, KUBECONFIG: kubeconfig }, maxBuffer: 64 * 1024 * 1024 },
  );
  const answers = [...stdout.matchAll(/IS ALLOWED\?\s*\|\s*(TRUE|FALSE)/g)].map(([, answer]) => answer === 'TRUE');
  if (answers.length !== connections.length) throw new Error(`Cyclonus answered ${answers.length} times:\n${stdout}`);
  return answers;
}
