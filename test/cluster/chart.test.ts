import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type ConfigMap, readSecretText, SecretKind } from '../../src/kinds/kubernetes.ts';
import type { PrometheusRule } from '../../src/kinds/prometheus-operator.ts';
import { secretVariables } from '../../src/config.ts';
import { ensureSetupToken } from '../../src/main/api/ensure-setup-token.ts';
import { readAlertGroups } from '../deploy/read-alerts.ts';
import { readDashboards } from '../deploy/read-dashboards.ts';
import { createScratchFolder } from '../support/scratch-folder.ts';
import { startApi } from '../support/start-api.ts';
import { applyObjects, kubectl } from './control-plane/kubectl.ts';
import { chartFolder, helmReleaseArgs, requiredValues } from './create-chart-account.ts';

const run = promisify(execFile);
const cluster = inject('cluster');
const helm = inject('helm');

const allFeatures = [
  '--set=ingress.enabled=true,ingress.tlsSecret=tls,serviceMonitor.enabled=true,prometheusRule.enabled=true,dashboards.enabled=true',
  '--set=api.autoscaling.enabled=true,workers.agents.autoscaling.enabled=true',
  '--set=temporal.tls.enabled=true,temporal.tls.existingSecret=temporal-tls,temporal.tls.serverName=temporal.test',
  '--set=secrets.existingSecret=service-secrets,secrets.keys={TEMPORAL_API_KEY,TEMPORAL_ENCRYPTION_KEYS}',
  '--set=blobs.existingClaim=blobs,image.pullSecrets[0].name=registry,config.CODEHOST_THROTTLE=false',
];

const bucketKeys = ['BACKUPS_S3_SECRET_ACCESS_KEY', 'BLOBS_S3_SECRET_ACCESS_KEY'];

