import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '../../../src/main/ports.ts';
import { kubectl } from '../install-kinds.ts';
import { apply, type KubectlAccess } from './kubectl.ts';
import { startProgram, type Running } from './start-program.ts';

/** Images whose digest begins so never get ready: what a Release looks like whose app does not start. */
export const neverReadyDigest = 'sha256:dead';
/** Those with this one get ready late. */
export const slowDigest = 'sha256:510';
const slowMs = 4_000;

/** The label of nodes that are played. */
export const playedAs = 'played-as';

type Stage = {
  metadata: { name: string };
  spec: {
    delay?: { durationMilliseconds: number };
    selector: { matchExpressions: { key: string; operator: string; values?: string[] }[] };
  };
};

type Options = {
  bin: string;
  folder: string;
  name?: string;
  /** For pods that name it alone. */
  isApart?: boolean;
  /** Which files are the logs of which pods. */
  logs?: object[];
};

/** Plays a node on which pods get ready without running. */
export async function startNodes(access: KubectlAccess, options: Options): Promise<Running> {
  const { bin, folder, name = 'node-1', isApart = false, logs = [] } = options;
  const stages = await readStages(join(bin, 'kustomize', 'stage'), [
    'node/fast',
    'node/heartbeat-with-lease',
    'pod/fast',
  ]);
  const file = join(folder, 'played.yaml');
  const played = [...stages.flatMap(withImages), ...(isApart ? [] : [ingressGetsAddress]), ...logs];
  await writeFile(file, played.map((object) => stringify(object)).join('---\n'));
  await apply(access, [node(name, isApart)]);
  const port = String(await freePort());
  const flags = {
    kubeconfig: access.kubeconfig,
    config: file,
    'manage-nodes-with-label-selector': `${playedAs}=${name}`,
    // Where the API server finds its kubelet.
    'node-ip': '127.0.0.1',
    'node-port': port,
    'server-address': `127.0.0.1:${port}`,
    'node-lease-duration-seconds': '40',
  };
  const nodes = await startProgram('kwok', { executable: join(bin, 'kwok'), flags }, join(folder, 'kwok.log'));
  await nodes.until(async () => (await kubectl(access, ['get', 'node', name, '--no-headers'])).includes(' Ready'));
  return nodes;
}

/** How pods get ready depends on what they run. */
function withImages(stage: Stage): Stage[] {
  if (stage.metadata.name !== 'pod-ready') return [stage];
  const image = (digest: string) => `.spec.containers[].image | select(contains("@${digest}"))`;
  const [never, slow] = [image(neverReadyDigest), image(slowDigest)];
  const when = (name: string, slowly: 'Exists' | 'DoesNotExist', more: Partial<Stage['spec']> = {}): Stage => {
    const { matchExpressions } = stage.spec.selector;
    const added = [
      { key: never, operator: 'DoesNotExist' },
      { key: slow, operator: slowly },
    ];
    const selector = { matchExpressions: [...matchExpressions, ...added] };
    return { ...stage, metadata: { name }, spec: { ...stage.spec, ...more, selector } };
  };
  return [
    when('pod-ready', 'DoesNotExist'),
    when('pod-ready-late', 'Exists', { delay: { durationMilliseconds: slowMs } }),
  ];
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

const node = (name: string, isApart: boolean): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [playedAs]: name, 'kubernetes.io/hostname': name } },
  ...(isApart && { spec: { unschedulable: true } }),
});
