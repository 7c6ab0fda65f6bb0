import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { applyObjects, type KubectlAccess, kubectl } from './kubectl.ts';
import { startProgram, type RunningProgram } from './start-program.ts';

/** Pods whose image digest has this prefix never become ready, like an app that does not start. */
export const neverReadyDigest = 'sha256:dead';
/** Pods whose image digest has this prefix become ready late. */
export const slowDigest = 'sha256:510';
const slowDelayMs = 4_000;

/** The label of fake nodes. */
export const fakeNodeLabel = 'fake-node';

type Stage = {
  metadata: { name: string };
  spec: {
    delay?: { durationMilliseconds: number };
    selector: { matchExpressions: { key: string; operator: string; values?: string[] }[] };
    next?: { statusTemplate?: string };
  };
};

type FakeNodeOptions = {
  bin: string;
  folder: string;
  name?: string;
  /** Accepts only pods that name the node. */
  isDedicated?: boolean;
  /** The log files of pods, as KWOK objects. */
  logs?: object[];
  /** The address of every pod, at which a server of the test responds. By default each pod has one of its own. */
  podAddress?: string;
};

/** Starts a fake node on which pods become ready without running. */
export async function startFakeNode(access: KubectlAccess, options: FakeNodeOptions): Promise<RunningProgram> {
  const { bin, folder, name = 'node-1', isDedicated = false, logs = [], podAddress } = options;
  const stages = await readStages(join(bin, 'kustomize', 'stage'), [
    'node/fast',
    'node/heartbeat-with-lease',
    'pod/fast',
  ]);
  const file = join(folder, 'kwok.yaml');
  const objects = [
    ...stages.flatMap((stage) => withImageSelectors(withPodAddress(stage, podAddress))),
    ...(isDedicated ? [] : [ingressAddressStage]),
    ...logs,
  ];
  await writeFile(file, objects.map((object) => stringify(object)).join('---\n'));
  await applyObjects(access, [buildNode(name, isDedicated)]);
  const port = String(await reservePort());
  const flags = {
    kubeconfig: access.kubeconfig,
    config: file,
    'manage-nodes-with-label-selector': `${fakeNodeLabel}=${name}`,
    // The API server finds the kubelet at this address.
    'node-ip': '127.0.0.1',
    'node-port': port,
    'server-address': `127.0.0.1:${port}`,
    'node-lease-duration-seconds': '40',
  };
  const node = await startProgram('kwok', { executable: join(bin, 'kwok'), flags }, join(folder, 'kwok.log'));
  await node.waitUntilReady(async () =>
    (await kubectl(access, ['get', 'node', name, '--no-headers'])).includes(' Ready'),
  );
  return node;
}

function withPodAddress(stage: Stage, address: string | undefined): Stage {
  const template = stage.spec.next?.statusTemplate;
  if (address === undefined || template === undefined) return stage;
  const statusTemplate = template.replace(
    /\{\{ \$podIPs :=[^]*?(?=phase: )/,
    `podIP: ${address}\npodIPs:\n- ip: ${address}\n`,
  );
  return { ...stage, spec: { ...stage.spec, next: { ...stage.spec.next, statusTemplate } } };
}

/** Splits the stage of ready pods, so that readiness depends on the image. */
function withImageSelectors(stage: Stage): Stage[] {
  if (stage.metadata.name !== 'pod-ready') return [stage];
  const image = (digest: string) => `.spec.containers[].image | select(contains("@${digest}"))`;
  const [never, slow] = [image(neverReadyDigest), image(slowDigest)];
  const buildStage = (
    name: string,
    slowOperator: 'Exists' | 'DoesNotExist',
    overrides: Partial<Stage['spec']> = {},
  ): Stage => {
    const { matchExpressions } = stage.spec.selector;
    const added = [
      { key: never, operator: 'DoesNotExist' },
      { key: slow, operator: slowOperator },
    ];
    const selector = { matchExpressions: [...matchExpressions, ...added] };
    return { ...stage, metadata: { name }, spec: { ...stage.spec, ...overrides, selector } };
  };
  return [
    buildStage('pod-ready', 'DoesNotExist'),
    buildStage('pod-ready-late', 'Exists', { delay: { durationMilliseconds: slowDelayMs } }),
  ];
}

async function readStages(root: string, folders: string[]): Promise<Stage[]> {
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder))).map((name) => join(root, folder, name))),
  );
  const texts = files.flat().filter((file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'));
  return await Promise.all(texts.map(async (file) => parse(await readFile(file, 'utf8')) as Stage));
}

/** Sets the address of an Ingress as an ingress controller does, because Argo CD waits for it. */
const ingressAddressStage = {
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'ingress-gets-address' },
  spec: {
    resourceRef: { apiGroup: 'networking.k8s.io/v1', kind: 'Ingress' },
    selector: { matchExpressions: [{ key: '.status.loadBalancer.ingress', operator: 'DoesNotExist' }] },
    next: { statusTemplate: 'loadBalancer: { ingress: [{ ip: 127.0.0.1 }] }' },
  },
};

const buildNode = (name: string, isDedicated: boolean): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [fakeNodeLabel]: name, 'kubernetes.io/hostname': name } },
  ...(isDedicated && { spec: { unschedulable: true } }),
});
