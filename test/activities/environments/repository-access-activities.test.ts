import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cloneSecretName, repoAnnotation } from '../../../activities/codehost/git-credentials.ts';
import { createRepositoryAccessActivities } from '../../../activities/environments/repository-access-activities.ts';
import { notFound, ServiceError } from '../../../src/errors.ts';
import type { Codehost, OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { ApplicationKind, AppProjectKind } from '../../../src/kinds/argo-cd.ts';
import { readSecretText, type Secret, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { BuildRunKind } from '../../../src/kinds/shipwright.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';

const namespace = 'org-acme';
const gitopsRepo = 'acme/gitops';
const clone = { namespace, name: cloneSecretName('acme/shop') };
const argoCd = { namespace: 'argocd', name: 'org-acme' };

async function createOrg(codehost: Codehost) {
  const store = openTestStore();
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo },
  });
  const zones = [{ name: 'shop-rc', promotionPolicy: 'automatic' as const }];
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones } },
  });
  const activities = createRepositoryAccessActivities({
    store,
    codehost,
    argoCdNamespace: 'argocd',
    now: () => new Date(0),
  });
  return {
    store,
    refresh: async () => await activities.refreshRepositoryAccess({ org: 'acme' }),
    async createApplication(message?: string) {
      const source = { repoURL: '', path: '', targetRevision: 'main' };
      const spec = { project: namespace, source, destination: { namespace: 'shop-rc' } };
      await store.create(ApplicationKind, { metadata: { namespace, name: 'shop-rc' }, spec });
      if (message === undefined) return;
      const conditions = [{ type: 'ComparisonError', message }];
      await store.updateStatus(ApplicationKind, { namespace, name: 'shop-rc' }, () => ({ conditions }));
    },
    readCondition: async () => (await store.get(ProductKind, { namespace, name: 'shop' })).status?.conditions?.[0],
  };
}

/** Lists the branches of a remote with nothing but the content of a Secret. */
async function listBranches(url: string, secret: Secret | undefined): Promise<string> {
  const remote = new URL(url);
  remote.username = readSecretText(secret, 'username') ?? '';
  remote.password = readSecretText(secret, 'password') ?? '';
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
  return (await promisify(execFile)('git', ['ls-remote', '--heads', remote.href], { env })).stdout;
}

it('gives Argo CD and the builds in progress new tokens that read one private repo each', async () => {
  const { codehost, host } = await connectShop();
  const { cloneUrl: gitopsUrl } = await host.ensureRepository(gitopsRepo, 'The state of each zone');
  const { store, refresh, createApplication, readCondition } = await createOrg(codehost);
  const source = { type: 'Git' as const, git: { url: '', revision: 'c1' } };
  const build = { source, strategy: { name: 's', kind: 'ClusterBuildStrategy' as const }, output: { image: '' } };
  const createBuild = async (name: string, repo: string) =>
    await store.create(BuildRunKind, {
      metadata: { namespace, name, annotations: { [repoAnnotation]: repo } },
      spec: { build: { spec: build } },
    });
  await createBuild('building', 'acme/shop');
  await createBuild('built', gitopsRepo);
  const conditions = [{ type: 'Succeeded', status: 'True' as const }];
  await store.updateStatus(BuildRunKind, { namespace, name: 'built' }, () => ({ conditions }));

  expect(await refresh()).toBe(true);
  expect(await store.find(SecretKind, argoCd)).toBeUndefined();
  expect(await store.find(SecretKind, { namespace, name: cloneSecretName(gitopsRepo) })).toBeUndefined();
  const first = await store.get(SecretKind, clone);
  expect(first.type).toBe('kubernetes.io/basic-auth');

  await createApplication();
  expect(await refresh()).toBe(true);
  const second = await store.get(SecretKind, clone);
  expect(readSecretText(second, 'password')).not.toBe(readSecretText(first, 'password'));
  const repository = await store.get(SecretKind, argoCd);
  expect(repository.metadata.labels).toEqual({ 'argocd.argoproj.io/secret-type': 'repository' });
  expect(['type', 'url', 'project'].map((key) => readSecretText(repository, key))).toEqual([
    'git',
    gitopsUrl,
    'org-acme',
  ]);
  expect(await listBranches(gitopsUrl, repository)).toContain('refs/heads/main');
  // The token of the builds reads no other repo.
  await expect(listBranches(gitopsUrl, second)).rejects.toThrow(/not found/i);
  expect(await readCondition()).toMatchObject({ type: 'GitopsRepoReadable', status: 'True' });
});

