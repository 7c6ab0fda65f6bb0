import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

export const argoCdNamespace = 'argocd';

const partOfLabels = { 'app.kubernetes.io/part-of': 'argocd' };
const buildMetadata = (name: string) => ({ name, namespace: argoCdNamespace, labels: { ...partOfLabels } });
const buildConfigMap = (name: string, data: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: buildMetadata(name),
  data,
});

/** The objects that Argo CD needs in its cluster to serve Applications in the namespaces of orgs. */
export const argoCdManifests: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: argoCdNamespace } },
  buildConfigMap('argocd-cm'),
  buildConfigMap('argocd-cmd-params-cm', { 'application.namespaces': 'org-*' }),
  buildConfigMap('argocd-rbac-cm'),
  buildConfigMap('argocd-ssh-known-hosts-cm'),
  buildConfigMap('argocd-tls-certs-cm'),
  buildConfigMap('argocd-gpg-keys-cm'),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: buildMetadata('argocd-secret'),
    stringData: { 'server.secretkey': crypto.randomUUID() },
  },
];

/** Argo CD creates this project itself; Applications in the namespaces of orgs cannot use it. */
export const defaultProject: object = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: buildMetadata('default'),
  spec: {
    sourceRepos: ['*'],
    destinations: [{ server: '*', namespace: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  },
};

/** Loads the CRDs from the folder of Argo CD's program. */
export async function loadArgoCdCrds(folder: string): Promise<object[]> {
  const crds = join(folder, 'manifests', 'crds');
  const files = (await readdir(crds)).filter((name) => name.endsWith('-crd.yaml'));
  return await Promise.all(files.map(async (name) => parse(await readFile(join(crds, name), 'utf8')) as object));
}