describe('the chart', () => {
  beforeAll(async () => {
    await applyObjects(
      cluster,
      ['service-system', 'temporal'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    );
  });

  it.each([
    ['default values', []],
    ['all features', allFeatures],
  ])('passes helm lint and server-side validation with %s', async (_, values) => {
    await run(helm, [
      'lint',
      chartFolder,
      '--strict',
      '--namespace=service-system',
      '--kube-version=1.35.4',
      ...requiredValues,
      ...values,
    ]);
    const { stdout } = await run(helm, ['template', ...helmReleaseArgs, '--include-crds', ...values]);
    // The CRDs of Prometheus are not installed; the API server checks all other documents.
    const documents = stdout.split(/^---$/m).filter((text) => !text.includes('kind: ServiceMonitor'));
    const output = await kubectl(
      cluster,
      ['apply', '--dry-run=server', '--server-side', '--force-conflicts', '--filename=-'],
      documents.join('---\n'),
    );
    expect(output.match(/deployment\.apps\/service-\w+ serverside-applied/g)).toHaveLength(5);
    expect(output).toContain('customresourcedefinition.apiextensions.k8s.io/products.service.delivery');
  });

  it('contains the alerts about the service, for the metrics of its own release', async () => {
    const render = async (...values: string[]) =>
      await run(helm, ['template', ...helmReleaseArgs, '--set=prometheusRule.enabled=true', ...values]);
    const values = ['fullnameOverride=own', 'serviceMonitor.enabled=true', 'prometheusRule.labels.release=monitoring'];
    const { stdout } = await render(`--set=${values.join(',')},prometheusRule.runbooks=https://docs.test/runbooks`);
    const rules = parseAllDocuments(stdout)
      .map((document) => document.toJS() as PrometheusRule | null)
      .filter((one) => one?.kind === 'PrometheusRule');
    const text = JSON.stringify(await readAlertGroups())
      .replaceAll('job=\\"service-metrics\\"', 'job=\\"own-metrics\\", namespace=\\"service-system\\"')
      .replaceAll('deploy/RUNBOOKS.md', 'https://docs.test/runbooks');
    expect(rules).toEqual([
      expect.objectContaining({
        metadata: expect.objectContaining({
          name: 'own',
          labels: expect.objectContaining({ release: 'monitoring' }) as unknown,
        }) as unknown,
        spec: { groups: JSON.parse(text) as unknown },
      }),
    ]);
    await expect(render()).rejects.toThrow('prometheusRule.enabled needs serviceMonitor.enabled');
  });

  it('contains the dashboards as Grafana’s sidecar finds them', async () => {
    const only = '--show-only=templates/dashboards.yaml';
    const { stdout } = await run(helm, [
      'template',
      ...helmReleaseArgs,
      only,
      '--set=dashboards.enabled=true,dashboards.annotations.grafana_folder=Delivery',
    ]);
    const objects = parseAllDocuments(stdout).map((document) => document.toJS() as ConfigMap);
    for (const { metadata } of objects) {
      expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
      expect(metadata.annotations).toEqual({ grafana_folder: 'Delivery' });
    }
    const texts = objects.flatMap(({ data }) => Object.values(data ?? {}));
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(await readDashboards());
    const { stdout: byDefault } = await run(helm, ['template', ...helmReleaseArgs]);
    expect(byDefault).not.toContain('grafana_dashboard');
  });

  it('names in its notes only what exists', async () => {
    // Only an installation renders the notes. Other tests create objects of the same names, which it does not check.
    const kubeconfig = `--kubeconfig=${cluster.kubeconfig}`;
    const args = helmReleaseArgs.filter((arg) => !arg.startsWith('--kube-version'));
    const dryRun = ['--dry-run=client', '--take-ownership', '--skip-crds'];
    const { stdout } = await run(helm, ['install', ...args, ...dryRun, kubeconfig]);
    const [manifests = '', notes = ''] = stdout.split(/^NOTES:$/m);
    const objects = parseAllDocuments(manifests.slice(manifests.indexOf('---')))
      .map((document) => document.toJS() as { kind: string; metadata: { name: string }; spec: ServiceSpec } | null)
      .filter((one) => one !== null);

    const [, service = '', port = ''] = /port-forward service\/(\S+) 8080:(\d+)/.exec(notes) ?? [];
    const { spec } = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service) ?? {};
    expect(spec?.ports.map((one) => String(one.port))).toContain(port);
    const [, label = '', value = ''] = /--selector (\S+)=(\S+)/.exec(notes) ?? [];
    const pods = objects.filter(({ kind }) => kind === 'Deployment').map((one) => one.spec.template?.metadata.labels);
    expect(new Set(pods.map((labels) => labels?.[label]))).toEqual(new Set([value]));

    const { store, request } = await startApi({ role: 'anonymous' });
    await ensureSetupToken(store, join(await createScratchFolder(), 'setup-token'));
    const [, namespace = '', secret = '', key = ''] =
      /--namespace (\S+) get secret (\S+) --output jsonpath='\{\.data\.(\w+)\}'/.exec(notes) ?? [];
    const token = readSecretText(await store.get(SecretKind, { namespace, name: secret }), key);
    const [, path = '', header = ''] = /\/api(\/v1\/\S+) --header "([\w-]+): \$token"/.exec(notes) ?? [];
    const body = { email: 'root@example.com', password: 'correct horse battery staple' };
    const created = await request(path, { method: 'POST', body, headers: { [header]: token ?? '' } });
    expect(created.status).toBe(201);
    expect(notes).not.toMatch(/wizard/i);
  });

  it('refuses to install agents and browsers into a namespace whose Pod Security rejects their pods', async () => {
    const namespace = `restricted-${crypto.randomUUID().slice(0, 8)}`;
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    await applyObjects(cluster, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }]);
    const install = async (...values: string[]) =>
      await run(helm, [
        'template',
        'service',
        chartFolder,
        `--namespace=${namespace}`,
        `--kubeconfig=${cluster.kubeconfig}`,
        '--dry-run=server',
        '--kube-version=1.35.4',
        ...requiredValues,
        ...values,
      ]);
    try {
      await expect(install()).rejects.toThrow(/enforces the Pod Security Standard .*baseline.* workers\.agents/);
      await expect(install('--set=workers.agents.enabled=false')).rejects.toThrow(/workers\.browser/);
      const { stdout } = await install('--set=workers.agents.enabled=false,workers.browser.enabled=false');
      expect(stdout).toContain('name: service-main');
    } finally {
      await kubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
    }
  });

  it('keeps the namespace with the objects of the installation when a release no longer contains it', async () => {
    const args = helmReleaseArgs.map((arg) => (arg.startsWith('--namespace=') ? '--namespace=elsewhere' : arg));
    const { stdout } = await run(helm, ['template', ...args, '--show-only=templates/rbac.yaml']);
    const objects = parseAllDocuments(stdout).map((document) => document.toJS() as AnyDocument | null);
    expect(objects.filter((object) => object?.kind === 'Namespace')).toEqual([
      expect.objectContaining({
        metadata: expect.objectContaining({
          name: 'service-system',
          annotations: { 'helm.sh/resource-policy': 'keep' },
        }) as unknown,
      }),
    ]);
  });

  it('refuses a cluster whose CRDs lack what this version has, because Helm does not update them', async () => {
    const copy = await createScratchFolder();
    await cp(chartFolder, copy, { recursive: true });
    const render = async (...more: string[]) =>
      await run(helm, [
        'template',
        ...helmReleaseArgs.map((arg) => (arg === chartFolder ? copy : arg)),
        `--kubeconfig=${cluster.kubeconfig}`,
        '--dry-run=server',
        ...more,
      ]);
    await render('--is-upgrade');
    const file = join(copy, 'crds', 'products.yaml');
    const crd = await readFile(file, 'utf8');
    const crdWith = (field: string, indent: string) => crd.replace(field, `${indent}later: { type: string }\n${field}`);
    for (const [changed, path] of [
      [crdWith('                displayName:', ' '.repeat(16)), '.spec.later'],
      [crdWith('                          promotionPolicy:', ' '.repeat(26)), '.spec.delivery.zones[].later'],
    ] as const) {
      await writeFile(file, changed);
      await expect(render()).rejects.toThrow(
        `The CRD products.service.delivery of the cluster lacks ${path}, so Kubernetes would drop what people set there.`,
      );
    }
    await writeFile(file, crd.replace('name: products.service.delivery', 'name: laters.service.delivery'));
    await expect(render('--is-upgrade')).rejects.toThrow('The cluster lacks the CRD laters.service.delivery.');
    // Helm creates it with the first installation.
    await render();
  });

  it.each([
    ['api.replicas=many', 'api.replicas'],
    ['workers.more.enabled=true', "'autoscaling', 'image', 'podDisruptionBudget', 'queues', 'replicas', 'resources'"],
    ['secrets.keys={NO_SUCH_SETTING}', 'secrets.keys'],
    ['publicUrl=', 'publicUrl'],
    ['config.GATEWAY_NAMESPACES=', 'config.GATEWAY_NAMESPACES'],
    ['workers.main.queues={nonsense}', 'queues'],
    ['unknown=1', 'unknown'],
  ])('rejects an invalid value and names it: %s', async (value, named) => {
    await expect(run(helm, ['template', ...helmReleaseArgs, `--set=${value}`])).rejects.toThrow(
      named.split('.').at(-1),
    );
  });

  it.each([
    'temporal.tls.enabled=false',
    'temporal.tls.existingSecret=',
    'temporal.tls.clientCertificate=false',
    'secrets.keys={MODEL_API_KEY,TEMPORAL_ENCRYPTION_KEYS},temporal.tls.enabled=false',
  ])('refuses a Temporal server that would obey every pod: %s', async (value) => {
    const render = async (...more: string[]) =>
      await run(helm, ['template', ...helmReleaseArgs, `--set=${value}`, ...more]);
    await expect(render()).rejects.toThrow('Temporal would obey every pod that reaches it');
    await render('--set=secrets.keys={TEMPORAL_API_KEY,TEMPORAL_ENCRYPTION_KEYS}');
  });

  it.each(['secrets.keys={MODEL_API_KEY}', 'secrets.existingSecret='])(
    'refuses a Temporal server that would store the content of runs in plaintext: %s',
    async (value) => {
      await expect(run(helm, ['template', ...helmReleaseArgs, `--set=${value}`])).rejects.toThrow(
        'Temporal would store the content of every run in plaintext',
      );
    },
  );

  it.each([
    ['api', [...bucketKeys, 'MODEL_API_KEY', 'PROMETHEUS_TOKEN']],
    ['main', ['BLOBS_S3_SECRET_ACCESS_KEY', 'MODEL_API_KEY', 'PROMETHEUS_TOKEN', 'REGISTRY_PUSH_CREDENTIALS']],
    ['agents', ['BLOBS_S3_SECRET_ACCESS_KEY', 'MODEL_API_KEY']],
    ['browser', ['BLOBS_S3_SECRET_ACCESS_KEY']],
    ['backups', bucketKeys],
  ])('gives the pods of %s only the secrets that they use', async (component, expected) => {
    const keys = [...bucketKeys, 'MODEL_API_KEY', 'PROMETHEUS_TOKEN', 'REGISTRY_PUSH_CREDENTIALS'];
    const { items, files } = await readSecretsOfPod(component, [...keys, 'TEMPORAL_ENCRYPTION_KEYS']);
    expect(items?.map(({ key }) => key)).toEqual([...expected, 'TEMPORAL_ENCRYPTION_KEYS']);
    expect(files).toEqual([...expected, 'TEMPORAL_ENCRYPTION_KEYS'].map((key) => `${key}_FILE`));
  });

  it.each([...secretVariables, 'PROMETHEUS_TOKEN'])(
    'takes %s from the Secret, and never as plain text',
    async (key) => {
      const show = '--show-only=templates/config.yaml';
      const keys = [...new Set(['TEMPORAL_ENCRYPTION_KEYS', key])];
      await run(helm, ['template', ...helmReleaseArgs, show, `--set=secrets.keys={${keys.join(',')}}`]);
      const plain = run(helm, ['template', ...helmReleaseArgs, show, `--set=config.${key}=x`]);
      await expect(plain).rejects.toThrow(`'${key}'`);
    },
  );

  it.each([
    ['api', 0],
    ['main', 1],
    ['agents', 1],
    ['browser', 1],
    ['backups', 0],
  ])('lets %s start without the credentials of backups: %i', async (component, count) => {
    const { env } = await readSecretsOfPod(component, ['TEMPORAL_ENCRYPTION_KEYS']);
    expect(env?.filter(({ name, value }) => name === 'BACKUPS_S3_BUCKET' && value === '')).toHaveLength(count);
  });

  it('leaves the class of its ingress to the cluster, unless a value names one', async () => {
    const show = async (...values: string[]) =>
      (await run(helm, ['template', ...helmReleaseArgs, '--set=ingress.enabled=true', ...values])).stdout;
    expect(await show()).not.toContain('ingressClassName');
    expect(await show('--set=ingress.className=traefik')).toContain('ingressClassName: traefik');
  });

  it.each(['agents', 'browser', 'backups'])(
    'refuses a worker that serves the queue %s and another one',
    async (queue) => {
      const value = `--set=workers.main.queues={activities,${queue}}`;
      await expect(run(helm, ['template', ...helmReleaseArgs, value])).rejects.toThrow('can serve no other queue');
    },
  );

  it('lets only the named sources connect to workers, and none when none is named', async () => {
    const readIngress = async (...values: string[]) => {
      const show = '--show-only=templates/network-policies.yaml';
      const { stdout } = await run(helm, ['template', ...helmReleaseArgs, show, ...values]);
      type Policy = { metadata: { name: string }; spec: { policyTypes: string[]; ingress?: { from: unknown[] }[] } };
      const policies = parseAllDocuments(stdout).map((document) => document.toJS() as Policy | null);
      const policy = policies.find((one) => one?.metadata.name === 'service');
      expect(policy?.spec.policyTypes).toEqual(['Ingress']);
      return policy?.spec.ingress;
    };
    const monitoring = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
    expect(await readIngress()).toMatchObject([{ from: [monitoring] }]);
    expect(await readIngress('--set-json=networkPolicy.metricsFrom=[]')).toBeUndefined();
  });

  it('keeps the workers of agents and of the browser from the metadata services of clouds', async () => {
    const show = '--show-only=templates/network-policies.yaml';
    const { stdout } = await run(helm, ['template', ...helmReleaseArgs, show, ...allFeatures]);
    type Policy = { spec: { policyTypes: string[]; egress?: { to: { ipBlock?: { except: string[] } }[] }[] } };
    const policies = parseAllDocuments(stdout).map((document) => document.toJS() as Policy);
    const limited = policies.filter(({ spec }) => spec.policyTypes.includes('Egress'));
    expect(limited).toHaveLength(2);
    const metadata = ['169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192'];
    const metadata6 = ['fd00:ec2::23', 'fd00:ec2::254', 'fd20:ce::254'];
    for (const { spec } of limited) {
      const blocked = new BlockList();
      for (const cidr of spec.egress?.flatMap(({ to }) => to).flatMap(({ ipBlock }) => ipBlock?.except ?? []) ?? []) {
        const [network = '', bits] = cidr.split('/');
        blocked.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
      }
      expect(metadata.filter((address) => !blocked.check(address))).toEqual([]);
      expect(metadata6.filter((address) => !blocked.check(address, 'ipv6'))).toEqual([]);
    }
  });

  it('closes the Temporal namespace to all pods but its own and those of the service', async () => {
    const show = async (...values: string[]) =>
      (await run(helm, ['template', ...helmReleaseArgs, '--show-only=templates/network-policies.yaml', ...values]))
        .stdout;
    const policies = parseAllDocuments(await show()).map((document) => document.toJS() as PolicyDocument);
    const policy = policies.find(({ metadata }) => metadata.name === 'service-temporal');
    expect(policy).toMatchObject({
      metadata: { namespace: 'temporal' },
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              { podSelector: {} },
              {
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'service-system' } },
                podSelector: { matchLabels: { 'app.kubernetes.io/instance': 'service' } },
              },
            ],
          },
        ],
      },
    });
    // A server outside of the cluster has no namespace here.
    for (const address of ['temporal.example.com:7233', 'acme.a2dd6.tmprl.cloud:7233'])
      expect(await show(`--set=temporal.address=${address}`)).not.toContain('service-temporal');
    expect(await show('--set=temporal.networkPolicy.enabled=false')).not.toContain('service-temporal');
  });

  it('runs every pod as an unprivileged user with a read-only root file system and a profile of system calls', async () => {
    const { stdout } = await run(helm, ['template', ...helmReleaseArgs, ...allFeatures]);
    const list = await kubectl(
      cluster,
      ['create', '--dry-run=client', '--output=json', '--filename=-'],
      filterDeployments(stdout),
    );
    const { items } = JSON.parse(
      list.startsWith('[') ? `{"items":${list}}` : `{"items":[${list.replaceAll(/\}\n\{/g, '},{')}]}`,
    ) as {
      items: { spec: { template: { spec: PodSpec } } }[];
    };
    expect(items).toHaveLength(5);
    const accounts = items.map(({ spec }) => spec.template.spec.serviceAccountName).toSorted();
    expect(accounts).toEqual(['service-agents', 'service-api', 'service-backups', 'service-browser', 'service-worker']);
    for (const { spec } of items) {
      const pod = spec.template.spec;
      const user = pod.serviceAccountName === 'service-browser' ? 65_532 : 65_534;
      const hasSandbox = ['service-agents', 'service-browser'].includes(pod.serviceAccountName);
      const seccompProfile = { type: hasSandbox ? 'Unconfined' : 'RuntimeDefault' };
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: user, seccompProfile });
      // A sandbox creates user namespaces, so a user namespace of the pod isolates it from the node.
      expect(pod.hostUsers).toBe(hasSandbox ? false : undefined);
      for (const { securityContext } of pod.containers) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(securityContext.seccompProfile ?? seccompProfile).toEqual(seccompProfile);
        expect(securityContext.procMount).toBe(hasSandbox ? 'Unmasked' : undefined);
      }
    }
  });
});