it('tells each Product when Argo CD cannot read the gitops repo', async () => {
  const { codehost, host } = await connectShop();
  await host.ensureRepository(gitopsRepo, '');
  const { refresh, createApplication, readCondition } = await createOrg(codehost);
  await createApplication('rpc error: code = Unknown desc = failed to list refs: authentication required');
  expect(await refresh()).toBe(true);
  expect(await readCondition()).toMatchObject({
    status: 'False',
    message: 'Argo CD cannot read the gitops repo: failed to list refs: authentication required.',
  });
});

it('tells when the application of the org has no access to the gitops repo, and refreshes the others', async () => {
  const { codehost } = await connectShop();
  const { refresh, createApplication, readCondition } = await createOrg(codehost);
  await createApplication();
  expect(await refresh()).toBe(true);
  expect((await readCondition())?.message).toMatch(/^Argo CD cannot read the gitops repo: .*acme\/gitops/);
});

it('ends with the org or its connection, and retries other errors', async () => {
  const fail = (error: Error): Codehost => ({
    forOrg: async () => ({ createCloneCredentials: async () => await Promise.reject(error) }) as unknown as OrgCodehost,
  });
  const disconnected = await createOrg({
    forOrg: async () => await Promise.reject(new ServiceError('codehost-not-connected', 'Not connected.')),
  });
  expect(await disconnected.refresh()).toBe(false);
  await disconnected.store.delete(OrganizationKind, { namespace: 'service-system', name: 'acme' });
  expect(await disconnected.refresh()).toBe(false);
  const away = await createOrg(fail(new ServiceError('unavailable', 'Away.')));
  await away.createApplication();
  await expect(away.refresh()).rejects.toThrow('Away.');
  const refused = await createOrg(fail(notFound('repo', gitopsRepo, 'acme')));
  await refused.createApplication();
  expect(await refused.refresh()).toBe(true);
});

/** An org whose gitops repo has this URL now, and the commit c1. */
async function createRenamed(url: string) {
  const host = {
    createCloneCredentials: async () => ({ url, username: 'x', password: 'secret' }),
    getCommit: async (repo: string, sha: string) => {
      if (repo !== gitopsRepo || sha !== 'c1') throw notFound('commit', sha, repo);
      return { sha, message: '', parents: [] };
    },
  } as unknown as OrgCodehost;
  const org = await createOrg({ forOrg: async () => host });
  const before = 'https://code.test/acme/before.git';
  const create = async (name: string, revision?: string) => {
    const source = { repoURL: before, path: 'charts/shop', targetRevision: 'main' };
    const spec = { project: namespace, source, destination: { namespace: name } };
    await org.store.create(ApplicationKind, { metadata: { namespace, name }, spec });
    if (revision === undefined) return;
    const sync = { status: 'Synced' as const, revision };
    await org.store.updateStatus(ApplicationKind, { namespace, name }, () => ({ sync }));
  };
  const readSources = async () =>
    (await org.store.list(ApplicationKind)).items.map(({ metadata, spec }) => [metadata.name, spec.source.repoURL]);
  const readProject = async () => (await org.store.find(AppProjectKind, argoCd))?.spec.sourceRepos;
  return { ...org, before, create, readSources, readProject };
}

it('moves the Applications to a gitops repo that was renamed, and those of no other repo', async () => {
  const url = 'https://code.test/acme/gitops.git';
  const { refresh, create, readSources, readProject, before } = await createRenamed(url);
  await create('shop-other', 'c2');
  await create('shop-rc', 'c1');
  await create('shop-unknown');
  expect(await refresh()).toBe(true);
  expect(await readSources()).toEqual([
    ['shop-other', before],
    ['shop-rc', url],
    ['shop-unknown', before],
  ]);
  expect(await readProject()).toEqual([url]);
});

it('leaves the Applications and their project alone while the gitops repo is where it was', async () => {
  const { refresh, create, readProject, store } = await createRenamed('https://code.test/acme/before.git');
  await create('shop-rc', 'c1');
  const { resourceVersion } = (await store.get(ApplicationKind, { namespace, name: 'shop-rc' })).metadata;
  expect(await refresh()).toBe(true);
  expect((await store.get(ApplicationKind, { namespace, name: 'shop-rc' })).metadata.resourceVersion).toBe(
    resourceVersion,
  );
  expect(await readProject()).toBeUndefined();
});
