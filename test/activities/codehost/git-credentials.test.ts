import { expect, it } from 'vitest';
import {
  cloneSecretName,
  repoAnnotation,
  saveCloneSecret,
  saveGitopsCredentials,
} from '../../../activities/codehost/git-credentials.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { basicAuthType, readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { openTestStore } from '../../support/open-test-store.ts';

/** Issues other credentials each time, which name the repo. */
function createHost() {
  let issued = 0;
  const createCloneCredentials: OrgCodehost['createCloneCredentials'] = async (repo) => {
    issued += 1;
    return { url: `https://code.test/${repo}.git`, username: 'x-access-token', password: `${repo}-${issued}` };
  };
  return { createCloneCredentials } as OrgCodehost;
}

it('names the clone Secret of a repo the same in any case, and each repo its own', () => {
  expect(cloneSecretName('Acme/Hello')).toBe(cloneSecretName('acme/hello'));
  expect(cloneSecretName('acme/hello')).not.toBe(cloneSecretName('acme/hello2'));
  expect(cloneSecretName('acme/hello')).toMatch(/^clone-[0-9a-f]{16}$/);
});

it('replaces the credentials with which the builds of an org clone a repo', async () => {
  const store = openTestStore();
  const host = createHost();
  const ref = { namespace: 'org-acme', name: cloneSecretName('acme/hello') };
  for (const password of ['acme/hello-1', 'acme/hello-2']) {
    await saveCloneSecret(store, host, { org: 'acme', repo: 'acme/hello' });
    const secret = await store.get(SecretKind, ref);
    expect(secret).toMatchObject({
      type: basicAuthType,
      metadata: { annotations: { [repoAnnotation]: 'acme/hello' } },
    });
    expect(readSecretText(secret, 'username')).toBe('x-access-token');
    expect(readSecretText(secret, 'password')).toBe(password);
  }
});

it('gives Argo CD credentials that only the Applications of the org can use', async () => {
  const store = openTestStore();
  const save = async (org: string) =>
    await saveGitopsCredentials(store, createHost(), { org, repo: `${org}/gitops`, argoCdNamespace: 'argocd' });
  for (const org of ['acme', 'other', 'acme']) await save(org);
  const { items } = await store.list(SecretKind);
  const texts = items.map((secret) => [
    `${secret.metadata.namespace}/${secret.metadata.name}`,
    secret.metadata.labels?.['argocd.argoproj.io/secret-type'],
    ...['type', 'project', 'url', 'username', 'password'].map((key) => readSecretText(secret, key)),
  ]);
  expect(texts).toEqual(
    ['acme', 'other'].map((org) => [
      `argocd/org-${org}`,
      'repository',
      'git',
      `org-${org}`,
      `https://code.test/${org}/gitops.git`,
      'x-access-token',
      `${org}/gitops-1`,
    ]),
  );
});
