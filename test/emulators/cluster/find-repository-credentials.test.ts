import { expect, it } from 'vitest';
import { findRepositoryCredentials } from '../../../src/emulators/cluster/find-repository-credentials.ts';
import { repositorySecretLabels } from '../../../src/kinds/argo-cd.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const url = 'http://localhost:1920/acme/gitops.git';

async function findIn(namespace: string, labels: Record<string, string>, wanted = url, project = 'org-acme') {
  const store = openTestStore();
  const data = toSecretData({ url, project: 'org-acme', username: 'owner', password: 'secret' });
  await store.put(SecretKind, { metadata: { namespace, name: 'org-acme', labels }, data });
  return await findRepositoryCredentials(store, 'argocd')(wanted, project);
}

it('sends the credentials of a repository Secret to its URL', async () => {
  expect(await findIn('argocd', repositorySecretLabels)).toBe('Basic b3duZXI6c2VjcmV0');
});

it.each([
  'http://localhost:19201/acme/gitops.git',
  'http://localhost:1920.evil.example/acme/gitops.git',
  'http://localhost:1920@evil.example/acme/gitops.git',
  'http://localhost:1920/acme/other.git',
])('gives nothing to %s', async (wanted) => {
  expect(await findIn('argocd', repositorySecretLabels, wanted)).toBeUndefined();
});

it('gives nothing to the Applications of another project, and reads no other Secrets', async () => {
  expect(await findIn('argocd', repositorySecretLabels, url, 'org-other')).toBeUndefined();
  expect(await findIn('argocd', {})).toBeUndefined();
  expect(await findIn('org-acme', repositorySecretLabels)).toBeUndefined();
});