type AnyDocument = { kind: string; metadata: { name: string } };
type ServiceSpec = { ports: { port: number }[]; template?: { metadata: { labels: Record<string, string> } } };
type PolicyDocument = { metadata: { name: string }; spec: object };
type PodSpec = {
  serviceAccountName: string;
  hostUsers?: boolean;
  securityContext: object;
  containers: { securityContext: { seccompProfile?: object; procMount?: string } }[];
};
const filterDeployments = (text: string): string =>
  text
    .split(/^---$/m)
    .filter((document) => /^kind: Deployment$/m.test(document))
    .join('---\n');

type SecretsPod = {
  containers: { env: { name: string; value?: string }[]; volumeMounts: { name: string }[] }[];
  volumes: { name: string; secret?: { items: { key: string }[] } }[];
};
type DeploymentDocument = { kind: string; metadata: { name: string }; spec: { template: { spec: SecretsPod } } };

/** Returns the volume of secrets in the pods of a component, and the variables that name its files. */
async function readSecretsOfPod(component: string, keys: string[]) {
  const values = `--set=secrets.keys={${keys.join(',')}}`;
  const { stdout } = await run(helm, ['template', ...helmReleaseArgs, values]);
  const documents = parseAllDocuments(stdout).map((document) => document.toJS() as DeploymentDocument | undefined);
  const deployment = documents.find(
    (document) => document?.kind === 'Deployment' && document.metadata.name === `service-${component}`,
  );
  const pod = deployment?.spec.template.spec;
  const [container] = pod?.containers ?? [];
  const secrets = pod?.volumes.find(({ name }) => name === 'secrets');
  expect(container?.volumeMounts).toContainEqual(expect.objectContaining({ name: 'secrets' }));
  const files = container?.env.map(({ name }) => name).filter((name) => name.endsWith('_FILE'));
  return { items: secrets?.secret?.items, files, env: container?.env };
}
