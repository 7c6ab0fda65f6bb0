import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

export const argoCdNamespace = 'argocd';

const partOf = { 'app.kubernetes.io/part-of': 'argocd' };
const metadata = (name: string) => ({ name, namespace: argoCdNamespace, labels: { ...partOf } });
const configMap = (name: string, data: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadata(name),
  data,
});

/** What an installation of Argo CD finds in its cluster that serves Applications in the namespaces of orgs. */
export const argoCdSettings: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: argoCdNamespace } },
  configMap('argocd-cm'),
  configMap('argocd-cmd-params-cm', { 'application.namespaces': 'org-*' }),
  configMap('argocd-rbac-cm'),
  configMap('argocd-ssh-known-hosts-cm'),
  configMap('argocd-tls-certs-cm'),
  configMap('argocd-gpg-keys-cm'),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata('argocd-secret'),
    stringData: { 'server.secretkey': crypto.randomUUID() },
  },
];

export const defaultProject: object = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: metadata('default'),
  spec: {
    sourceRepos: ['*'],
    sourceNamespaces: ['org-*'],
    destinations: [{ server: '*', namespace: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  },
};

/** The CRDs beside Argo CD's program. */
export async function argoCdKinds(folder: string): Promise<object[]> {
  const crds = join(folder, 'manifests', 'crds');
  const files = (await readdir(crds)).filter((name) => name.endsWith('-crd.yaml'));
  return await Promise.all(files.map(async (name) => parse(await readFile(join(crds, name), 'utf8')) as object));
}

/** How Argo CD reads the repos of a code host. */
export const repositoryCredentials = (name: string, { url, token }: { url: string; token: string }): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    ...metadata(name),
    labels: { ...partOf, 'argocd.argoproj.io/secret-type': 'repo-creds' },
  },
  stringData: { type: 'git', url, username: 'owner', password: token },
});
