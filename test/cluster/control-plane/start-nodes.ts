import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { kubectl } from '../install-kinds.ts';
import { apply, type KubectlAccess } from './kubectl.ts';
import { startProgram, type Running } from './start-program.ts';

/** Images whose digest begins so never get ready: what a Release looks like whose app does not start. */
export const neverReadyDigest = 'sha256:dead';

type Stage = {
  metadata: { name: string };
  spec: { selector: { matchExpressions: { key: string; operator: string; values?: string[] }[] } };
};

/** Plays a node on which pods get ready without running. */
export async function startNodes(
  access: KubectlAccess,
  { bin, folder }: { bin: string; folder: string },
): Promise<Running> {
  const stages = await readStages(join(bin, 'kustomize', 'stage'), [
    'node/fast',
    'node/heartbeat-with-lease',
    'pod/fast',
  ]);
  const ready = stages.find(({ metadata }) => metadata.name === 'pod-ready');
  const isNever = `.spec.containers[].image | select(contains("@${neverReadyDigest}"))`;
  ready?.spec.selector.matchExpressions.push({ key: isNever, operator: 'DoesNotExist' });
  const file = join(folder, 'stages.yaml');
  await writeFile(file, [...stages, ingressGetsAddress].map((stage) => stringify(stage)).join('---\n'));
  await apply(access, [node('node-1')]);
  const flags = {
    kubeconfig: access.kubeconfig,
    config: file,
    'manage-nodes-with-label-selector': 'type=kwok',
    'node-lease-duration-seconds': '40',
  };
  const nodes = await startProgram('kwok', { executable: join(bin, 'kwok'), flags }, join(folder, 'kwok.log'));
  await nodes.until(async () => (await kubectl(access, ['get', 'nodes', '--no-headers'])).includes(' Ready '));
  return nodes;
}

async function readStages(root: string, folders: string[]): Promise<Stage[]> {
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder))).map((name) => join(root, folder, name))),
  );
  const texts = files.flat().filter((file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'));
  return await Promise.all(texts.map(async (file) => parse(await readFile(file, 'utf8')) as Stage));
}

/** What an ingress controller says of an Ingress that it has taken up: without it Argo CD waits for it. */
const ingressGetsAddress = {
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'ingress-gets-address' },
  spec: {
    resourceRef: { apiGroup: 'networking.k8s.io/v1', kind: 'Ingress' },
    selector: { matchExpressions: [{ key: '.status.loadBalancer.ingress', operator: 'DoesNotExist' }] },
    next: { statusTemplate: 'loadBalancer: { ingress: [{ ip: 127.0.0.1 }] }' },
  },
};

const node = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { type: 'kwok', 'kubernetes.io/hostname': name } },
});
